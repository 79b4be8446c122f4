/* http_library.h - the functions of GNU libmicrohttpd that the explorer calls, loaded when it starts.
 *
 * Why       the library brings ten others, of TLS most of them, which took every start of the program 2.5 ms. What is
 *           linked to them is a module, mercury-http.so (base/module.h), which holds nothing but this table.
 */
#ifndef MERCURY_APP_EXPLORE_HTTP_LIBRARY_H
#define MERCURY_APP_EXPLORE_HTTP_LIBRARY_H

#include <microhttpd.h>

#include "base/why.h"

/** The functions by their names without MHD_; MHD's header describes them. */
#define HTTP_FUNCTION(name) __typeof__(MHD_##name) *name
struct http_library {
    HTTP_FUNCTION(add_response_header);
    HTTP_FUNCTION(create_response_from_buffer);
    HTTP_FUNCTION(create_response_from_callback);
    HTTP_FUNCTION(destroy_response);
    HTTP_FUNCTION(get_connection_info);
    HTTP_FUNCTION(get_daemon_info);
    HTTP_FUNCTION(get_timeout);
    HTTP_FUNCTION(lookup_connection_value);
    HTTP_FUNCTION(queue_response);
    HTTP_FUNCTION(resume_connection);
    HTTP_FUNCTION(run);
    HTTP_FUNCTION(start_daemon);
    HTTP_FUNCTION(stop_daemon);
    HTTP_FUNCTION(suspend_connection);
};

/** The one symbol that is looked up in the module. */
extern const struct http_library mercury_http;

/** NULL until http_library_load(). */
extern const struct http_library *http;

/** Load the module. @return an enum command_status and one line */
int http_library_load(struct why *why);

#endif
