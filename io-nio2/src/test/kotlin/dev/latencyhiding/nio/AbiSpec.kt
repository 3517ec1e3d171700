package dev.latencyhiding.nio

import io.kotest.assertions.withClue
import io.kotest.core.spec.style.StringSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.string.shouldNotContain
import java.io.File
import java.util.ServiceLoader
import org.jetbrains.kotlin.abi.tools.AbiFilters
import org.jetbrains.kotlin.abi.tools.AbiToolsFactory

/**
 * The public binary interface is what the file in `api` says: who changes it by accident learns it
 * here, and who changes it on purpose shows it in the diff.
 */
class AbiSpec :
    StringSpec({
        val classes = File(IoGroup::class.java.protectionDomain.codeSource.location.toURI())

        "the public interface is the one on file" {
            val file = File("api/latency-hiding-nio2.api")
            val dump = dumpOf(classes)
            if (System.getProperty("api.update") == "true") {
                file.parentFile.mkdirs()
                file.writeText(dump)
            }
            withClue("if the change is intended: $UPDATE") {
                dump shouldBe if (file.exists()) file.readText() else "(no file $file)"
            }
        }

        "the dump sees what is public, and not what is internal" {
            val dump = dumpOf(classes)
            dump shouldContain "awaitRead"
            dump shouldNotContain "CallerExecutor"
        }
    })

private const val UPDATE =
    "mvn test -pl io-nio2 -am -Dtest=AbiSpec -Dsurefire.failIfNoSpecifiedTests=false -Dapi.update=true"

private fun dumpOf(classes: File): String {
    val files =
        classes
            .walk()
            .filter { it.extension == "class" && it.name != "module-info.class" }
            .sorted()
            .toList()
    val tools = ServiceLoader.load(AbiToolsFactory::class.java).first().get()
    return buildString { tools.printJvmDump(this, files, AbiFilters.EMPTY) }
}
