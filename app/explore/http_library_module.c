#include "app/explore/http_library.h"

const struct http_library mercury_http = {HTTP_FUNCTIONS(MODULE_FUNCTION)};
