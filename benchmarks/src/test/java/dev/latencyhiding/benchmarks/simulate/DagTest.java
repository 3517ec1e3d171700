package dev.latencyhiding.benchmarks.simulate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class DagTest {
    private final DagBuilder builder = new DagBuilder();

    @Test
    void workAndSpan_oneNode_areItsWeight() {
        builder.node(7);
        Dag dag = builder.build();

        assertEquals(7, dag.work());
        assertEquals(7, dag.span());
    }

    @Test
    void workAndSpan_diamondWithAWait_countTheLatencyInTheSpanOnly() {
        int fork = builder.node(1);
        int fetch = builder.node(2);
        int use = builder.node(3);
        int compute = builder.node(10);
        int join = builder.node(1);
        builder.then(fork, fetch);
        builder.spawn(fork, compute);
        builder.await(fetch, use, 20);
        builder.then(use, join);
        builder.then(compute, join);
        Dag dag = builder.build();

        assertEquals(1 + 2 + 3 + 10 + 1, dag.work());
        assertEquals(1 + 2 + 20 + 3 + 1, dag.span());
        assertEquals(1, dag.waits());
    }

    @Test
    void span_shortLatency_isThePathThatComputes() {
        int fork = builder.node(1);
        int fetch = builder.node(2);
        int use = builder.node(3);
        int compute = builder.node(10);
        builder.then(fork, fetch);
        builder.spawn(fork, compute);
        builder.await(fetch, use, 1);

        assertEquals(1 + 10, builder.build().span());
    }

    @Test
    void mapReduce_twoLeaves_isAsByHand() {
        Dag dag = DagKind.MAP_REDUCE.build(new DagShape(2, 5, 7, 1));

        assertEquals(6, dag.size());
        assertEquals(1 + 2 * (1 + 5) + 1, dag.work());
        assertEquals(1 + 1 + 7 + 5 + 1, dag.span());
        assertEquals(2, dag.waits());
    }

    @Test
    void pipeline_twoItems_secondIsOneStageBehind() {
        // 64 stages of 3 units, and after one of them a wait and a node of one unit.
        Dag dag = DagKind.PIPELINE.build(new DagShape(128, 3, 50, 1));

        assertEquals(2 * (64 * 3 + 1), dag.work());
        assertEquals(3 + 64 * 3 + 50 + 1, dag.span());
        assertEquals(2, dag.waits());
    }

    @Test
    void server_oneInput_waitsThenHandles() {
        Dag dag = DagKind.SERVER.build(new DagShape(64, 3, 50, 1));

        // The first node, the accepted input, the end of the loop, and a tree of 64 leaves.
        assertEquals(3 + 64 * 3 + 2 * 63, dag.work());
        assertEquals(1 + 50 + 1 + 6 + 3 + 6, dag.span());
    }

    @ParameterizedTest
    @EnumSource
    void build_anyKind_isDeterminedByItsShape(DagKind kind) {
        DagShape shape = new DagShape(1000, 10, 100, 5);
        Dag one = kind.build(shape);
        Dag other = kind.build(shape);

        assertEquals(one.size(), other.size());
        assertEquals(one.work(), other.work());
        assertEquals(one.span(), other.span());
        assertTrue(one.waits() > 0);
    }

    @ParameterizedTest
    @EnumSource
    void build_withoutLatency_hasNoWaits(DagKind kind) {
        assertEquals(0, kind.build(new DagShape(1000, 10, 0, 5)).waits());
    }

    @Test
    void node_ofNoWeight_isRefused() {
        assertThrows(IllegalArgumentException.class, () -> builder.node(0));
    }

    @Test
    void edge_backwards_isRefused() {
        builder.node(1);
        builder.node(1);

        assertThrows(IllegalArgumentException.class, () -> builder.then(1, 0));
        assertThrows(IllegalArgumentException.class, () -> builder.spawn(1, 1));
        assertThrows(IllegalArgumentException.class, () -> builder.spawn(1, 2));
    }

    @Test
    void edge_asSecondLeftChild_isRefused() {
        builder.node(1);
        builder.node(1);
        builder.then(0, 1);

        assertThrows(IllegalStateException.class, () -> builder.await(0, 1, 5));
    }

    @Test
    void await_negativeLatency_isRefused() {
        builder.node(1);
        builder.node(1);

        assertThrows(IllegalArgumentException.class, () -> builder.await(0, 1, -1));
    }

    @Test
    void build_secondRoot_isRefused() {
        builder.node(1);
        builder.node(1);

        assertThrows(IllegalStateException.class, builder::build);
    }

    @Test
    void build_heavyEdgeToAJoin_isRefused() {
        builder.node(1);
        builder.node(1);
        builder.node(1);
        builder.then(0, 1);
        builder.spawn(0, 2);
        builder.await(1, 2, 5);

        assertThrows(IllegalStateException.class, builder::build);
    }

    @Test
    void build_empty_isRefused() {
        assertThrows(IllegalStateException.class, builder::build);
    }
}
