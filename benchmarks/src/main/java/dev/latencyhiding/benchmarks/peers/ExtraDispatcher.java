package dev.latencyhiding.benchmarks.peers;

import java.lang.reflect.Constructor;
import java.util.Arrays;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import kotlinx.coroutines.CoroutineDispatcher;
import kotlinx.coroutines.ExecutorsKt;

/**
 * A dispatcher that was given by the name of its class: a {@link CoroutineDispatcher}, an {@link Executor} or a
 * {@link Supplier} of one of them, with a public constructor that takes the number of workers or nothing.
 */
public final class ExtraDispatcher {
    private ExtraDispatcher() {}

    /**
     * Describes the dispatcher; the class is loaded when it is started.
     *
     * @param name its name in tables
     * @param className its class
     * @return the dispatcher
     */
    public static PeerSpec of(String name, String className) {
        return new PeerSpec(
                name,
                PeerSpec.Role.VARIANT,
                className,
                (label, parallelism) -> new Peer(label, start(className, parallelism), parallelism));
    }

    private static CoroutineDispatcher start(String className, int parallelism) {
        Object made = instance(className, parallelism);
        if (made instanceof Supplier<?> supplier) {
            made = supplier.get();
        }
        if (made instanceof CoroutineDispatcher dispatcher) {
            return dispatcher;
        }
        if (made instanceof Executor executor) {
            return ExecutorsKt.from(executor);
        }
        throw new IllegalArgumentException(
                className + " is neither a CoroutineDispatcher nor an Executor nor a Supplier of one");
    }

    private static Object instance(String className, int parallelism) {
        try {
            Constructor<?>[] constructors = Class.forName(className).getConstructors();
            for (Constructor<?> constructor : constructors) {
                if (Arrays.equals(constructor.getParameterTypes(), new Class<?>[] {int.class})) {
                    return constructor.newInstance(parallelism);
                }
            }
            for (Constructor<?> constructor : constructors) {
                if (constructor.getParameterCount() == 0) {
                    return constructor.newInstance();
                }
            }
        } catch (ClassNotFoundException e) {
            throw new IllegalArgumentException("There is no class " + className + "; see --class-path", e);
        } catch (ReflectiveOperationException e) {
            throw new IllegalArgumentException("Cannot make a " + className, e);
        }
        throw new IllegalArgumentException(className + " has no public constructor that takes an int or nothing");
    }
}
