plugins { application }

base { archivesName = "latency-hiding-samples" }

application { mainClass = "dev.latencyhiding.samples.Demo" }

dependencies {
    implementation(project(":dispatcher-java"))
    implementation(project(":kotlin-adapter"))
    implementation(project(":io-nio2"))
    compileOnly(libs.jspecify)

    testCompileOnly(libs.jspecify)
    testImplementation(platform(libs.junit.bom))
    testImplementation(libs.junit.jupiter)
    testRuntimeOnly(libs.junit.platform.launcher)
}
