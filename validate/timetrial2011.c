#include "validate/timetrial2011.h"

static const double MIB = 1 << 20, GB = 1e9;

/* Section IV.C. */
static const double software_events = 46912, event_bytes = 64, frames = 11728, record_bytes = 11056,
                    run_bytes = 4.2e12;

/* Section III: a histogram of 512 bins, and two stamps of 4 bytes for each of 1e9 elements. */
static const double bins = 512, bin_bytes = 8, raw_events = 2e9, raw_bytes = 4;

/* Section IV.B; reads per seed from Dor. */
static const double line_rate = 875e6, collisions = 0.5, reads_typical = 1.06, reads_most = 1.08;

void timetrial2011_make(struct published *out)
{
    *out = (struct published){.value_count = 0};
    published_add_value(out, "IV.C, software", "events", "MiB", "2.86", software_events * event_bytes / MIB);
    published_add_value(out, "IV.C, software", "a frame", "1", "4", software_events / frames);
    published_add_value(out, "IV.C, board", "records", "MiB", "124", frames * record_bytes / MIB);
    published_add_value(out, "IV.C, board", "records", "MiB", "123.66", frames * record_bytes / MIB);
    published_add_value(out, "IV.C, board", "share", "%", "0.003", 100 * frames * record_bytes / run_bytes);
    published_add_value(out, "III, histogram", "bins", "B", "4096", bins * bin_bytes);
    published_add_value(out, "III, raw events", "bytes", "GB", "8", raw_events * raw_bytes / GB);
    published_add_statement(out, "a frame record is less than a thousandth",
                            record_bytes / (run_bytes / frames) < 1e-3, "%.0f of %.3g B", record_bytes,
                            run_bytes / frames);
    published_add_statement(out, "a histogram is a two-millionth of its raw events",
                            raw_events * raw_bytes / (bins * bin_bytes) > 1.9e6, "%.3g bytes in %.0f",
                            raw_events * raw_bytes, bins * bin_bytes);
    published_add_statement(out, "the run takes 80 minutes at the line rate", run_bytes / line_rate >= 4800,
                            "%.3g TB / %.0f MB/s = %.0f s", run_bytes / 1e12, line_rate / 1e6,
                            run_bytes / line_rate);
    published_add_statement(out, "Dor's M_1b has no read more for half of the seeds",
                            1 + collisions > reads_most, "1.5; %.2f to %.2f", reads_typical, reads_most);
}
