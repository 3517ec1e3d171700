pluginManagement {
    repositories {
        gradlePluginPortal()
        mavenCentral()
    }
}

dependencyResolutionManagement {
    repositoriesMode = RepositoriesMode.FAIL_ON_PROJECT_REPOS
    repositories { mavenCentral() }
}

rootProject.name = "latency-hiding-parent"

include("dispatcher-java", "kotlin-adapter", "io-nio2", "sample-apps", "benchmarks")
