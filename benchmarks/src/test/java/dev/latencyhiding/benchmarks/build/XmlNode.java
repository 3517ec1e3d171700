package dev.latencyhiding.benchmarks.build;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.xml.sax.SAXException;

/** An XML element of a pom. */
record XmlNode(Element element) {
    static XmlNode read(Path file) {
        try {
            return new XmlNode(DocumentBuilderFactory.newInstance()
                    .newDocumentBuilder()
                    .parse(file.toFile())
                    .getDocumentElement());
        } catch (SAXException e) {
            throw new IllegalArgumentException(file + " is not XML: " + e.getMessage(), e);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (ParserConfigurationException e) {
            throw new IllegalStateException(e);
        }
    }

    String name() {
        return element.getTagName();
    }

    String text() {
        return element.getTextContent().strip();
    }

    /** The text of the child called so, which must be there. */
    String text(String child) {
        return optionalText(child).orElseThrow(() -> new IllegalArgumentException(name() + " without " + child));
    }

    Optional<String> optionalText(String child) {
        return children().stream()
                .filter(node -> node.name().equals(child))
                .map(XmlNode::text)
                .findFirst();
    }

    /** The elements inside the element at this path; none if there is no such element. */
    List<XmlNode> children(String... path) {
        List<XmlNode> nodes = List.of(this);
        for (String step : path) {
            nodes = nodes.stream()
                    .flatMap(node -> node.children().stream())
                    .filter(node -> node.name().equals(step))
                    .toList();
        }
        return nodes.stream().flatMap(node -> node.elements().stream()).toList();
    }

    private List<XmlNode> elements() {
        List<XmlNode> elements = new ArrayList<>();
        for (Node node = element.getFirstChild(); node != null; node = node.getNextSibling()) {
            if (node instanceof Element child) {
                elements.add(new XmlNode(child));
            }
        }
        return elements;
    }
}
