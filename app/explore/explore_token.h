/* explore_token.h - who may ask: a link that works once, the secret that it is exchanged for, and the names of this
 * server.
 *
 * The link's token stands behind '#', so that a browser never sends it by itself. The page exchanges it for the secret,
 * keeps that in the storage of its tab, which belongs to this address and port, and sends it with each question as
 * "Authorization: Bearer SECRET". A cookie would be sent to any server of this computer, since cookies know no ports.
 */
#pragma once

#include <stdbool.h>

#include "base/why.h"

enum { TOKEN_BYTES = 33 };

struct explore_token {
    char link[TOKEN_BYTES], secret[TOKEN_BYTES]; /* 128 random bits each, as hexadecimal digits */
    bool used;                                   /* the link */
    unsigned port;
};

/** Draw both from the system's random numbers. @return an enum command_status and a line */
int explore_token_draw(struct explore_token *token, unsigned port, struct why *why);

/** Take the link's token, once. @param header  of the request, "Bearer TOKEN"; NULL if there was none */
bool explore_token_use(struct explore_token *token, const char *header);

/** Whether a request has the secret; takes as long for any text of the right length.
 *  @param header  as above */
bool explore_token_knows(const struct explore_token *token, const char *header);

/** Whether a request speaks of this server, and comes from its own page or from no page.
 *  @param host, origin  NULL if it has no such header */
bool explore_token_is_here(const struct explore_token *token, const char *host, const char *origin);
