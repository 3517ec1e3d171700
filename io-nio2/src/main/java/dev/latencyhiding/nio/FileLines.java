package dev.latencyhiding.nio;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.Charset;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Cuts a file into lines while it is read. A line ends with LF, or CR LF, or with the file; its end is not part of
 * it. For one caller, which in turns fills {@link #space()}, calls {@link #filled} and takes what {@link #next}
 * has.
 */
final class FileLines {
    /** The limit on a line's length if the user gives none: protects the memory, not the format. */
    static final int DEFAULT_MAX_LENGTH = 1024 * 1024;

    /** Of the file per read. Not tuned. */
    private static final int BYTES = 64 * 1024;

    private final Path path;
    private final Charset charset;
    private final CharsetDecoder decoder;
    private final int maxLength;

    /** Between reads it begins with what is left of a character that was cut. */
    private final ByteBuffer bytes = ByteBuffer.allocate(BYTES);

    /** Of the file, decoded. */
    private long position;

    private long line = 1;
    private boolean ended;

    /** Decoded and not yet taken are those from begin to end; there is no LF before scanned. */
    private char[] chars = new char[BYTES];

    private int begin;
    private int scanned;
    private int end;

    FileLines(Path path, Charset charset, int maxLength) {
        if (maxLength < 0) {
            throw new IllegalArgumentException("maxLength must not be negative: " + maxLength);
        }
        this.path = Objects.requireNonNull(path, "path");
        this.charset = charset;
        this.decoder = charset.newDecoder();
        this.maxLength = maxLength;
    }

    /** Where the next bytes of the file go. */
    ByteBuffer space() {
        return bytes;
    }

    /** Where in the file the next bytes are. */
    long position() {
        return position + bytes.position();
    }

    /**
     * New bytes are in the {@link #space()}.
     *
     * @param last there are no more
     */
    void filled(boolean last) throws IOException {
        bytes.flip();
        makeRoom();
        final CharBuffer room = CharBuffer.wrap(chars, end, chars.length - end);
        CoderResult result = decoder.decode(bytes, room, last);
        position += bytes.position();
        if (result.isUnderflow() && last) {
            result = decoder.flush(room);
        }
        if (result.isError()) {
            throw FileText.malformed(path, charset, position);
        }
        if (result.isOverflow()) {
            throw new AssertionError("one byte gave more than one character");
        }
        end = room.position();
        ended = last;
        bytes.compact();
    }

    /** A byte gives one character at most, on average; a few more when the decoder is flushed. */
    private void makeRoom() {
        final int room = (int) Math.ceil(bytes.remaining() * (double) decoder.maxCharsPerByte()) + 16;
        final int length = end - begin;
        if (chars.length - end < room) {
            final char[] target = length + room <= chars.length ? chars : new char[2 * (length + room)];
            System.arraycopy(chars, begin, target, 0, length);
            chars = target;
            scanned -= begin;
            begin = 0;
            end = length;
        }
    }

    /**
     * The next line.
     *
     * @return null if the file has to be read on; at its end, if there are no more
     */
    @Nullable String next() throws TooLongLineException {
        while (scanned < end && chars[scanned] != '\n') {
            scanned++;
        }
        final boolean terminated = scanned < end;
        if (!terminated && !(ended && begin < end)) {
            requireLength(scanned - begin - 1); // a CR at its end may be none of its own
            return null;
        }
        final boolean carriageReturn = terminated && scanned > begin && chars[scanned - 1] == '\r';
        final int length = scanned - begin - (carriageReturn ? 1 : 0);
        requireLength(length);
        final String text = String.valueOf(chars, begin, length);
        scanned = terminated ? scanned + 1 : scanned;
        begin = scanned;
        line++;
        return text;
    }

    private void requireLength(int length) throws TooLongLineException {
        if (length > maxLength) {
            throw new TooLongLineException(
                    path + ": cannot read: line " + line + " is longer than " + maxLength + " characters");
        }
    }
}
