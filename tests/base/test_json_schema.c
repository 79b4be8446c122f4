/* test_json_schema.c - which values a schema describes, and which member a line names. */
#include <check.h>
#include <stdlib.h>

#include "base/json_schema.h"
#include "tests/run_suite.h"

static const struct question {
    const char *schema, *value, *line; /* NULL: the schema describes the value */
} questions[] = {
    /* a value alone */
    {"{}", "[1, null, {\"a\": 2}]", NULL},
    {"{'type': 'integer'}", "3", NULL},
    {"{'type': 'integer'}", "3.5", "f: expected a whole number, found 3.5"},
    {"{'type': 'number'}", "3", NULL},
    {"{'type': 'number'}", "true", "f: expected a number, found true"},
    {"{'type': ['string', 'null']}", "null", NULL},
    {"{'type': ['string', 'null']}", "1", "f: expected a text or null, found 1"},
    {"{'minimum': 0, 'maximum': 1}", "0", NULL},
    {"{'minimum': 0, 'maximum': 1}", "1", NULL},
    {"{'type': 'number', 'minimum': 0, 'maximum': 1}", "1.5", "f: expected a number from 0 to 1, found 1.5"},
    {"{'type': 'number', 'minimum': 0, 'maximum': 1}", "-0.5",
     "f: expected a number from 0 to 1, found -0.5"},
    {"{'type': 'number', 'exclusiveMinimum': 0}", "1e-9", NULL},
    {"{'type': 'number', 'exclusiveMinimum': 0}", "0", "f: expected a number above 0, found 0"},
    {"{'enum': ['ok', null]}", "null", NULL},
    {"{'enum': ['ok', null]}", "'no'", "f: expected one of ['ok', null], found 'no'"},
    {"{'const': 'a-2'}", "'a-1'", "f: expected 'a-2', found 'a-1'"},
    {"{'type': 'array', 'minItems': 2}", "[1, 2]", NULL},
    {"{'type': 'array', 'minItems': 2}", "[1]", "f: expected a list of at least 2, found a list of 1"},
    {"{'type': 'array', 'maxItems': 1}", "[1, 2]", "f: expected a list of at most 1, found a list of 2"},
    /* what is in it: the path */
    {"{'required': ['a'], 'properties': {'a': {'type': 'integer'}}}", "{}",
     "f: a: expected a whole number, found nothing"},
    {"{'required': ['a'], 'properties': {'a': {'type': 'integer'}}}", "{'a': 1, 'b': 'a later version'}",
     NULL},
    {"{'properties': {'a': {'properties': {'b': {'items': {'type': 'string'}}}}}}", "{'a': {'b': ['x', 7]}}",
     "f: a.b[1]: expected a text, found 7"},
    {"{'properties': {'a': {}, 'b': {'type': 'object'}}}", "{'a': 1, 'b': [1]}",
     "f: b: expected an object, found a list of 1"},
    {"{'patternProperties': {'_s$': {'minimum': 0, 'type': 'number'}}}", "{'begin': -1, 'begin_s': -1}",
     "f: begin_s: expected a number from 0, found -1"},
    {"{'properties': {'a': {}}, 'additionalProperties': {'type': 'number'}}", "{'a': 'x', 'b': 'y'}",
     "f: b: expected a number, found 'y'"},
    /* definitions and alternatives */
    {"{'$defs': {'count': {'type': 'integer', 'minimum': 0}}, 'properties': {'n': {'$ref': '#/$defs/count'}}}",
     "{'n': -1}", "f: n: expected a whole number from 0, found -1"},
    {"{'properties': {'a': {'anyOf': [{'type': 'object'}, {'type': 'null'}]}}}", "{'a': null}", NULL},
    {"{'properties': {'a': {'anyOf': [{'type': 'object'}, {'type': 'null'}]}}}", "{'a': 2}",
     "f: a: expected an object, found 2"},
    {"{'if': {'properties': {'a': {'const': 1}}}, 'then': {'required': ['b']}, 'else': {'required': ['c']}}",
     "{'a': 1, 'b': 2}", NULL},
    {"{'if': {'properties': {'a': {'const': 1}}}, 'then': {'required': ['b']}, 'else': {'required': ['c']}}",
     "{'a': 2, 'b': 2}", "f: c: expected a value, found nothing"},
};

/* Apostrophes stand for quotation marks. */
static json_t *parse(const char *text)
{
    json_error_t error;
    char quoted[300];
    size_t i = 0;
    do {
        ck_assert_uint_lt(i, sizeof quoted);
        quoted[i] = text[i] == '\'' ? '"' : text[i];
    } while (text[i++] != '\0');
    json_t *value = json_loads(quoted, JSON_DECODE_ANY, &error);
    ck_assert_msg(value != NULL, "%s: %s", text, error.text);
    return value;
}

START_TEST(test_question)
{
    const struct question *q = &questions[_i];
    json_t *schema = parse(q->schema), *value = parse(q->value);
    struct why why = {{0}};
    const int status = json_schema_check(schema, value, "f", -7, &why);
    ck_assert_msg((status == 0) == !q->line, "%s, %s: status %d, %s", q->schema, q->value, status, why.line);
    if (q->line) {
        char expected[300];
        snprintf(expected, sizeof expected, "%s; run mercury again to write it", q->line);
        for (char *c = expected; *c; c++)
            *c = *c == '\'' ? '"' : *c;
        ck_assert_int_eq(status, -7);
        ck_assert_str_eq(why.line, expected);
    }
    json_decref(schema);
    json_decref(value);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("json_schema");
    TCase *core = tcase_create("core");
    tcase_add_loop_test(core, test_question, 0, sizeof questions / sizeof *questions);
    suite_add_tcase(suite, core);
    return run_suite(suite);
}
