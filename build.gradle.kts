// Builds and tests the same modules as pom.xml, with the same dependencies. Formatting, Error Prone
// and NullAway run in the Maven build only, which is the one continuous integration runs.

plugins { alias(libs.plugins.kotlin.jvm) apply false }

subprojects {
    plugins.withType<JavaPlugin> {
        tasks.withType<JavaCompile>().configureEach {
            options.release = 17
            options.encoding = "UTF-8"
            options.compilerArgs.addAll(listOf("-Xlint:all,-processing,-exports", "-Werror"))
        }

        // The same bytes from the same sources.
        tasks.withType<AbstractArchiveTask>().configureEach {
            isPreserveFileTimestamps = false
            isReproducibleFileOrder = true
        }

        tasks.withType<Test>().configureEach {
            useJUnitPlatform()
            // Lincheck and JOL attach to their own JVM and append to its boot class path.
            jvmArgs(
                "-XX:+EnableDynamicAgentLoading",
                "-Djdk.attach.allowAttachSelf=true",
                "-Xshare:off",
            )
            // -Platencyhiding.stress=long: the randomised concurrency tests look much longer.
            systemProperty(
                "latencyhiding.stress",
                providers.gradleProperty("latencyhiding.stress").getOrElse("short"),
            )
        }

        // Each kind in a JVM of its own: Lincheck rewrites loaded classes, the others want quiet.
        val testClasses = extensions.getByType<SourceSetContainer>().named("test")
        for (kind in listOf("Lincheck", "Jcstress", "Stress")) {
            tasks.named<Test>("test") { exclude("**/*${kind}Test.class") }
            val separateTest =
                tasks.register<Test>("${kind.lowercase()}Test") {
                    description = "Runs the tests named *${kind}Test."
                    group = "verification"
                    testClassesDirs = testClasses.get().output.classesDirs
                    classpath = testClasses.get().runtimeClasspath
                    include("**/*${kind}Test.class")
                }
            tasks.named("check") { dependsOn(separateTest) }
        }
    }
}
