import org.jetbrains.kotlin.gradle.dsl.JvmTarget

plugins {
    `java-library`
    alias(libs.plugins.kotlin.jvm)
}

base { archivesName = "latency-hiding-kotlin" }

java { withSourcesJar() }

kotlin {
    explicitApi()
    compilerOptions {
        jvmTarget = JvmTarget.JVM_17
        freeCompilerArgs.add("-Xjdk-release=17")
        allWarningsAsErrors = true
    }
}

tasks.jar { manifest { attributes("Automatic-Module-Name" to "dev.latencyhiding.coroutines") } }

dependencies {
    api(platform(libs.kotlin.bom))
    api(platform(libs.kotlinx.coroutines.bom))
    api(project(":dispatcher-java"))
    api(libs.kotlin.stdlib)
    api(libs.kotlinx.coroutines.core)
    compileOnly(libs.jspecify)

    testCompileOnly(libs.jspecify)
    testImplementation(platform(libs.junit.bom))
    testImplementation(libs.junit.jupiter)
    testRuntimeOnly(libs.junit.platform.launcher)
    testImplementation(libs.kotest.runner.junit5)
    testImplementation(libs.kotest.assertions.core)
    testImplementation(libs.kotest.property)
    testImplementation(libs.kotlinx.coroutines.debug)
    testImplementation(libs.kotlinx.coroutines.slf4j)
    testImplementation(libs.kotlinx.coroutines.test)
    testImplementation(libs.logback.classic)
    testImplementation(libs.kotlin.abi.tools)
}

// For OlderCoroutinesSpec.
val olderCoroutines by
    tasks.registering(Copy::class) {
        for (version in listOf("1.7.3", "1.8.0")) {
            val core = "org.jetbrains.kotlinx:kotlinx-coroutines-core-jvm:$version@jar"
            from(configurations.detachedConfiguration(dependencyFactory.create(core)))
        }
        into(layout.buildDirectory.dir("older-coroutines"))
    }

tasks.test {
    dependsOn(olderCoroutines)
    systemProperty(
        "latencyhiding.test.older.coroutines",
        layout.buildDirectory.dir("older-coroutines").get().asFile.path,
    )
}
