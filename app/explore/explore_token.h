/* explore_token.h - who may ask: a link that works once, the cookie it gives, and the names of this server. */
#pragma once

#include <stdbool.h>

#include "base/why.h"

enum { TOKEN_BYTES = 33, COOKIE_NAME_BYTES = 32 };

struct explore_token {
    char link[TOKEN_BYTES], cookie[TOKEN_BYTES]; /* 128 random bits each, as hexadecimal digits */
    char cookie_name[COOKIE_NAME_BYTES];         /* cookies know no ports, so that the name has it */
    bool used;                                   /* the link */
    unsigned port;
};

/** Draw both from the system's random numbers. @return an enum command_status and a line */
int explore_token_draw(struct explore_token *token, unsigned port, struct why *why);

/** Take the link's token, once. @param given  NULL if there was none */
bool explore_token_use(struct explore_token *token, const char *given);

/** Whether a cookie's value is the one that was given; takes as long for any text of the right length. */
bool explore_token_knows(const struct explore_token *token, const char *given);

/** Whether a request speaks of this server, and comes from its own page or from no page.
 *  @param host, origin  NULL if it has no such header */
bool explore_token_is_here(const struct explore_token *token, const char *host, const char *origin);
