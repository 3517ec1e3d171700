package dev.latencyhiding.nio;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.nio.file.Path;

/** Turns the content of a file into text and back, and replaces nothing silently. */
final class FileText {
    private static final char REPLACEMENT = '\uFFFD';

    private FileText() {}

    static String decode(Path path, byte[] bytes, Charset charset) throws MalformedFileException {
        // The JDK's fast way replaces what is malformed. But a replacement may also stand in the file.
        final String text = new String(bytes, charset);
        if (text.indexOf(REPLACEMENT) >= 0) {
            final ByteBuffer checked = ByteBuffer.wrap(bytes);
            try {
                charset.newDecoder().decode(checked);
            } catch (CharacterCodingException e) {
                throw malformed(path, charset, checked.position());
            }
        }
        return text;
    }

    static MalformedFileException malformed(Path path, Charset charset, long position) {
        return new MalformedFileException(path, position, "cannot read: the bytes are not " + charset);
    }

    static ByteBuffer encode(Path path, CharSequence text, Charset charset) throws MalformedFileException {
        final CharBuffer chars = CharBuffer.wrap(text);
        try {
            return charset.newEncoder().encode(chars);
        } catch (CharacterCodingException e) {
            throw new MalformedFileException(
                    path, chars.position(), "cannot write: the character has no form in " + charset);
        }
    }
}
