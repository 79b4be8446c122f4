/* fuzz_question.c - the body of a question to mercury explore: any JSON is a machine, with a command that simulates
 * it, or is refused. HTTP itself is libmicrohttpd's; tests/fuzz/program sends requests to the server. */
#include <jansson.h>
#include <stdlib.h>

#include "app/explore/explore_answer.h"
#include "app/explore/explore_machine.h"
#include "app/explore/explore_token.h"
#include "tests/fuzz/fuzz.h"

static void ask_for_admission(const char *text)
{
    static struct explore_token token;
    struct why why;
    if (token.port == 0)
        fuzz_demand(explore_token_draw(&token, 8080, &why) == 0);
    fuzz_demand(!explore_token_use(&token, text) && !explore_token_knows(&token, text));
    explore_token_is_here(&token, text, text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct token_record_facts facts = {.hardware = hardware_default(),
                                       .e_value = 10,
                                       .query_path = "q",
                                       .database_path = "d",
                                       .platform_path = "/proc/none"};
    struct explored_run run = {.facts = &facts, .recorded = facts.hardware, .record_path = "fuzz"};
    struct hardware machine;
    struct why why;
    char *text = fuzz_text(data, size);
    ask_for_admission(text);
    json_t *body = json_loadb(text, size, JSON_REJECT_DUPLICATES, NULL);
    const json_t *set = json_object_get(body, "set");
    if (json_is_object(body) && fuzz_succeeded(explored_run_change(&run, set, &machine, &why), &why))
        json_decref(explored_run_command(&run, &machine));
    json_decref(explore_find_knee(body));
    json_decref(body);
    free(text);
    return 0;
}
