#include "app/explore/explore_tokens.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/command.h"
#include "base/file/scratch_file.h"
#include "app/run/run_session.h"

enum { NAME_BYTES = 32 };

/* The name of an open file of this process. */
static void name_file(int file, char name[NAME_BYTES])
{
    snprintf(name, NAME_BYTES, "/proc/self/fd/%d", file);
}

int explore_tokens_new(const struct explored_run *of, const struct hardware *machine,
                       struct explore_tokens **tokens, struct why *why)
{
    struct explore_tokens *t = calloc(1, sizeof *t);
    void *shared = mmap(NULL, sizeof *t->progress, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (!t || shared == MAP_FAILED) {
        free(t);
        if (shared != MAP_FAILED)
            munmap(shared, sizeof *t->progress);
        return why_no_memory(why, COMMAND_REFUSED);
    }
    *t = (struct explore_tokens){
        .run = *of, .machine = *machine, .progress = shared, .file = scratch_file_descriptor(), .users = 1};
    t->run.record = NULL;
    t->run.is_nameless = true;
    *tokens = t;
    if (t->file >= 0)
        return 0;
    scratch_file_refuse(why, COMMAND_FAILED);
    explore_tokens_release(t);
    *tokens = NULL;
    return COMMAND_FAILED;
}

int explore_tokens_make(const struct explore_tokens *t, struct why *why)
{
    char name[NAME_BYTES], limit[80];
    const struct run_again again = {t->run.facts, &t->machine, t->progress};
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){TOKENS_BYTES, TOKENS_BYTES});
    name_file(t->file, name);
    int status = run_session_again(&again, name, why);
    if (status && strncmp(why->line, name, strlen(name)) == 0) { /* a name that nobody knows */
        snprintf(limit, sizeof limit, "the tokens, of which there are %llu MiB at most,", TOKENS_BYTES >> 20);
        scratch_file_refuse_bytes(limit, why, status);
    }
    return status;
}

int explore_tokens_open(struct explore_tokens *t, struct why *why)
{
    char name[NAME_BYTES];
    name_file(t->file, name);
    int status = command_status_of(token_record_open(name, &t->run.record, why));
    close(t->file); /* the record is mapped */
    t->file = -1;
    if (status)
        return status;
    t->run.facts = &token_record_run(t->run.record)->facts;
    t->run.recorded = t->machine;
    return 0;
}

bool explore_tokens_fit(const struct explore_tokens *t, const struct hardware *machine)
{
    struct why ignored;
    return t->run.record && explored_run_check(&t->run, machine, &ignored) == 0;
}

void explore_tokens_release(struct explore_tokens *t)
{
    if (!t || --t->users > 0)
        return;
    token_record_close(t->run.record);
    munmap(t->progress, sizeof *t->progress);
    if (t->file >= 0)
        close(t->file);
    free(t);
}
