package dev.latencyhiding.benchmarks.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.latencyhiding.benchmarks.Profile.Part;
import dev.latencyhiding.benchmarks.compare.Breakdown.Share;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class BreakdownTest {
    private static final String WORKER = "[scheduler-worker-1 tid=1]";
    private static final String LOOP = WORKER + ";java/lang/Thread.run;dev/latencyhiding/ProwsWorker.schedule";
    private static final String NODE = LOOP + ";kotlinx/coroutines/DispatchedTask.run";

    private final Breakdown breakdown = new Breakdown();

    @Test
    void sample_belongsToTheInnermostMethodThatIsKnown() {
        breakdown.add(String.join(
                "\n",
                NODE + ";dev/latencyhiding/benchmarks/workloads/LeavesKt.naiveFib 50",
                NODE + " 20",
                NODE + ";dev/latencyhiding/SchedulerCore.execute;dev/latencyhiding/Worker.push 10",
                LOOP + ";java/util/concurrent/ConcurrentLinkedQueue.poll 20"));

        assertEquals(Map.of(Part.PROGRAM, 0.5, Part.COROUTINES, 0.2, Part.SCHEDULER, 0.3), breakdown.shares());
    }

    @Test
    void hottest_methodsHaveWhatTheyCallInTheJdk_andLeaveOutTheProgram() {
        breakdown.add(String.join(
                "\n",
                NODE + ";dev/latencyhiding/benchmarks/workloads/LeavesKt.naiveFib 50",
                LOOP + " 10",
                LOOP + ";java/util/concurrent/ConcurrentLinkedQueue.poll 20",
                NODE + " 20"));

        assertEquals(
                List.of(new Share("ProwsWorker.schedule", 0.3), new Share("DispatchedTask.run", 0.2)),
                breakdown.hottest(5));
        assertEquals(
                List.of("ProwsWorker.schedule"),
                breakdown.hottest(1).stream().map(Share::method).toList());
    }

    @ParameterizedTest
    @CsvSource({
        "[C2 CompilerThre tid=7];start_thread;Compile::Compile,COMPILER",
        "[C1 CompilerThre tid=7];start_thread,COMPILER",
        "[GC Thread#0 tid=8];start_thread;G1ParScanThreadState::trim_queue,COLLECTOR",
        "[VM Thread tid=9];start_thread,OTHER",
        "[main tid=1];java/lang/Thread.run,OTHER",
        "[fixed tid=1];java/util/concurrent/ThreadPoolExecutor.getTask;java/util/concurrent/LinkedBlockingQueue.take;"
                + "java/util/concurrent/locks/LockSupport.park;jdk/internal/misc/Unsafe.park;Unsafe_Park,SLEEPING",
        "[kotlinx.coroutines.DefaultExecutor tid=3];kotlinx/coroutines/EventLoopImplBase.processNextEvent,SCHEDULER",
        "[DefaultDispatcher-worker-1 tid=3];kotlinx/coroutines/scheduling/CoroutineScheduler$Worker.run,SCHEDULER",
        "[two tid=3];dev/latencyhiding/benchmarks/peers/TwoQueuesDispatcher.run,SCHEDULER",
        "[io tid=3];dev/latencyhiding/nio/Poller.run;sun/nio/ch/EPoll.wait,SOCKETS",
    })
    void sample_ofAnyThread_hasAPart(String stack, Part part) {
        breakdown.add(stack + " 3");

        assertEquals(Map.of(part, 1.0), breakdown.shares());
    }

    /** A program that sleeps all the time. */
    @Test
    void withoutSamples_thereIsNothing() {
        breakdown.add("");

        assertEquals(Map.of(), breakdown.shares());
        assertEquals(List.of(), breakdown.hottest(5));
    }
}
