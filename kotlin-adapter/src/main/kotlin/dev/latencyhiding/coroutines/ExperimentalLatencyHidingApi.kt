package dev.latencyhiding.coroutines

/**
 * Marks what may still change in any release, or go. To use it nevertheless opt in, by
 * `@OptIn(ExperimentalLatencyHidingApi::class)` or the compiler's `-opt-in`.
 */
@MustBeDocumented
@Retention(AnnotationRetention.BINARY)
@Target(
    AnnotationTarget.CLASS,
    AnnotationTarget.FUNCTION,
    AnnotationTarget.PROPERTY,
    AnnotationTarget.TYPEALIAS,
)
@RequiresOptIn(
    message = "This part of Latency Hiding is experimental: it may change or go in any release.",
    level = RequiresOptIn.Level.WARNING,
)
public annotation class ExperimentalLatencyHidingApi
