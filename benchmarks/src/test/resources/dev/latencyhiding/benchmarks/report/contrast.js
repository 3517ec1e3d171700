// The texts of the page whose contrast to what is behind them is below 4.5, as WCAG 2 computes it.
(() => {
  const numbers = (colour) => colour.match(/[\d.]+/g).map(Number);
  const isSolid = (colour) => numbers(colour).length === 3 || numbers(colour)[3] === 1;
  const luminance = (colour) => {
    const [r, g, b] = numbers(colour).map((value) => value / 255)
      .map((value) => (value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = (element) => {
    for (let e = element; e; e = e.parentElement) {
      const colour = getComputedStyle(e).backgroundColor;
      if (isSolid(colour)) return colour;
    }
    return "rgb(255, 255, 255)";
  };
  const faint = [];
  for (const element of document.querySelectorAll("body *")) {
    const text = [...element.childNodes].filter((node) => node.nodeType === 3 && node.data.trim());
    if (text.length === 0 || ["title", "desc"].includes(element.tagName)) continue;
    const style = getComputedStyle(element);
    const colour = element instanceof SVGElement ? style.fill : style.color;
    const [high, low] = [luminance(colour), luminance(ground(element))].sort((a, b) => b - a);
    const contrast = (high + 0.05) / (low + 0.05);
    if (contrast < 4.5) faint.push(`${text[0].data.trim()}: ${contrast.toFixed(2)}`);
  }
  return faint;
})()
