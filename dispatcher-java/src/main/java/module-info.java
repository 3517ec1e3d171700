/**
 * The latency-hiding work-stealing scheduler for Java.
 */
module dev.latencyhiding {
    requires static org.jspecify;

    exports dev.latencyhiding;
}
