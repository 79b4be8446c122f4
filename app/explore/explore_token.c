#include "app/explore/explore_token.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "base/command.h"

static bool draw(char text[TOKEN_BYTES])
{
    unsigned char bytes[(TOKEN_BYTES - 1) / 2];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return false;
    for (unsigned i = 0; i < sizeof bytes; i++)
        snprintf(text + 2 * i, 3, "%02x", bytes[i]);
    return true;
}

int explore_token_draw(struct explore_token *token, unsigned port, struct why *why)
{
    *token = (struct explore_token){.port = port};
    if (draw(token->link) && draw(token->secret))
        return 0;
    return why_say(why, COMMAND_FAILED, "no random numbers for a token: %s", why_error(errno));
}

static bool is_same(const char *secret, const char *header)
{
    static const char scheme[] = "Bearer ";
    unsigned differences = 0;
    if (!header || strncmp(header, scheme, strlen(scheme)) != 0)
        return false;
    const char *given = header + strlen(scheme);
    if (strlen(given) != strlen(secret))
        return false;
    for (; *secret; secret++, given++)
        differences |= (unsigned char)(*secret ^ *given);
    return differences == 0;
}

bool explore_token_use(struct explore_token *token, const char *header)
{
    if (token->used || !is_same(token->link, header))
        return false;
    token->used = true;
    return true;
}

bool explore_token_knows(const struct explore_token *token, const char *header)
{
    return is_same(token->secret, header);
}

bool explore_token_is_here(const struct explore_token *token, const char *host, const char *origin)
{
    static const char *const names[] = {"127.0.0.1", "localhost"};
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
        char own[64];
        snprintf(own, sizeof own, "http://%s:%u", names[i], token->port);
        if (host && strcmp(host, own + strlen("http://")) == 0)
            return !origin || strcmp(origin, own) == 0;
    }
    return false;
}
