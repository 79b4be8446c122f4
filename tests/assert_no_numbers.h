/* assert_no_numbers.h - what a queue's model leaves behind where it has no answer. */
#pragma once

#include <check.h>

#include "model/queue/single_queue.h"

static inline void assert_no_numbers(const struct queue_result *q)
{
    ck_assert_double_nan(q->rho);
    ck_assert_double_nan(q->p_0);
    ck_assert_double_nan(q->rho_offered);
    ck_assert_double_nan(q->lambda_per_s);
    ck_assert_double_nan(q->lambda_offered_per_s);
    ck_assert_double_nan(q->p_k);
    ck_assert_double_nan(q->n_g);
    ck_assert_double_nan(q->n_q);
    ck_assert_double_nan(q->w_g_s);
    ck_assert_double_nan(q->w_q_s);
    ck_assert_double_nan(q->p_bp);
}
