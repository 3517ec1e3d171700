plugins { `java-library` }

base { archivesName = "latency-hiding-dispatcher" }

java {
    withSourcesJar()
    withJavadocJar()
}

dependencies {
    // Annotations only, not needed at run time.
    compileOnly(libs.jspecify)

    testCompileOnly(libs.jspecify)
    testImplementation(platform(libs.junit.bom))
    testImplementation(libs.junit.jupiter)
    testRuntimeOnly(libs.junit.platform.launcher)
    testImplementation(libs.lincheck)
    testImplementation(libs.jcstress.core)
    testImplementation(libs.jol.core)
    // Writes META-INF/TestList, where jcstress finds its tests.
    testAnnotationProcessor(libs.jcstress.core)
}
