/* cmd_explore.c - the local web server of mercury explore.
 *
 * Why MHD   GNU libmicrohttpd parses HTTP, bounds what it keeps of a request and leaves the loop to us, in one
 *           thread, so that processes can be forked. Every Debian has it, with security support. libsoup would bring
 *           GLib and its loop, and libevent's server does not bound headers unless it is told to.
 * Reader    only 127.0.0.1 is listened on. The link that is printed has a token that works once: it gives the reader's
 *           browser a cookie, and without it nothing is answered. Host and Origin must be this server's, so that no
 *           other page can ask. The files of data/explore/ are read at the start, by a fixed list of names.
 * Bounds    CLIENTS_MOST connections; a request's head has at most 16 KiB and its body 16 KiB; who is silent for 10 s,
 *           or takes longer than 30 s for a request, is cut off. Answers come from explore_jobs.h.
 * Tokens    a page that has others made than the run's (explore_machine.h) hears how far they are over a connection
 *           that stays open as long as it wants them: they end with it. A page has one such stream, and TOKENS_MOST
 *           pages.
 * Errors    an enum command_status and one line.
 */
#include "app/commands.h"

#include <arpa/inet.h>
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>

#include <jansson.h>
#include <microhttpd.h>

#include "base/file/file_io.h"
#include "base/json_number.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/progress.h"
#include "base/draw/svg.h"
#include "base/file/whole_file.h"
#include "base/process/module.h"
#include "base/why.h"
#include "sim/board/machine_part.h"
#include "app/explore/explore_answer.h"
#include "app/explore/explore_jobs.h"
#include "app/explore/explore_token.h"
#include "app/explore/explore_machine.h"
#include "app/explore/http_library.h"
#include "app/run/run_options.h"
#include "app/rank/rank_link.h"
#include "app/options.inc"

/* NULL until the module is loaded. */
static const struct http_library *http;

/* --- the page's files ------------------------------------------------------------------------------------ */

enum { FILE_BYTES_MOST = 1 << 20 };

/* The rows of data/words/explorer.tsv. */
#include "app/explorer.inc"

#define ROW(none, ...)                                                                                       \
    {                                                                                                        \
        __VA_ARGS__                                                                                          \
    }

/* What is served; nothing of a URL ever becomes a path. Only the report's colours are in no file. */
static struct served_file {
    const char *path, *name, *type; /* path of the URL; name in data/explore, or NULL; media type */
    char *text;
    size_t bytes;
} served[] = {SERVED_ROWS(ROW)};

enum { SERVED = sizeof served / sizeof served[0] };

static int open_file(struct served_file *file, struct why *why)
{
    char path[PATH_MAX];
    if (!file->name) {
        FILE *out = memory_stream(&file->text, &file->bytes);
        svg_write_variables(out);
        memory_stream_end(out);
        return 0;
    }
    if (!run_options_find_data(path, "explore/%s", file->name))
        return why_say(why, COMMAND_FAILED,
                       "data/explore/%s is not where the program was installed; install Mercury again",
                       file->name);
    return command_status_of(whole_file_read(path, FILE_BYTES_MOST, &file->text, &file->bytes, why));
}

/* --- streams --------------------------------------------------------------------------------------------- */

enum { STREAM_BYTES = 16384 };

/* A response whose lines come one after the other, each an object of JSON. Its connection is suspended while there is
 * nothing to send; its socket is watched meanwhile, since a suspended connection does not notice that its client goes.
 */
struct explore_stream {
    struct MHD_Connection *connection;
    char text[STREAM_BYTES]; /* to be sent */
    size_t bytes, sent;
    bool waits; /* for something to send */
    bool over;
};

enum { BLOCK_BYTES = 1024 };

/* An MHD_ContentReaderCallback. */
static ssize_t read_stream(void *data, uint64_t position, char *to, size_t most)
{
    struct explore_stream *s = data;
    (void)position;
    size_t left = s->bytes - s->sent, bytes = left < most ? left : most;
    if (bytes > 0) {
        memcpy(to, s->text + s->sent, bytes);
        s->sent += bytes;
        return (ssize_t)bytes;
    }
    s->bytes = s->sent = 0;
    if (s->over)
        return MHD_CONTENT_READER_END_OF_STREAM;
    s->waits = true;
    http->suspend_connection(s->connection);
    return 0;
}

static void wake(struct explore_stream *s)
{
    if (s->waits)
        http->resume_connection(s->connection);
    s->waits = false;
}

/* Send a line, unless it has no room beside what waits to be sent. @param line  is released */
static void say_line(struct explore_stream *s, json_t *line)
{
    size_t room = STREAM_BYTES - s->bytes;
    size_t bytes = line ? json_dumpb(line, s->text + s->bytes, room, JSON_COMPACT) : room;
    json_decref(line);
    if (bytes >= room)
        return;
    s->text[s->bytes + bytes] = '\n';
    s->bytes += bytes + 1;
    wake(s);
}

/* A request has REQUEST_S to come; while there are as many clients as there may be, CROWDED_S. */
enum { CLIENTS_MOST = 200, BODY_MOST = 16384, SILENCE_S = 10, REQUEST_S = 30, CROWDED_S = 2 };

/* Passes of a sample at least. */
enum { SAMPLE_LEAST = 4 };

/* Between two lines that tell how far a page's tokens are. */
static const double PROGRESS_S = 0.1;

/* A connection, from its acceptance on; requests of one connection come after each other. */
struct client {
    int socket;
    double since_s; /* when its present request could begin */
    bool waits;     /* for a job: it is suspended */
    struct client *next;
};

struct server {
    const struct explored_run *run;
    unsigned port; /* that is asked for */
    struct explore_token token;
    struct jobs jobs;
    struct MHD_Daemon *daemon;
    struct client *clients;
    int signals; /* file descriptor */
    double end_s;
    double pass_s; /* time of this computer for a pass; 0 if unknown */
    double made_s; /* time of this computer for a pass of the tokens that were made last; 0: none were */
};

/* What a job answers. */
enum lane { LANE_TIME, LANE_NUMBERS, LANE_FIFOS, LANE_TOKENS, LANE_ESTIMATE, LANES };

static const struct {
    const char *path;
    double sample_s; /* of this computer for the passes of one machine, if not all of them have to be timed */
} questions[LANES] = {{"/api/time", 0.12},
                      {"/api/numbers", 0.3},
                      {"/api/fifos", 0.3},
                      {"/api/tokens", 0},
                      {"/api/estimate", 0}};

/* One request, until its response is sent. */
struct exchange {
    struct job job; /* its answer is text of JSON */
    struct server *server;
    struct client *client;
    struct MHD_Connection *connection;
    char body[BODY_MOST + 1];
    size_t bytes;
    struct hardware machine;
    struct explore_tokens *tokens; /* of the machine; NULL: the run's own */
    size_t every;                  /* number of passes of which one is timed; 0: all are */
    json_t *question;              /* its body */
    bool asked;                    /* a job was asked for */
    /* Only a page that has tokens made has these: */
    struct explore_stream stream;
    double told_s; /* when it was told the last time how far they are */
};

/* The exchange of a job. */
static struct exchange *exchange_of(struct job *job)
{
    return (struct exchange *)(void *)job;
}

static const struct explored_run *run_of(const struct exchange *x)
{
    return x->tokens ? &x->tokens->run : x->server->run;
}

/* --- responses ------------------------------------------------------------------------------------------- */

static const char *const headers[][2] = {HEADER_ROWS(ROW)};

/* Queue a response, which is destroyed here. */
static enum MHD_Result respond(struct MHD_Connection *connection, unsigned status,
                               struct MHD_Response *response, const char *type)
{
    if (!response)
        return MHD_NO;
    for (unsigned i = 0; i < sizeof headers / sizeof headers[0]; i++)
        http->add_response_header(response, headers[i][0], headers[i][1]);
    http->add_response_header(response, "Content-Type", type);
    enum MHD_Result result = http->queue_response(connection, status, response);
    http->destroy_response(response);
    return result;
}

static enum MHD_Result say(struct MHD_Connection *connection, unsigned status, const char *line)
{
    return respond(connection, status,
                   http->create_response_from_buffer(strlen(line), (void *)line, MHD_RESPMEM_PERSISTENT),
                   "text/plain; charset=utf-8");
}

/* A value that is refused is an answer, too: a browser's log would call another status an error.
 * @param text  is freed */
static enum MHD_Result send_text(struct MHD_Connection *connection, unsigned status, const char *type,
                                 char *text, size_t bytes)
{
    status = status == MHD_HTTP_UNPROCESSABLE_CONTENT ? MHD_HTTP_OK : status;
    struct MHD_Response *response =
        text ? http->create_response_from_buffer(bytes, text, MHD_RESPMEM_MUST_FREE) : NULL;
    if (!response)
        free(text);
    return respond(connection, status, response, type);
}

/* @param object  is released */
static enum MHD_Result send_json(struct MHD_Connection *connection, unsigned status, json_t *object)
{
    char *text = object ? json_dumps(object, JSON_COMPACT | JSON_REAL_PRECISION(12)) : NULL;
    json_decref(object);
    return send_text(connection, status, "application/json", text, text ? strlen(text) : 0);
}

static enum MHD_Result send_fault(struct MHD_Connection *connection, unsigned status, const char *line)
{
    return send_json(connection, status, json_pack("{s:s}", "error", line));
}

/* --- the link -------------------------------------------------------------------------------------------- */

static const char *header(struct MHD_Connection *connection, const char *name)
{
    return http->lookup_connection_value(connection, MHD_HEADER_KIND, name);
}

/* Give a reader who follows the link the secret. */
static enum MHD_Result admit(struct server *s, struct MHD_Connection *connection)
{
    return explore_token_use(&s->token, header(connection, "Authorization"))
               ? send_json(connection, MHD_HTTP_OK, json_pack("{s:s}", "secret", s->token.secret))
               : send_fault(connection, MHD_HTTP_FORBIDDEN,
                            s->token.used
                                ? "This link has been used; start mercury explore again for a new one."
                                : "This is not the link that mercury explore has printed.");
}

/* --- questions ------------------------------------------------------------------------------------------- */

/* In a process of its own. */
static int work(struct job *job, json_t **answer, struct why *why)
{
    const struct exchange *x = exchange_of(job);
    const struct explored_run *run = run_of(x);
    switch (job->lane) {
    case LANE_TOKENS:
        *answer = json_object();
        return explore_tokens_make(x->tokens, why);
    case LANE_ESTIMATE:
        return explore_estimate(x->server->run, x->question, answer, why);
    case LANE_NUMBERS:
        return explore_numbers(run, &x->machine, x->every, answer, why);
    case LANE_FIFOS:
        return explore_search_fifos(run, &x->machine, x->every, answer, why);
    default:
        job->head.passes = pass_set_taken(run->facts->pass_count, x->every);
        return explore_answer(run, &x->machine, x->question, x->every, answer, why);
    }
}

/* The tokens are there, or a line says why not; or the page does not want them any more. */
static void end_making(struct exchange *x)
{
    struct why why;
    const struct job_head *head = &x->job.head;
    if (head->status == MHD_HTTP_OK && explore_tokens_open(x->tokens, &why) == 0) {
        x->server->made_s = head->wall_s / (double)x->tokens->run.facts->pass_count;
        say_line(&x->stream, json_pack("{s:f}", "made_s", head->wall_s));
        return;
    }
    if (head->status == MHD_HTTP_OK)
        say_line(&x->stream, json_pack("{s:s}", "error", why.line));
    else if (head->status != MHD_HTTP_CONFLICT)
        say_line(&x->stream, json_loadb(x->job.text, x->job.bytes, 0, NULL));
    x->stream.over = true; /* after this line */
    wake(&x->stream);
}

/* Wake the connection that waits for an answer; it comes to handle() again. */
static void take_answer(struct job *job)
{
    struct exchange *x = exchange_of(job);
    if (job->lane == LANE_TOKENS) {
        end_making(x);
        return;
    }
    if (x->server->pass_s == 0 && job->head.passes == run_of(x)->facts->pass_count)
        x->server->pass_s =
            job->head.wall_s / (double)job->head.passes; /* samples stay of one size from now on */
    if (x->client) {
        x->client->waits = false;
        x->client->since_s = progress_wall_s();
    }
    http->resume_connection(x->connection);
}

/* One pass of how many can be timed within about this time of this computer. 0, all of them, if they are few, or not
 * many more: a sample saves little then; and if hosts have parts of the database: each segment has a pass on every
 * host. */
static size_t sample(const struct exchange *x, double seconds)
{
    const struct server *s = x->server;
    size_t all = run_of(x)->facts->pass_count;
    double passes = fmax(s->pass_s > 0 ? floor(seconds / s->pass_s) : 0, SAMPLE_LEAST);
    bool whole = run_of(x)->recorded.distribution == DISTRIBUTION_DATABASE;
    return whole || passes * 2 >= (double)all ? 0 : all / (size_t)passes;
}

/* Have a job answer. @return NULL, or a line that says why none will */
static const char *begin_job(struct exchange *x)
{
    x->job.socket = x->client ? x->client->socket : -1;
    const char *fault = jobs_ask(&x->server->jobs, &x->job);
    x->asked = !fault;
    if (x->asked && x->client)
        x->client->waits = true;
    return fault;
}

/* The tokens that a page has for a machine. @return whether there are any; NULL are the run's own */
static bool find_tokens(const struct exchange *x, struct explore_tokens **tokens)
{
    struct why ignored;
    *tokens = NULL;
    if (explored_run_check(x->server->run, &x->machine, &ignored) == 0)
        return true;
    for (struct job *job = x->server->jobs.first; job; job = job->next)
        if (job->lane == LANE_TOKENS && strcmp(job->page, x->job.page) == 0 &&
            explore_tokens_fit(exchange_of(job)->tokens, &x->machine)) {
            *tokens = exchange_of(job)->tokens;
            return true;
        }
    return false;
}

static enum MHD_Result wait_for_job(struct exchange *x)
{
    const char *fault = begin_job(x);
    if (fault)
        return send_fault(x->connection, (unsigned)x->job.head.status, fault);
    http->suspend_connection(x->connection);
    return MHD_YES;
}

/* Have passes timed, or say which changes need tokens that the page does not have, and about how long these will take:
 * as long for a pass as those of the last tokens, or of the run. */
static enum MHD_Result ask(struct exchange *x, const json_t *body)
{
    struct why why;
    if (!find_tokens(x, &x->tokens)) {
        const struct server *s = x->server;
        const double pass_s = s->made_s > 0 ? s->made_s : s->run->wall_s / (double)s->run->facts->pass_count,
                     expected_s = pass_s * (double)explored_run_passes(s->run, &x->machine);
        if (x->job.lane == LANE_TIME)
            return send_json(x->connection, MHD_HTTP_OK,
                             json_pack("{s:o, s:o}", "needs", explored_run_needs(s->run, &x->machine),
                                       "expected_s", expected_s > 0 ? json_real(expected_s) : json_null()));
        explored_run_check(x->server->run, &x->machine, &why);
        return send_fault(x->connection, MHD_HTTP_UNPROCESSABLE_CONTENT, why.line);
    }
    if (x->tokens)
        x->tokens->users++;
    if (json_is_true(json_object_get(body, "sample")))
        x->every = sample(x, questions[x->job.lane].sample_s);
    return wait_for_job(x);
}

/* --- tokens ---------------------------------------------------------------------------------------------- */

/* Have tokens made, and answer with a stream that tells how far they are. */
static enum MHD_Result make_tokens(struct exchange *x)
{
    struct why why;
    if (explore_tokens_new(x->server->run, &x->machine, &x->tokens, &why) != 0)
        return send_fault(x->connection, MHD_HTTP_INTERNAL_SERVER_ERROR, why.line);
    x->job.is_long = true;
    x->job.file = x->tokens->file;
    const char *fault = begin_job(x);
    if (fault)
        return send_fault(x->connection, (unsigned)x->job.head.status, fault);
    x->stream.connection = x->connection;
    return respond(
        x->connection, MHD_HTTP_OK,
        http->create_response_from_callback(MHD_SIZE_UNKNOWN, BLOCK_BYTES, read_stream, &x->stream, NULL),
        "application/x-ndjson");
}

/* @return whether tokens are being made */
static bool tell_progress(struct exchange *x)
{
    const struct passes_progress *p = x->tokens->progress;
    size_t passes = atomic_load(&p->passes);
    double now_s = progress_wall_s(), words = (double)atomic_load(&p->words);
    if (job_has_ended(&x->job))
        return false;
    if (passes == 0 || now_s < x->told_s + PROGRESS_S)
        return true;
    x->told_s = now_s;
    say_line(&x->stream, json_pack("{s:I, s:I, s:f}", "passes", (json_int_t)passes, "ended",
                                   (json_int_t)atomic_load(&p->ended), "share",
                                   words > 0 ? fmin(1, (double)atomic_load(&p->done) / words) : 0));
    return true;
}

/* Why a body is not that of a question; NULL if it is. */
static const char *find_type_fault(const json_t *body)
{
    const json_t *page = json_object_get(body, "page"), *number = json_object_get(body, "number"),
                 *set = json_object_get(body, "set"), *part = json_object_get(body, "free");
    return !json_is_object(body)               ? "expected an object of JSON"
           : page && !json_is_string(page)     ? "page: expected a text"
           : number && !json_is_number(number) ? "number: expected a number"
           : set && !json_is_object(set)       ? "set: expected an object of names and texts"
           : part && !json_is_string(part)     ? "free: expected the name of a part of the machine"
                                               : NULL;
}

static enum MHD_Result take_question(struct exchange *x, const char *path, const json_t *body)
{
    const struct explored_run *run = x->server->run;
    struct why why;
    const char *fault = find_type_fault(body), *free_one = json_string_value(json_object_get(body, "free"));
    const int part = fault || !free_one ? MACHINE_PARTS : machine_part_find(free_one, &why);
    if (fault || part < 0)
        return send_fault(x->connection, MHD_HTTP_BAD_REQUEST, fault ? fault : why.line);
    snprintf(x->job.page, sizeof x->job.page, "%s", json_text_at(body, "page"));
    x->job.number = json_number_value(json_object_get(body, "number"));
    while (x->job.lane < LANES && strcmp(path, questions[x->job.lane].path) != 0)
        x->job.lane++;
    x->question = json_incref((json_t *)body);
    if (x->job.lane == LANE_ESTIMATE)
        return wait_for_job(x);
    if (strcmp(path, "/api/knee") == 0)
        return send_json(x->connection, MHD_HTTP_OK, explore_find_knee(body));
    if (explored_run_change(run, json_object_get(body, "set"), &x->machine, &why) != 0)
        return send_fault(x->connection, MHD_HTTP_UNPROCESSABLE_CONTENT, why.line);
    if (part < MACHINE_PARTS)
        machine_part_free(&x->machine, (enum machine_part)part);
    if (strcmp(path, "/api/platform") == 0) {
        size_t bytes;
        char *text = platform_text(run->platform, &x->machine, &bytes);
        return send_text(x->connection, MHD_HTTP_OK, "application/xml", text, bytes);
    }
    return x->job.lane == LANES         ? send_fault(x->connection, MHD_HTTP_NOT_FOUND, "no such question")
           : x->job.lane == LANE_TOKENS ? make_tokens(x)
                                        : ask(x, body);
}

static enum MHD_Result post(struct exchange *x, const char *path)
{
    if (x->asked && !job_has_ended(&x->job))
        return MHD_YES;
    if (x->asked && x->job.head.status == MHD_HTTP_CONFLICT)
        return send_fault(x->connection, MHD_HTTP_CONFLICT, jobs_replaced);
    if (x->asked) {
        char *text = x->job.text;
        x->job.text = NULL;
        return send_text(x->connection, (unsigned)x->job.head.status, "application/json", text, x->job.bytes);
    }
    json_auto_t *body = json_loadb(x->body, x->bytes, JSON_REJECT_DUPLICATES, NULL);
    return take_question(x, path, body);
}

/* --- requests -------------------------------------------------------------------------------------------- */

/* Why a request is refused before its body is read; NULL if it is not. */
static const char *find_fault(const struct server *s, struct MHD_Connection *c, const char *method,
                              unsigned *status)
{
    static const char json[] = "application/json";
    const char *length = header(c, "Content-Length"), *type = header(c, "Content-Type");
    bool posts = strcmp(method, "POST") == 0;
    *status = MHD_HTTP_FORBIDDEN;
    if (!explore_token_is_here(&s->token, header(c, "Host"), header(c, "Origin")))
        return "This server answers to its own page only.\n";
    *status = MHD_HTTP_METHOD_NOT_ALLOWED;
    if (!posts && strcmp(method, "GET") != 0)
        return "Only GET and POST are known here.\n";
    if (!posts)
        return NULL;
    *status = MHD_HTTP_LENGTH_REQUIRED;
    if (!length)
        return "A question needs its length.\n";
    *status = MHD_HTTP_CONTENT_TOO_LARGE;
    if (strspn(length, "0123456789") != strlen(length) || strlen(length) > 9 || atol(length) > BODY_MOST)
        return "A question has at most 16384 bytes.\n";
    *status = MHD_HTTP_UNSUPPORTED_MEDIA_TYPE;
    return type && strcspn(type, "; ") == strlen(json) && strncmp(type, json, strlen(json)) == 0
               ? NULL
               : "A question is application/json.\n";
}

static enum MHD_Result get(struct exchange *x, const char *path)
{
    for (unsigned i = 0; i < SERVED; i++)
        if (strcmp(served[i].path, path) == 0)
            return respond(
                x->connection, MHD_HTTP_OK,
                http->create_response_from_buffer(served[i].bytes, served[i].text, MHD_RESPMEM_PERSISTENT),
                served[i].type);
    if (strcmp(path, "/api/machine") == 0)
        return send_json(x->connection, MHD_HTTP_OK, explored_run_json(x->server->run));
    if (strcmp(path, "/api/choices") == 0)
        return send_json(x->connection, MHD_HTTP_OK, explore_estimate_choices(x->server->run));
    return say(x->connection, MHD_HTTP_NOT_FOUND, "There is no such page.\n");
}

/* The first call for a request: its head is known. */
static enum MHD_Result begin(struct server *s, struct MHD_Connection *connection, const char *path,
                             const char *method, void **state)
{
    unsigned status;
    const char *fault = find_fault(s, connection, method, &status);
    if (fault)
        return say(connection, status, fault);
    if (strcmp(path, "/api/admission") == 0)
        return admit(s, connection);
    if (strncmp(path, "/api/", 5) == 0 &&
        !explore_token_knows(&s->token, header(connection, "Authorization")))
        return say(
            connection, MHD_HTTP_FORBIDDEN,
            "Open the link that mercury explore has printed: it has the token that this page needs.\n");
    struct exchange *x = memory_new(1, sizeof *x);
    const union MHD_ConnectionInfo *info =
        http->get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    *x = (struct exchange){.server = s, .client = info->socket_context, .connection = connection};
    *state = x;
    return MHD_YES;
}

static enum MHD_Result handle(void *data, struct MHD_Connection *connection, const char *path,
                              const char *method, const char *version, const char *upload,
                              size_t *upload_bytes, void **state)
{
    struct exchange *x = *state;
    (void)version;
    if (!x)
        return begin(data, connection, path, method, state);
    if (*upload_bytes > 0) {
        if (*upload_bytes > BODY_MOST - x->bytes)
            return MHD_NO;
        memcpy(x->body + x->bytes, upload, *upload_bytes);
        x->bytes += *upload_bytes;
        *upload_bytes = 0;
        return MHD_YES;
    }
    return strcmp(method, "POST") == 0 ? post(x, path) : get(x, path);
}

static void complete(void *data, struct MHD_Connection *connection, void **state,
                     enum MHD_RequestTerminationCode code)
{
    struct server *s = data;
    struct exchange *x = *state;
    (void)connection, (void)code;
    if (x && x->client) {
        x->client->since_s = progress_wall_s();
        x->client->waits = false;
    }
    if (x) {
        x->stream.waits = false;      /* this connection cannot be resumed */
        jobs_drop(&s->jobs, &x->job); /* only a stream can end before its job */
        explore_tokens_release(x->tokens);
        free(x->job.text);
        json_decref(x->question);
    }
    free(x);
    *state = NULL;
}

/* No name that is known here has an escaped character, so none is made of three others. */
static size_t leave_escaped(void *data, struct MHD_Connection *connection, char *text)
{
    (void)data, (void)connection;
    return strlen(text);
}

/* --- connections ----------------------------------------------------------------------------------------- */

static void note_connection(void *data, struct MHD_Connection *connection, void **context,
                            enum MHD_ConnectionNotificationCode code)
{
    struct server *s = data;
    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
        const union MHD_ConnectionInfo *info =
            http->get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
        struct client *client = memory_take(sizeof *client);
        *client = (struct client){info->connect_fd, progress_wall_s(), false, s->clients};
        s->clients = client;
        *context = client;
        return;
    }
    struct client **at = &s->clients, *gone = *context;
    while (*at && *at != gone)
        at = &(*at)->next;
    if (*at)
        *at = gone->next;
    free(gone);
    *context = NULL;
}

/* --- the loop -------------------------------------------------------------------------------------------- */

static int wait_ms(const struct server *s, bool tells)
{
    MHD_UNSIGNED_LONG_LONG most;
    double left_s = isfinite(s->end_s) ? fmax(0, s->end_s - progress_wall_s()) : 1;
    int ms = (int)ceil(1e3 * fmin(left_s, tells ? PROGRESS_S : 1));
    return http->get_timeout(s->daemon, &most) == MHD_YES && most < (MHD_UNSIGNED_LONG_LONG)ms ? (int)most
                                                                                               : ms;
}

/* Who sends a request a byte at a time, or none, does not keep others out. */
static void cut_slow_clients(const struct server *s)
{
    const double now_s = progress_wall_s();
    unsigned count = 0;
    for (const struct client *client = s->clients; client; client = client->next)
        count++;
    for (const struct client *client = s->clients; client; client = client->next)
        if (!client->waits && now_s - client->since_s > (count < CLIENTS_MOST ? REQUEST_S : CROWDED_S))
            shutdown(client->socket, SHUT_RDWR);
}

static void loop(struct server *s)
{
    static struct pollfd files[2 + 2 * JOBS_MOST];
    const union MHD_DaemonInfo *info = http->get_daemon_info(s->daemon, MHD_DAEMON_INFO_EPOLL_FD);
    files[0] = (struct pollfd){.fd = s->signals, .events = POLLIN};
    files[1] = (struct pollfd){.fd = info->epoll_fd, .events = POLLIN};
    while (progress_wall_s() < s->end_s) {
        const size_t count = 2 + jobs_list_files(&s->jobs, files + 2);
        bool tells = false; /* pages are to be told again */
        for (struct job *job = s->jobs.first; job; job = job->next)
            tells |= job->lane == LANE_TOKENS && tell_progress(exchange_of(job));
        if (poll(files, count, wait_ms(s, tells)) > 0 && (files[0].revents & POLLIN))
            return;
        for (int twice = 0; twice < 2; twice++) { /* the second time for those that the jobs have woken */
            http->run(s->daemon);
            jobs_work(&s->jobs);
        }
        cut_slow_clients(s);
    }
}

static int start_daemon(struct server *s, struct why *why)
{
    struct sockaddr_in here = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)s->port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
    s->daemon =
        http->start_daemon(MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, (uint16_t)s->port, NULL, NULL, handle, s,
                           MHD_OPTION_SOCK_ADDR, (struct sockaddr *)&here, MHD_OPTION_CONNECTION_LIMIT,
                           (unsigned)CLIENTS_MOST, MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)SILENCE_S,
                           MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)16384, MHD_OPTION_STRICT_FOR_CLIENT, 1,
                           MHD_OPTION_UNESCAPE_CALLBACK, leave_escaped, NULL, MHD_OPTION_NOTIFY_COMPLETED,
                           complete, s, MHD_OPTION_NOTIFY_CONNECTION, note_connection, s, MHD_OPTION_END);
    if (!s->daemon)
        return why_refuse(why, "port %u of 127.0.0.1 cannot be listened on: %s; --port 0 takes a free one",
                          s->port, errno ? why_error(errno) : "it is in use");
    return explore_token_draw(&s->token, http->get_daemon_info(s->daemon, MHD_DAEMON_INFO_BIND_PORT)->port,
                              why);
}

static int take_signals(struct server *s, struct why *why)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    sigprocmask(SIG_BLOCK, &set, NULL);
    signal(SIGPIPE, SIG_IGN);
    s->signals = signalfd(-1, &set, SFD_CLOEXEC);
    return s->signals >= 0
               ? 0
               : why_say(why, COMMAND_FAILED, "no signals can be waited for: %s", why_error(errno));
}

/** Serve until a signal (SIGINT, SIGTERM, SIGHUP) or until the time is over.
 *
 * @param port     0: any that is free
 * @param seconds  0: until a signal
 * @param quiet    print the link only
 */
static int explore_serve(const struct explored_run *run, unsigned port, double seconds, bool quiet,
                         struct why *why)
{
    struct server s = {.run = run,
                       .port = port,
                       .jobs = {.work = work, .tell = take_answer},
                       .signals = -1,
                       .end_s = seconds > 0 ? progress_wall_s() + seconds : INFINITY};
    http = module_load("mercury-http.so", "mercury_http", why);
    int status = http ? 0 : COMMAND_REFUSED;
    for (unsigned i = 0; i < SERVED && status == 0; i++)
        status = open_file(&served[i], why);
    if (status == 0)
        status = take_signals(&s, why);
    errno = 0;
    if (status == 0)
        status = start_daemon(&s, why);
    if (status == 0) {
        printf("http://127.0.0.1:%u/#token=%s\n", s.token.port, s.token.link);
        if (!quiet)
            puts("Open this link in a browser; it works once. Ctrl-C ends the server.");
        if (fflush(stdout) != 0)
            status = why_refuse(why, "standard output cannot be written: %s; no one would see the link",
                                why_error(errno));
    }
    if (status == 0)
        loop(&s);
    jobs_end(&s.jobs); /* connections must not be suspended when the daemon stops */
    if (s.daemon) {
        http->run(s.daemon);
        http->stop_daemon(s.daemon);
    }
    for (unsigned i = 0; i < SERVED; i++)
        free(served[i].text);
    file_io_close(&s.signals);
    return status;
}

/* --- the command ----------------------------------------------------------------------------------------- */

struct arguments {
    uint32_t port;
    double seconds;
    bool quiet;
};

/* A time with its unit, which is s, m or h. */
static int take_time(void *data, const char *argument, struct why *why)
{
    struct arguments *a = data;
    static const struct {
        char letter;
        double seconds;
    } units[] = {{'s', 1}, {'m', 60}, {'h', 3600}};
    struct number number;
    const char *unit = number_read(argument, NULL, &number);
    for (unsigned i = 0; i < 3 && unit; i++)
        if (*unit == units[i].letter && !unit[1] && number.value > 0 && number.value <= 1e6) {
            a->seconds = number.value * units[i].seconds;
            return 0;
        }
    return command_refuse("--for", argument, "a time such as 30s, 10m or 2h", why);
}

static const struct command_option options[] = COMMAND_OPTIONS(EXPLORE_OPTIONS);

static int run_command(int argc, char **argv, struct why *why)
{
    struct arguments a = {0};
    auto_by(explored_run_close) struct explored_run run = {0};
    int status;
    if (rank_link_refuse("one process serves the page; use no mpirun", &status, why))
        return status;
    status = command_parse("explore", options, argc, argv, 1, &a, why);
    if (status)
        return status;
    if (optind == argc)
        return why_refuse(
            why,
            "needs the directory of a run, or a record, e.g. mercury explore out; see mercury help explore");
    status = explored_run_open(argv[optind], &run, why);
    return status ? status : explore_serve(&run, a.port, a.seconds, a.quiet, why);
}

const struct command command_explore = {options, run_command};
