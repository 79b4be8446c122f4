/* sweep_fixture.h - a plan over small random sequences, for the suites of sweeps. */
#pragma once

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "blast/sequence/fasta.h"
#include "base/why.h"
#include "app/sweep/point/sweep_plan.h"

struct sweep_fixture {
    struct sequences query, database;
    struct sweep_input input;
    struct sweep_request request;
    struct sweep_plan plan;
};

static inline void fixture_read(struct sequences *sequences, unsigned seed, unsigned bases)
{
    char path[] = "/tmp/mercury_sweep.XXXXXX";
    struct why why;
    FILE *file = fdopen(mkstemp(path), "w");
    ck_assert_ptr_nonnull(file);
    srand(seed);
    fprintf(file, ">random\n");
    for (unsigned i = 0; i < bases; i++)
        fputc("ACGT"[rand() >> 8 & 3], file);
    fputc('\n', file);
    fclose(file);
    ck_assert_int_eq(sequences_read(path, sequences, &why), 0);
    unlink(path);
}

/** The default machine; axes are for fixture_vary() before sweep_plan_make(). */
static inline void fixture_begin(struct sweep_fixture *f)
{
    *f = (struct sweep_fixture){0};
    fixture_read(&f->query, 1, 3000);
    fixture_read(&f->database, 2, 9000);
    f->input = (struct sweep_input){"q.fa", "d.fa", &f->query, &f->database};
    f->request = (struct sweep_request){
        .hardware = hardware_default(),
        .chosen_for = hardware_default().scoring,
        .inputs = &f->input,
        .input_count = 1,
        .seed = 1,
        .strands = STRANDS_BOTH,
        .e_value = 1e-3,
    };
}

static inline void fixture_vary(struct sweep_fixture *f, const char *axis)
{
    struct why why = {""};
    ck_assert_msg(sweep_axis_parse(axis, &f->request.axes[f->request.axis_count++], &why) == 0, "%s",
                  why.line);
}

static inline void fixture_plan(struct sweep_fixture *f)
{
    struct why why = {""};
    ck_assert_msg(sweep_plan_make(&f->request, &f->plan, &why) == 0, "%s", why.line);
}

static inline void fixture_end(struct sweep_fixture *f)
{
    sweep_plan_destroy(&f->plan);
    for (size_t i = 0; i < f->request.axis_count; i++)
        sweep_axis_destroy(&f->request.axes[i]);
    sequences_destroy(&f->query);
    sequences_destroy(&f->database);
}
