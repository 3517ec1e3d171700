package dev.latencyhiding;

/**
 * What a scheduler did and how it stands: an immutable snapshot. Totals only grow, so that rates can
 * be computed from two snapshots. Taking one stops nobody; the numbers are read one after another
 * while workers go on, so that they agree exactly only when nothing runs.
 *
 * <p>The words are those of {@link Policy#PROWS_R}. Under {@link Policy#LHWS} a resumable deque is one
 * that is ready and that its worker is not at, and nothing is mugged or rebalanced. Under {@link
 * Policy#CLASSIC} a suspended deque is that of a worker which is blocked.
 *
 * <pre>{@code
 * SchedulerStats before = scheduler.stats();
 * run();
 * System.out.println(scheduler.stats().muggings() - before.muggings() + " muggings");
 * }</pre>
 */
public final class SchedulerStats {
    private final String scheduler;
    private final int parallelism;
    private final int workers;
    private final int sleepingWorkers;
    private final long nodesRun;
    private final long nodesFailed;
    private final long stealsTried;
    private final long steals;
    private final long muggings;
    private final long rebalanced;
    private final long wakeUps;
    private final long guestRuns;
    private final long arrivals;
    private final long suspensions;
    private final long resumes;
    private final long releases;
    private final long earlyCompletions;
    private final long parks;
    private final long activeDeques;
    private final long suspendedDeques;
    private final long resumableDeques;
    private final long muggableDeques;

    SchedulerStats(SchedulerCore core) {
        scheduler = core.toString();
        parallelism = core.parallelism();
        workers = core.workers.count();
        sleepingWorkers = Math.max(0, core.idle.sleepers() - core.guests.active());
        nodesRun = core.nodesRun();
        nodesFailed = core.sum(Counter.FAILED_NODES);
        stealsTried = core.sum(Counter.STEALS_TRIED);
        steals = core.sum(Counter.STEALS);
        muggings = core.sum(Counter.MUGGINGS);
        rebalanced = core.sum(Counter.REBALANCED);
        wakeUps = core.sum(Counter.WAKE_UPS);
        guestRuns = core.sum(Counter.GUEST_RUNS);
        arrivals = core.sum(Counter.ARRIVALS_RUN);
        resumes = core.sum(Counter.SUSPENSIONS_RESUMED);
        releases = core.sum(Counter.SUSPENSIONS_RELEASED);
        suspensions = core.sum(Counter.SUSPENSIONS_OPENED);
        earlyCompletions = core.sum(Counter.EARLY_COMPLETIONS);
        parks = core.sum(Counter.PARKS);
        activeDeques = core.ownedDeques();
        suspendedDeques = core.sum(Counter.SUSPENDED_DEQUES);
        resumableDeques = core.sum(Counter.RESUMABLE_DEQUES);
        muggableDeques = core.sum(Counter.MUGGABLE_DEQUES);
    }

    /**
     * The number of workers the scheduler was built with.
     *
     * @return P
     */
    public int parallelism() {
        return parallelism;
    }

    /**
     * Workers there are now: P, and spare ones while some are blocked.
     *
     * @return the number of workers
     */
    public int workers() {
        return workers;
    }

    /**
     * Workers that sleep because there is nothing to do, without those whose place a {@link CompletionThread} takes.
     *
     * @return the number of sleeping workers
     */
    public int sleepingWorkers() {
        return sleepingWorkers;
    }

    /**
     * Nodes started, in total.
     *
     * @return a total
     */
    public long nodesRun() {
        return nodesRun;
    }

    /**
     * Nodes that threw something, in total.
     *
     * @return a total
     */
    public long nodesFailed() {
        return nodesFailed;
    }

    /**
     * Attempts to steal from a random deque of a random worker, in total.
     *
     * @return a total
     */
    public long stealsTried() {
        return stealsTried;
    }

    /**
     * Nodes stolen off the top of a deque, in total.
     *
     * @return a total
     */
    public long steals() {
        return steals;
    }

    /**
     * Deques a thief took over whole, in total.
     *
     * @return a total
     */
    public long muggings() {
        return muggings;
    }

    /**
     * Deques moved between the stealable sets of two workers, in total.
     *
     * @return a total
     */
    public long rebalanced() {
        return rebalanced;
    }

    /**
     * Resumed nodes that workers took ahead of their own work, in total.
     *
     * @return a total
     */
    public long wakeUps() {
        return wakeUps;
    }

    /**
     * Wake-ups that did not wake a worker, in total: the {@link CompletionThread} that resumed the node ran it.
     *
     * @return a total
     */
    public long guestRuns() {
        return guestRuns;
    }

    /**
     * Nodes taken from the queue of those that came from outside, yielded, or were left in a deque
     * without an owner, in total.
     *
     * @return a total
     */
    public long arrivals() {
        return arrivals;
    }

    /**
     * Suspensions opened, in total.
     *
     * @return a total
     */
    public long suspensions() {
        return suspensions;
    }

    /**
     * Suspensions that ended by {@link Suspension#resume}, in total.
     *
     * @return a total
     */
    public long resumes() {
        return resumes;
    }

    /**
     * Suspensions that ended by {@link Suspension#release}, in total.
     *
     * @return a total
     */
    public long releases() {
        return releases;
    }

    /**
     * Suspensions that have not ended.
     *
     * @return the number of open suspensions
     */
    public long openSuspensions() {
        return suspensions - resumes - releases;
    }

    /**
     * Nodes that opened suspensions all of which, or one of which, had ended when the node returned, so
     * that the deque was not suspended, in total. Always 0 under {@link Policy#LHWS}, which suspends no
     * deque for that.
     *
     * @return a total
     */
    public long earlyCompletions() {
        return earlyCompletions;
    }

    /**
     * Times a worker went to sleep, in total.
     *
     * @return a total
     */
    public long parks() {
        return parks;
    }

    /**
     * Deques that a worker owns.
     *
     * @return the number of deques in this state
     */
    public long activeDeques() {
        return activeDeques;
    }

    /**
     * Deques whose bottom node waits for an operation. A node that waits and leaves nothing else in its deque counts
     * once for each operation.
     *
     * @return the number of deques in this state
     */
    public long suspendedDeques() {
        return suspendedDeques;
    }

    /**
     * Deques without an owner whose nodes are all ready, none of which was stolen yet.
     *
     * @return the number of deques in this state
     */
    public long resumableDeques() {
        return resumableDeques;
    }

    /**
     * Deques without an owner that may be taken over whole.
     *
     * @return the number of deques in this state
     */
    public long muggableDeques() {
        return muggableDeques;
    }

    /** A few lines for people. */
    @Override
    public String toString() {
        return scheduler
                + "\n  workers      " + workers + ", " + sleepingWorkers + " asleep, parked " + parks + " times"
                + "\n  nodes        " + nodesRun + " run, " + nodesFailed + " failed; " + wakeUps + " woken up, "
                + guestRuns + " of them by guests, " + arrivals + " arrived"
                + "\n  steals       " + steals + " of " + stealsTried + " tried; " + muggings + " muggings, "
                + rebalanced + " deques rebalanced"
                + "\n  suspensions  " + suspensions + " opened, " + resumes + " resumed, " + releases + " released, "
                + openSuspensions() + " open; " + earlyCompletions + " completed early"
                + "\n  deques       " + activeDeques + " active, " + suspendedDeques + " suspended, " + resumableDeques
                + " resumable, " + muggableDeques + " muggable";
    }
}
