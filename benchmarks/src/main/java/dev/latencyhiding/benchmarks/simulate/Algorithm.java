package dev.latencyhiding.benchmarks.simulate;

/** The schedulers that can be simulated. */
enum Algorithm {
    /** Proactive work stealing with suspendable deques (Singer, Xu and Lee; Weidinger). */
    PROWS_R {
        @Override
        Simulation simulation(Dag dag, int workers, long seed) {
            return new ProwsRSimulation(dag, workers, seed);
        }
    },
    /** Latency-hiding work stealing (Muller and Acar). */
    LHWS {
        @Override
        Simulation simulation(Dag dag, int workers, long seed) {
            return new LhwsSimulation(dag, workers, seed);
        }
    },
    /** Classic work stealing (Blumofe and Leiserson; Arora, Blumofe and Plaxton): waiting blocks the worker. */
    CLASSIC {
        @Override
        Simulation simulation(Dag dag, int workers, long seed) {
            return new ClassicSimulation(dag, workers, seed);
        }
    };

    abstract Simulation simulation(Dag dag, int workers, long seed);

    /** Runs a dag to its end on this many workers; the seed decides the victims. */
    final Outcome run(Dag dag, int workers, long seed) {
        return simulation(dag, workers, seed).run();
    }
}
