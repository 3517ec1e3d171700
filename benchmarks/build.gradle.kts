plugins { java }

base { archivesName = "latency-hiding-benchmarks" }

dependencies {
    implementation(project(":dispatcher-java"))
    implementation(project(":kotlin-adapter"))
    implementation(project(":io-nio2"))
    compileOnly(libs.jspecify)

    testCompileOnly(libs.jspecify)
    testImplementation(platform(libs.junit.bom))
    testImplementation(libs.junit.jupiter)
    testRuntimeOnly(libs.junit.platform.launcher)
    testImplementation(libs.kotlin.compiler.embeddable)
    testImplementation(libs.night.config.toml)
}
