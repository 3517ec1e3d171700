package dev.latencyhiding.samples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/** The service adds up what its backends know, and goes on without those that are too slow. */
final class FanOutTest {
    @Test
    void run_patient_hasAllAnswers() {
        final List<FanOut.Reply> replies = FanOut.run(50, 3, 5, 60_000);

        assertEquals(50, replies.size());
        for (int i = 0; i < replies.size(); i++) {
            final int length = ("article " + i).length();
            assertEquals(3 * length + " from 3 of 3", replies.get(i).getText());
        }
    }

    @Test
    void run_impatient_leavesSlowBackendsOut() {
        final List<FanOut.Reply> replies = FanOut.run(10, 2, 1_000, 1);

        for (final FanOut.Reply reply : replies) {
            assertEquals("0 from 0 of 2", reply.getText());
        }
        assertTrue(FanOut.report(replies).contains("10 with answers from 0 of 2 backends"), FanOut.report(replies));
    }

    @Test
    void main_badArguments_areRefused() {
        assertThrows(IllegalArgumentException.class, () -> FanOut.main(new String[] {"--requests", "0"}));
        assertThrows(IllegalArgumentException.class, () -> FanOut.main(new String[] {"--patience"}));
    }
}
