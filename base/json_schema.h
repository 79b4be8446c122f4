/* json_schema.h - whether JSON is what a JSON Schema (2020-12) describes; and if not, which member is wrong.
 *
 * Words     type, const, enum, minimum, exclusiveMinimum, maximum, required, properties, patternProperties,
 *           additionalProperties, items, minItems, maxItems, $ref to a definition of the schema, and, alone, anyOf and
 *           if, then and else. Others are not looked at.
 * Members   that a schema does not know are right: a later version may have written them.
 */
#pragma once

#include <jansson.h>

#include "base/why.h"

/** Check a value.
 *
 * @param file  its name, for the line
 * @return 0, or `code` and one line: file, path of the member, what was expected, what was found
 */
int json_schema_check(const json_t *schema, const json_t *value, const char *file, int code, struct why *why);
