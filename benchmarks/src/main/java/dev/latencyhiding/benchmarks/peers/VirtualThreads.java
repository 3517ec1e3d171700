package dev.latencyhiding.benchmarks.peers;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Virtual threads, by reflection: the code is compiled for a JDK that does not have them. */
final class VirtualThreads {
    private static final int FIRST_JDK = 21;

    private VirtualThreads() {}

    static boolean exist() {
        return Runtime.version().feature() >= FIRST_JDK;
    }

    static ExecutorService newExecutor() {
        try {
            return (ExecutorService)
                    Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("This JDK has no virtual threads", e);
        }
    }
}
