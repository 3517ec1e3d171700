/**
 * ProWS-R, proactive latency-hiding work stealing, for the JVM, and the two schedulers it is compared
 * with. {@link dev.latencyhiding.LatencyHidingScheduler} is the way in.
 *
 * <p>Vocabulary, from the papers: a <em>node</em> is a piece of work that runs without interruption;
 * a <em>deque</em> holds ready nodes; a worker pushes and pops at its <em>bottom</em>, thieves at its
 * <em>top</em>; to <em>mug</em> is to take over a whole deque; a <em>stealable set</em> holds the
 * deques of one worker that others may steal from.
 *
 * <p>Reading order for contributors: {@code ProwsWorker} with {@code Turns} (the loop and its three
 * lanes), {@code Thief} (stealing and mugging), {@code ProwsDeque} with {@code DequeState} (the protocol
 * between a node that blocks and the operation it waits for), {@code WorkDeque} (the array), {@code
 * IdleWorkers} (sleeping), {@code LifeCycle} (the end). {@code LhwsWorker} and {@code ClassicWorker} are
 * the loops of the other {@linkplain dev.latencyhiding.Policy policies}. Invariants have names there (W1, D2, S1, P1, …) and are cited by them.
 *
 * <p>Access modes: fields that several threads use are {@code volatile}, or are touched through a
 * {@code VarHandle} in the class that holds them only; accessors that are weaker than volatile say so
 * in their name, and every fence, CAS and release has its partner named beside it.
 *
 * <p>Locks, in the order in which they may be taken: {@code SchedulerCore}, {@code Workers}, {@code
 * StealableSet} by rising id. {@code IdleWorkers} takes its lock last and holds none of the others'.
 * No user code runs under any of them.
 */
@NullMarked
package dev.latencyhiding;

import org.jspecify.annotations.NullMarked;
