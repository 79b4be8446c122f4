#include "app/explore/http_library.h"

#include "base/command.h"
#include "base/process/module.h"

const struct http_library *http;

int http_library_load(struct why *why)
{
    http = module_load("mercury-http.so", "mercury_http", why);
    return http ? 0 : COMMAND_REFUSED;
}
