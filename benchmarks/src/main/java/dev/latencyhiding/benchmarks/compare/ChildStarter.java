package dev.latencyhiding.benchmarks.compare;

import dev.latencyhiding.benchmarks.peers.PeerSpec;
import dev.latencyhiding.benchmarks.peers.Peers;
import dev.latencyhiding.benchmarks.workloads.Scale;
import dev.latencyhiding.benchmarks.workloads.Workload;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Starts JVMs in which dispatchers are measured.
 *
 * @param scale how large the programs are
 * @param parallelism the number of workers
 * @param limit how long a single run may take
 * @param extra the classes of dispatchers that are not known by name
 * @param classPath where to find these
 * @param jvmOptions further options
 * @param profiling whether cases may be profiled
 * @param flame where to write flame graphs; workload and dispatcher are put into the name
 */
record ChildStarter(
        Scale scale,
        int parallelism,
        Duration limit,
        Map<String, String> extra,
        List<Path> classPath,
        List<String> jvmOptions,
        boolean profiling,
        @Nullable Path flame) {
    /** Starts a JVM for a workload, and for those that share it. */
    Child start(Workload workload, PeerSpec peer) {
        ChildSpec child = new ChildSpec(
                scale,
                peer.name(),
                extra.get(peer.name()),
                parallelism,
                limit,
                flame == null ? null : flameOf(flame, workload, peer));
        List<String> options = new ArrayList<>(Peers.jvmOptions(parallelism));
        options.addAll(List.of("-Xms512m", "-Xmx3g"));
        if (profiling || flame != null) {
            options.addAll(Sampling.jvmOptions());
        }
        options.addAll(jvmOptions);
        return Child.start(child, options, classPath);
    }

    private static Path flameOf(Path flame, Workload workload, PeerSpec peer) {
        String name = flame.getFileName().toString();
        int dot = name.lastIndexOf('.');
        String stem = dot < 0 ? name : name.substring(0, dot);
        return flame.toAbsolutePath().resolveSibling(stem + "-" + workload.name() + "-" + peer.name() + ".html");
    }
}
