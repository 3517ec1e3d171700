/** The programs that are measured. Each runs unchanged on every dispatcher and checks its own result. */
@NullMarked
package dev.latencyhiding.benchmarks.workloads;

import org.jspecify.annotations.NullMarked;
