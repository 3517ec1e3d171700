package dev.latencyhiding.benchmarks.figures;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

final class RoundTripsTest {
    private final RoundTrips roundTrips = new RoundTrips();

    @Test
    void countUnanswered_clientsThatStarve_countOnce_othersNot() {
        RoundTrips.Client answered = roundTrips.new Client();
        roundTrips.new Client();
        answered.sends();
        answered.hasAnswer();
        assertEquals(1, roundTrips.answeredClients());
        assertEquals(1, roundTrips.times().getTotalCount());

        roundTrips.countUnanswered();

        assertEquals(2, roundTrips.times().getTotalCount());
        assertEquals(1, roundTrips.sum());
    }
}
