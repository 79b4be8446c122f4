#include "base/json_schema.h"

#include <math.h>
#include <regex.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/json_number.h"
#include "base/printable.h"

struct search {
    const json_t *definitions;
    bool names;                 /* whether `path` is wanted, which takes longer than all else */
    char path[200];             /* of the value that is looked at; in the end, of the wrong one */
    const json_t *wrong, *rule; /* the wrong value, NULL if it is not there, and its schema */
};

static bool fits(struct search *s, const json_t *value, const json_t *schema);

/* --- a value alone --------------------------------------------------------------------------------------- */

static bool is_of_type(const json_t *value, const char *type)
{
    static const char *const types[] = {
        [JSON_OBJECT] = "object",   [JSON_ARRAY] = "array", [JSON_STRING] = "string",
        [JSON_INTEGER] = "integer", [JSON_REAL] = "number", [JSON_TRUE] = "boolean",
        [JSON_FALSE] = "boolean",   [JSON_NULL] = "null"};
    return strcmp(type, types[json_typeof(value)]) == 0 ||
           (json_is_number(value) && strcmp(type, "number") == 0);
}

static bool is_of_types(const json_t *value, const json_t *types)
{
    bool found = !types || (json_is_string(types) && is_of_type(value, json_string_value(types)));
    for (size_t i = 0; i < json_array_size(types) && !found; i++)
        found = is_of_type(value, json_string_value(json_array_get(types, i)));
    return found;
}

static bool is_one_of(const json_t *value, const json_t *choices)
{
    bool found = !choices;
    for (size_t i = 0; i < json_array_size(choices) && !found; i++)
        found = json_equal(value, json_array_get(choices, i));
    return found;
}

static bool is_within(const json_t *value, const json_t *schema)
{
    const bool list = json_is_array(value);
    const double size = list                    ? (double)json_array_size(value)
                        : json_is_number(value) ? json_number_value(value)
                                                : NAN;
    return !(size < json_number_at(schema, list ? "minItems" : "minimum")) &&
           !(size <= json_number_at(schema, "exclusiveMinimum")) &&
           !(size > json_number_at(schema, list ? "maxItems" : "maximum"));
}

static bool fits_alone(const json_t *value, const json_t *schema)
{
    const json_t *constant = json_object_get(schema, "const");
    return value && is_of_types(value, json_object_get(schema, "type")) &&
           is_one_of(value, json_object_get(schema, "enum")) && (!constant || json_equal(value, constant)) &&
           is_within(value, schema);
}

/* --- what is in it --------------------------------------------------------------------------------------- */

/* @param name  of a member; NULL: of an item by its number. The path is as it was, unless the value is wrong. */
static bool inner_fits(struct search *s, const char *name, size_t item, const json_t *value,
                       const json_t *schema)
{
    const size_t end = strlen(s->path);
    if (s->names && name)
        snprintf(s->path + end, sizeof s->path - end, "%s%s", end > 0 ? "." : "", name);
    else if (s->names)
        snprintf(s->path + end, sizeof s->path - end, "[%zu]", item);
    const bool right = fits(s, value, schema);
    if (right)
        s->path[end] = '\0';
    return right;
}

static const json_t *schema_of_member(const json_t *schema, const char *name)
{
    const json_t *found = json_object_get(json_object_get(schema, "properties"), name);
    const char *pattern;
    json_t *of_pattern;
    json_object_foreach((json_t *)json_object_get(schema, "patternProperties"), pattern, of_pattern)
    {
        regex_t compiled;
        if (found || regcomp(&compiled, pattern, REG_EXTENDED | REG_NOSUB) != 0)
            continue;
        found = regexec(&compiled, name, 0, NULL, 0) == 0 ? of_pattern : NULL;
        regfree(&compiled);
    }
    return found ? found : json_object_get(schema, "additionalProperties");
}

static bool members_fit(struct search *s, const json_t *object, const json_t *schema)
{
    const json_t *needed = json_object_get(schema, "required");
    const char *name;
    json_t *member;
    for (size_t i = 0; json_is_object(object) && i < json_array_size(needed); i++) {
        name = json_string_value(json_array_get(needed, i));
        if (!json_object_get(object, name) && !inner_fits(s, name, 0, NULL, schema_of_member(schema, name)))
            return false;
    }
    json_object_foreach((json_t *)object, name, member)
    {
        const json_t *of_member = schema_of_member(schema, name);
        if (json_is_object(of_member) && !inner_fits(s, name, 0, member, of_member))
            return false;
    }
    return true;
}

static bool items_fit(struct search *s, const json_t *list, const json_t *schema)
{
    const json_t *of_item = json_object_get(schema, "items");
    for (size_t i = 0; of_item && i < json_array_size(list); i++)
        if (!inner_fits(s, NULL, i, json_array_get(list, i), of_item))
            return false;
    return true;
}

/* The first alternative is tried last, and is what the line says if no one describes the value. */
static bool any_fits(struct search *s, const json_t *value, const json_t *alternatives)
{
    const size_t end = strlen(s->path);
    bool found = false;
    for (size_t i = json_array_size(alternatives); i > 0 && !found; i--) {
        s->path[end] = '\0';
        found = fits(s, value, json_array_get(alternatives, i - 1));
    }
    return found;
}

static bool fits(struct search *s, const json_t *value, const json_t *schema)
{
    const json_t *word = json_object_get(schema, "$ref");
    if (word)
        return fits(s, value, json_object_get(s->definitions, json_string_value(word) + strlen("#/$defs/")));
    if ((word = json_object_get(schema, "anyOf")))
        return any_fits(s, value, word);
    if ((word = json_object_get(schema, "if"))) {
        const size_t end = strlen(s->path);
        word = json_object_get(schema, fits(s, value, word) ? "then" : "else");
        s->path[end] = '\0';
        return fits(s, value, word);
    }
    if (fits_alone(value, schema))
        return members_fit(s, value, schema) && items_fit(s, value, schema);
    s->wrong = value;
    s->rule = schema;
    return false;
}

/* --- the line -------------------------------------------------------------------------------------------- */

/* "a whole number from 0", "one of "ok", null" */
static void say_expected(const json_t *schema, struct why *why)
{
    const json_t *type = json_object_get(schema, "type"), *choices = json_object_get(schema, "enum"),
                 *constant = json_object_get(schema, "const");
    const json_t *first = json_is_array(type) ? json_array_get(type, 0) : type;
    static const char *const names[][2] = {{"integer", "a whole number"}, {"number", "a number"},
                                           {"string", "a text"},          {"boolean", "true or false"},
                                           {"array", "a list"},           {"object", "an object"}};
    static const char *const ranges[][2] = {{"minItems", " of at least"},
                                            {"maxItems", " of at most"},
                                            {"minimum", " from"},
                                            {"exclusiveMinimum", " above"},
                                            {"maximum", " to"}};
    auto_free char *text =
        choices || constant ? json_dumps(choices ? choices : constant, JSON_ENCODE_ANY) : NULL;
    if (text)
        why_append(why, "%s%.300s", choices ? "one of " : "", text);
    for (unsigned i = 0; !text && json_is_string(first) && i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i][0], json_string_value(first)) == 0)
            why_append(why, "%s", names[i][1]);
    if (!text && !first)
        why_append(why, "a value");
    for (unsigned i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (!isnan(json_number_at(schema, ranges[i][0])))
            why_append(why, "%s %g", ranges[i][1], json_number_at(schema, ranges[i][0]));
    if (json_is_array(type))
        why_append(why, " or null");
}

static void say_found(const json_t *value, struct why *why)
{
    const bool large = json_is_object(value) || json_is_array(value);
    auto_free char *text =
        value && !large ? json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(6)) : NULL;
    why_append(why, ", found %.60s",
               text                    ? text
               : !value                ? "nothing"
               : json_is_object(value) ? "an object"
                                       : "a list");
    if (json_is_array(value))
        why_append(why, " of %zu", json_array_size(value));
}

int json_schema_check(const json_t *schema, const json_t *value, const char *file, int code, struct why *why)
{
    struct search s = {.definitions = json_object_get(schema, "$defs")};
    char path[300];
    if (fits(&s, value, schema))
        return 0;
    s.names = true;
    fits(&s, value, schema);
    printable_copy(path, sizeof path, s.path, sizeof path);
    why_say(why, code, "%.300s: %s%sexpected ", file, path, *path ? ": " : "");
    say_expected(s.rule, why);
    say_found(s.wrong, why);
    why_append(why, "; run mercury again to write it");
    return code;
}
