import org.jetbrains.kotlin.gradle.dsl.JvmTarget

plugins {
    java
    alias(libs.plugins.kotlin.jvm)
}

base { archivesName = "latency-hiding-benchmarks" }

kotlin {
    compilerOptions {
        jvmTarget = JvmTarget.JVM_17
        freeCompilerArgs.add("-Xjdk-release=17")
        allWarningsAsErrors = true
    }
}

dependencies {
    implementation(platform(libs.kotlin.bom))
    implementation(platform(libs.kotlinx.coroutines.bom))
    implementation(project(":dispatcher-java"))
    implementation(project(":kotlin-adapter"))
    implementation(project(":io-nio2"))
    implementation(libs.kotlin.stdlib)
    implementation(libs.kotlinx.coroutines.core)
    implementation(libs.picocli)
    implementation(libs.progressbar)
    implementation(libs.jackson.databind)
    implementation(libs.commons.math)
    implementation(libs.hdrhistogram)
    implementation(libs.jmh.core)
    implementation(libs.async.profiler)
    implementation(libs.netty.buffer)
    implementation(libs.netty.transport)
    compileOnly(libs.jspecify)
    // Writes META-INF/BenchmarkList, where JMH finds its benchmarks.
    annotationProcessor(libs.jmh.generator.annprocess)

    testCompileOnly(libs.jspecify)
    testImplementation(platform(libs.junit.bom))
    testImplementation(libs.junit.jupiter)
    testRuntimeOnly(libs.junit.platform.launcher)
    testImplementation(libs.kotlin.compiler.embeddable)
    testImplementation(libs.night.config.toml)
}
