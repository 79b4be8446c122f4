#include "validate/timetrial2011.h"

#include <math.h>
#include <stddef.h>

static const double MB = 1 << 20, GB = 1e9;

/* Section IV.C. */
static const double software_events = 46912, event_bytes = 64, frames = 11728, record_bytes = 11056,
                    run_bytes = 4.2e12;

/* Section III: a histogram of 512 bins, and two stamps of 4 bytes for each of 1e9 elements. */
static const double bins = 512, bin_bytes = 8, raw_events = 2e9, raw_bytes = 4;

/* Table I: what the FPGA has and what TimeTrial takes of it. */
static const struct {
    const char *quantity, *percent;
    double available, used;
} table_i[] = {{"98304", "5.3", 98304, 5164},
               {"98304", "7.1", 98304, 6980},
               {"240", "0.8", 240, 2},
               {"96", "1.0", 96, 1}};

void timetrial2011_make(struct published *out)
{
    *out = (struct published){.value_count = 0};
    published_add_value(out, "III, histogram", "bins", "B", "4096", bins * bin_bytes);
    published_add_value(out, "III, raw events", "bytes", "GB", "8", raw_events * raw_bytes / GB);
    published_add_value(out, "IV.C, software", "events", "MB", "2.86", software_events * event_bytes / MB);
    published_add_value(out, "IV.C, board", "records", "MB", "124", frames * record_bytes / MB);
    published_add_value(out, "IV.C, board", "share", "%", "0.003", 100 * frames * record_bytes / run_bytes);
    for (size_t i = 0; i < sizeof table_i / sizeof table_i[0]; i++)
        published_add_value(out, "Table I, used of", table_i[i].quantity, "%", table_i[i].percent,
                            100 * table_i[i].used / table_i[i].available);
    published_add_statement(out, "an MB is 2^20 bytes",
                            fabs(software_events * event_bytes / 1e6 - 2.86) > 0.005,
                            "with 10^6 these would be %.2f and %.0f MB", software_events * event_bytes / 1e6,
                            frames * record_bytes / 1e6);
}
