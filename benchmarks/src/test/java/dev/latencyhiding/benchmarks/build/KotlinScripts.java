package dev.latencyhiding.benchmarks.build;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jetbrains.kotlin.cli.CompilerConfigurationCreationKt;
import org.jetbrains.kotlin.cli.common.messages.MessageCollector;
import org.jetbrains.kotlin.cli.jvm.compiler.EnvironmentConfigFiles;
import org.jetbrains.kotlin.cli.jvm.compiler.KotlinCoreEnvironment;
import org.jetbrains.kotlin.com.intellij.openapi.Disposable;
import org.jetbrains.kotlin.com.intellij.openapi.util.Disposer;
import org.jetbrains.kotlin.com.intellij.psi.PsiErrorElement;
import org.jetbrains.kotlin.com.intellij.psi.util.PsiTreeUtil;
import org.jetbrains.kotlin.config.CommonConfigurationKeys;
import org.jetbrains.kotlin.config.CompilerConfiguration;
import org.jetbrains.kotlin.psi.KtCallExpression;
import org.jetbrains.kotlin.psi.KtExpression;
import org.jetbrains.kotlin.psi.KtFile;
import org.jetbrains.kotlin.psi.KtLambdaArgument;
import org.jetbrains.kotlin.psi.KtPsiFactory;

/** Parses Gradle scripts with the Kotlin compiler's own parser. */
final class KotlinScripts implements AutoCloseable {
    private final Disposable lifetime = Disposer.newDisposable();
    private final KtPsiFactory factory;

    KotlinScripts() {
        CompilerConfiguration configuration = CompilerConfigurationCreationKt.create(CompilerConfiguration.Companion);
        configuration.put(CommonConfigurationKeys.MESSAGE_COLLECTOR_KEY, MessageCollector.Companion.getNONE());
        configuration.put(CommonConfigurationKeys.MODULE_NAME, "scripts");
        KotlinCoreEnvironment environment = KotlinCoreEnvironment.createForProduction(
                lifetime, configuration, EnvironmentConfigFiles.JVM_CONFIG_FILES);
        factory = new KtPsiFactory(environment.getProject(), false);
    }

    KtFile parse(Path script) {
        try {
            return factory.createFile(script.getFileName().toString(), Files.readString(script));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What the parser objects to, as {@code line: message}. */
    static List<String> syntaxErrors(KtFile file) {
        return PsiTreeUtil.findChildrenOfType(file, PsiErrorElement.class).stream()
                .map(error -> lineOf(file, error.getTextOffset()) + ": " + error.getErrorDescription())
                .toList();
    }

    /** All calls of the function {@code name}, wherever they are in the script. */
    static List<KtCallExpression> calls(KtFile file, String name) {
        return PsiTreeUtil.findChildrenOfType(file, KtCallExpression.class).stream()
                .filter(call -> nameOf(call).equals(name))
                .toList();
    }

    static String nameOf(KtCallExpression call) {
        KtExpression callee = call.getCalleeExpression();
        return callee == null ? "" : callee.getText();
    }

    /** The statements between the braces of {@code name { … }}. */
    static List<KtExpression> statements(KtCallExpression call) {
        return call.getLambdaArguments().stream()
                .map(KtLambdaArgument::getLambdaExpression)
                .flatMap(lambda -> lambda.getBodyExpression().getStatements().stream())
                .toList();
    }

    private static long lineOf(KtFile file, int offset) {
        return file.getText().substring(0, offset).lines().count();
    }

    @Override
    public void close() {
        Disposer.dispose(lifetime);
    }
}
