package dev.latencyhiding;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.IntSupplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Every victim and every deque is chosen with the same probability: the bounds of the algorithm rest
 * on it. Chi-square tests at p = 0.001 with fixed seeds, so that the outcome is always the same. To see
 * them fail, drop the last slot in StealableSet.chooseRandom ({@code nextInt(size - 1)} with size
 * above 1), or leave {@code home} out in Worker.chooseRandom.
 */
class UniformityTest {
    private static final int DRAWS_PER_CELL = 2_000;

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 7, 64, 100, 1000})
    void nextInt_anyBound_isUniform(int bound) {
        final XorShift random = new XorShift(42);

        assertUniform(bound, () -> random.nextInt(bound));
    }

    @Test
    void nextInt_firstOfSuccessiveSeeds_isUniform() {
        final int[] seed = {0};

        assertUniform(64, () -> new XorShift(seed[0]++).nextInt(64));
    }

    @Test
    void nextInt_twoInARow_areIndependent() {
        final XorShift random = new XorShift(7);

        assertUniform(64, () -> random.nextInt(8) * 8 + random.nextInt(8));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 7, 64})
    void stealableSet_onlyAdded_choosesUniformly(int size) {
        final StealableSet set = new StealableSet(0);
        final List<ProwsDeque> deques = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            add(set, deques);
        }

        assertUniform(size, choice(set, deques));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 7, 64})
    void stealableSet_afterManyChanges_choosesUniformly(int size) {
        final StealableSet set = new StealableSet(0);
        final List<ProwsDeque> deques = new ArrayList<>();
        final Random random = new Random(size);
        for (int change = 0; change < 5_000; change++) {
            if (deques.isEmpty() || random.nextInt(200) >= deques.size()) {
                add(set, deques);
            } else {
                StealableSet.remove(deques.remove(random.nextInt(deques.size())));
            }
        }
        while (deques.size() != size) {
            if (deques.size() < size) {
                add(set, deques);
            } else {
                StealableSet.remove(deques.remove(random.nextInt(deques.size())));
            }
        }

        assertUniform(size, choice(set, deques));
    }

    @Test
    void stealableSet_empty_choosesNothing() {
        assertNull(new StealableSet(0).chooseRandom(new XorShift(1)));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4, 16})
    void victims_oneselfIncluded_areUniform(int count) {
        final List<Worker> workers = workers(count);
        final Worker thief = workers.get(count - 1);

        assertUniform(count, () -> workers.indexOf(thief.core.workers.random(thief.random)));
    }

    @ParameterizedTest
    @CsvSource({
        "true, true, 5",
        "true, true, 0",
        "true, false, 5",
        "false, true, 5",
        "true, false, 0",
        "false, true, 0",
        "false, false, 5"
    })
    void dequesOfAWorker_ownedAndListed_areUniform(boolean active, boolean home, int listed) {
        final Worker worker = workers(1).get(0);
        final List<ProwsDeque> deques = give(worker, active, home, listed);

        assertUniform(deques.size(), choice(worker, deques, new XorShift(3)));
    }

    @Test
    void dequesOfAWorker_none_choosesNothing() {
        assertNull(workers(1).get(0).chooseRandom(new XorShift(1)));
    }

    @Test
    void victimThenDeque_fromOneGenerator_areUniform() {
        final List<Worker> workers = workers(4);
        final List<ProwsDeque> all = new ArrayList<>();
        for (Worker worker : workers) {
            all.addAll(give(worker, true, true, 5));
        }
        final XorShift random = workers.get(0).random;
        final Map<ProwsDeque, Integer> indices = indices(all);

        assertUniform(
                all.size(),
                () -> indices.get(workers.get(0).core.workers.random(random).chooseRandom(random)));
    }

    @Test
    void chiSquare_skewedBySixPercent_exceedsTheCriticalValue() {
        final int[] counts = IntStream.generate(() -> DRAWS_PER_CELL).limit(8).toArray();
        final int skew = DRAWS_PER_CELL * 6 / 100;
        for (int i = 0; i < counts.length; i++) {
            counts[i] += i % 2 == 0 ? skew : -skew;
        }

        assertTrue(chiSquare(counts) > criticalValue(7), () -> chiSquare(counts) + " of " + criticalValue(7));
    }

    @ParameterizedTest
    @CsvSource({"3, 16.266", "7, 24.322", "63, 103.442", "100, 149.449"})
    void criticalValue_ofTheTables_isMet(int degrees, double tabled) {
        assertEquals(tabled, criticalValue(degrees), tabled / 50);
    }

    private static void add(StealableSet set, List<ProwsDeque> deques) {
        final ProwsDeque deque = new ProwsDeque();
        assertTrue(set.add(deque));
        deques.add(deque);
    }

    private static IntSupplier choice(StealableSet set, List<ProwsDeque> deques) {
        assertEquals(deques.size(), set.size());
        final Map<ProwsDeque, Integer> indices = indices(deques);
        final XorShift random = new XorShift(1);
        return () -> indices.get(set.chooseRandom(random));
    }

    private static IntSupplier choice(Worker worker, List<ProwsDeque> deques, XorShift random) {
        final Map<ProwsDeque, Integer> indices = indices(deques);
        return () -> indices.get(worker.chooseRandom(random));
    }

    private static Map<ProwsDeque, Integer> indices(List<ProwsDeque> deques) {
        final Map<ProwsDeque, Integer> indices = new HashMap<>();
        deques.forEach(deque -> indices.put(deque, indices.size()));
        return indices;
    }

    /** Workers of a scheduler that was never started. */
    private static List<Worker> workers(int count) {
        final SchedulerCore core = new SchedulerCore(
                new SchedulerConfig("unstarted", count, Policy.PROWS_R, 0, true, null, 0, Gate.OfThread::new));
        for (int id = 1; id <= count; id++) {
            core.workers.add(new ProwsWorker(core, id, 1000 + id, new Gate.OfThread(), false));
        }
        return List.of(core.workers.all());
    }

    private static List<ProwsDeque> give(Worker worker, boolean active, boolean home, int listed) {
        final List<ProwsDeque> deques = new ArrayList<>();
        for (int i = 0; i < listed; i++) {
            add(worker.set, deques);
        }
        if (active) {
            worker.setActive(new ProwsDeque());
            deques.add(worker.active());
        }
        if (home) {
            worker.setHome(new ProwsDeque());
            deques.add(worker.home());
        }
        return deques;
    }

    private static void assertUniform(int cells, IntSupplier draw) {
        final int[] counts = new int[cells];
        for (int i = 0; i < cells * DRAWS_PER_CELL; i++) {
            counts[draw.getAsInt()]++;
        }
        final double statistic = chiSquare(counts);
        final double critical = cells == 1 ? 0 : criticalValue(cells - 1);
        assertTrue(statistic <= critical, () -> "chi-square " + statistic + " is above " + critical);
    }

    /** The sum of (observed - expected)² / expected, where all cells are expected to have the same. */
    private static double chiSquare(int[] counts) {
        final double expected = (double) IntStream.of(counts).sum() / counts.length;
        return IntStream.of(counts)
                .mapToDouble(count -> (count - expected) * (count - expected) / expected)
                .sum();
    }

    /** Exceeded with probability 0.001: Wilson and Hilferty's approximation, within 2 per cent. */
    private static double criticalValue(int degrees) {
        final double z = 3.0902; // the normal distribution exceeds it with probability 0.001
        final double spread = 2.0 / (9.0 * degrees);
        return degrees * Math.pow(1 - spread + z * Math.sqrt(spread), 3);
    }
}
