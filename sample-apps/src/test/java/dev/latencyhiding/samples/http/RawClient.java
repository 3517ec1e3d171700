package dev.latencyhiding.samples.http;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** A client that sends whatever it is told, byte by byte if need be. */
final class RawClient implements AutoCloseable {
    private static final int DEADLINE_MILLIS = 60_000;

    private final Socket socket = new Socket();

    RawClient(InetSocketAddress server) throws IOException {
        socket.connect(server, DEADLINE_MILLIS);
        socket.setSoTimeout(DEADLINE_MILLIS); // only bounds a failure
        socket.setTcpNoDelay(true);
    }

    record Answer(int status, Map<String, String> headers, String text) {}

    /** One answer to one request on a new connection. */
    static Answer ask(InetSocketAddress server, String request) throws IOException {
        try (RawClient client = new RawClient(server)) {
            client.send(request);
            return client.read(!request.startsWith("HEAD"));
        }
    }

    void send(String text) throws IOException {
        send(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    void send(byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
    }

    Answer read(boolean withBody) throws IOException {
        final String first = line();
        final Map<String, String> headers = new TreeMap<>();
        for (String line = line(); !line.isEmpty(); line = line()) {
            final int colon = line.indexOf(':');
            headers.put(
                    line.substring(0, colon).toLowerCase(Locale.ROOT),
                    line.substring(colon + 1).strip());
        }
        final int length = withBody ? Integer.parseInt(headers.getOrDefault("content-length", "0")) : 0;
        final byte[] body = socket.getInputStream().readNBytes(length);
        if (body.length < length) {
            throw new EOFException("only " + body.length + " of " + length + " bytes");
        }
        final int status = Integer.parseInt(first.split(" ", -1)[1]);
        return new Answer(status, headers, new String(body, StandardCharsets.UTF_8));
    }

    private String line() throws IOException {
        final ByteArrayOutputStream line = new ByteArrayOutputStream();
        final InputStream in = socket.getInputStream();
        for (int b = in.read(); b != '\n'; b = in.read()) {
            if (b < 0) {
                throw new EOFException("within a line: " + line);
            }
            line.write(b);
        }
        return line.toString(StandardCharsets.ISO_8859_1).strip();
    }

    /** Whether the server has ended the connection: what it had sent is skipped. */
    boolean isClosedByServer() {
        return skipToEnd() >= 0;
    }

    /** How many bytes come before the server ends the connection; -1 if it does not. */
    long skipToEnd() {
        final byte[] block = new byte[64 * 1024];
        long skipped = 0;
        try {
            for (int n = socket.getInputStream().read(block);
                    n >= 0;
                    n = socket.getInputStream().read(block)) {
                skipped += n;
            }
            return skipped;
        } catch (SocketTimeoutException e) {
            return -1;
        } catch (IOException e) {
            return skipped; // reset
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
