/* token_record.h - a token record: the tokens of a run in a file, and passes that take their tokens from it.
 *
 * Models    what stages 1a to 3 of every pass did, without when they did it. With other clocks, latencies, queues,
 *           buses and hosts a pass does the same, so it can be timed again without its stages (stage_source.h). The
 *           record also has what a run writes beside times: names of the inputs and of their sequences, and the
 *           alignments.
 * Format    numbers are little-endian; `text` is a u64 length and bytes.
 *
 *     "MERCTOKN" u64 version                                          16 bytes
 *     section:  u32 kind, u32 number, u64 bytes | bytes ... | u64 XXH3 of bytes and head
 *
 *     kind 1    facts: text program, f64 E-value, u64 database words, text platform path, text platform,
 *               u64 parameters, each text name, text value; query and database, each: text path, u64 digest, bases,
 *               ambiguous, positions, sequences, and per sequence text name, text title, u64 begin, bases; u64 passes,
 *               and per pass u64 strand, begin, length; u64 DUST (0: no), its level, window, linker, u64 whether
 *               lower case was masked, u64 masked bases; f64 least identity and coverage, u64 most subjects and
 *               alignments (struct alignment_limits)
 *     kind 2    pass `number`, in order: a stream (token_codec.h), then u64 table bytes, operations of building
 *              them, words of the database that it streamed, alignments that it found, 14 u64 struct pass_counts
 *     kind 4    cells of every piece that was joined, u64 each (stitch.h)
 *     kind 3    finished alignments, 112 bytes each: 11 u64 from query_begin to database_record (alignment.h),
 *               i32 score, strand, f64 bits, E-value; the file ends here
 *
 *           There is only one version. Its number must grow when the layout changes, or what the stages compute.
 * Growing   processes that are forked while the file is written can read it meanwhile (token_record_follow()): a pass
 *           is there as soon as it has been appended.
 * Writing   the run's process owns the file (output.h) and appends pass after pass. The process of each pass writes
 *           to an unnamed file on the same disk, so passes may end in any order and memory holds one chunk per pass.
 *           If the record itself is an open file (/proc/self/fd/N), the unnamed files are in TMPDIR.
 * Reading   the file is mapped, and every checksum is tested when it is opened: a file that was cut short or changed
 *           is noticed before anything is simulated. So are values that contradict each other
 *           (token_record_format.h); the tokens of a pass are compared with its counts while they are read.
 * Files     token_record_write.c, token_record_read.c; token_record_format.h has the layout.
 * Errors    a negative TOKEN_RECORD_E* code and one line.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/why.h"
#include "blast/sequence/dust.h"
#include "blast/sequence/segment.h"
#include "blast/sequence/sequence.h"
#include "blast/stage3/alignment.h"
#include "blast/stage3/stitch.h"
#include "blast/stages12/pass.h"
#include "sim/board/hardware.h"
#include "sim/tokens/stage_source.h"
#include "sim/tokens/token_codec.h"

#define TOKEN_RECORD_MAGIC "MERCTOKN" /* begins every record, without the terminating zero */

enum token_record_error {
    TOKEN_RECORD_EFILE = -2,    /* the file cannot be opened, read or written */
    TOKEN_RECORD_EFORMAT = -3,  /* the file is no token record, or of another version */
    TOKEN_RECORD_EDAMAGED = -4, /* the file was cut short or changed */
};

/** What was masked of the query. */
struct token_record_masking {
    bool dust, lower_case;
    struct dust_rule rule; /* of `dust`; all zero without it */
    uint64_t bases;        /* number of masked bases */
};

/** Everything about a run that is needed beside tokens and results. */
struct token_record_facts {
    double e_value;
    const char *platform_path; /* as the user named it */
    const char *platform;      /* text of the file */
    size_t platform_bytes;
    struct hardware hardware; /* all parameters, without what hardware_check() derives */
    const char *query_path, *database_path;
    const struct sequences *query,
        *database; /* after reading they have no words; word_count of the database is set */
    const struct query_segment *segments;
    size_t pass_count;
    struct token_record_masking masking;
    struct alignment_limits limits;
};

/* --- writing: in the run's process --- */

struct token_record_writer;

/** Start a file, which has its name only after token_record_commit().
 *
 * @param out  the writer, to be given to token_record_commit() or token_record_discard()
 */
int token_record_create(const char *path, struct token_record_writer **out, struct why *why);

/** Write the facts, before the passes. */
int token_record_write_facts(struct token_record_writer *writer, const struct token_record_facts *facts,
                             struct why *why);

/** Create an unnamed file that the process of a pass writes to, and that the caller closes.
 *  @return its descriptor, or an error code */
int token_record_spool(const struct token_record_writer *writer, struct why *why);

/** Append the next pass from the unnamed file. */
int token_record_append(struct token_record_writer *writer, int spool, struct why *why);

/** Finish the file: it is whole and has its name, or it does not exist. Frees the writer. */
int token_record_commit(struct token_record_writer *writer, const struct alignment_list *alignments,
                        const struct stitch_work *join, struct why *why);

/** Delete the unfinished file and free the writer, which may be NULL. */
void token_record_discard(struct token_record_writer *writer);

/* --- writing: in a pass's process --- */

/** A stage source that does what another stage source does, and records it. */
struct token_recorder {
    struct stage_source stages;
    struct token_encoder encoder;
    struct byte_buffer chunk;
    struct pass_counts counts;
    int spool;
    bool failed; /* the disk is full */
};

/** @return the source for system_run(); `recorder` must stay where it is */
struct stage_source token_recorder_begin(struct token_recorder *recorder, const struct stage_source *stages,
                                         int spool);

/** Write the rest and free the recorder. @return false if the disk is full */
bool token_recorder_end(struct token_recorder *recorder);

/* --- reading --- */

struct token_record;

int token_record_open(const char *path, struct token_record **out, struct why *why);
void token_record_close(struct token_record *record);

/** What a record says of its run beside the tokens of the passes; it belongs to the record. */
struct recorded_run {
    struct token_record_facts facts;
    struct alignment_list alignments; /* finished */
    struct stitch_work join;          /* the work of joining alignments at the end */
};

const struct recorded_run *token_record_run(const struct token_record *record);

/** The strands of the query that a run compared: all segments of one stand before those of the other. */
enum strand_choice token_record_strands(const struct token_record_facts *facts);

/** Open a record whose facts have been written and whose passes follow, for processes that are forked from now on. It
 * has nothing but its facts and its passes, each after token_record_await(); close it when the writer is gone.
 *
 * @param facts  those that have been written; borrowed
 * @return 0; TOKEN_RECORD_EFILE if what is written cannot be read meanwhile, because it is a pipe
 */
int token_record_follow(struct token_record_writer *writer, const struct token_record_facts *facts,
                        struct token_record **out, struct why *why);

/** Wait until a pass can be read; in a record that is whole, each can. @return false if it cannot */
bool token_record_await(const struct token_record *record, size_t pass);

/** A process that reads a growing record begins to work, or ends. */
void token_record_count_reader(const struct token_record *record, bool begins);

/** Number of processes that read what is written, and do not wait for it. */
unsigned token_record_busy_readers(const struct token_record_writer *writer);

/** Bytes that the tables of a recorded pass take on the bus. */
uint64_t token_record_table_bytes(const struct token_record *record, size_t pass);

/** Operations of building them. */
uint64_t token_record_build_operations(const struct token_record *record, size_t pass);

/** A pass that is read back. Its HSPs have no positions (token_codec.h), and the pass_counts of the whole pass are
 * added with its last word. */
struct token_reader {
    struct token_decoder decoder;
    struct pass_counts recorded;
    uint64_t query_positions;
    uint64_t words_left;
    size_t alignments; /* number of those that the pass found */
};

/** @return the source for system_run(); `reader` must stay where it is, and the record open */
struct stage_source token_reader_begin(struct token_reader *reader, const struct token_record *record,
                                       size_t pass);

/** Whether everything was read and agrees with the pass's counts. */
bool token_reader_is_whole(struct token_reader *reader);

/** Free the reader's memory, whether all was read or not. */
void token_reader_destroy(struct token_reader *reader);
