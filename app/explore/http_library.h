/* http_library.h - the functions of GNU libmicrohttpd that the explorer calls, loaded when it starts.
 *
 * Why       the library brings ten others, of TLS most of them, which took every start of the program 2.5 ms. What is
 *           linked to them is a module, mercury-http.so (base/process/module.h), which holds nothing but this table.
 */
#pragma once

#include <microhttpd.h>

#include "base/process/module.h"

#define HTTP_FUNCTIONS(FUNCTION)                                                                             \
    FUNCTION(add_response_header, MHD_add_response_header)                                                   \
    FUNCTION(create_response_from_buffer, MHD_create_response_from_buffer)                                   \
    FUNCTION(create_response_from_callback, MHD_create_response_from_callback)                               \
    FUNCTION(destroy_response, MHD_destroy_response)                                                         \
    FUNCTION(get_connection_info, MHD_get_connection_info)                                                   \
    FUNCTION(get_daemon_info, MHD_get_daemon_info)                                                           \
    FUNCTION(get_timeout, MHD_get_timeout)                                                                   \
    FUNCTION(lookup_connection_value, MHD_lookup_connection_value)                                           \
    FUNCTION(queue_response, MHD_queue_response)                                                             \
    FUNCTION(resume_connection, MHD_resume_connection)                                                       \
    FUNCTION(run, MHD_run)                                                                                   \
    FUNCTION(start_daemon, MHD_start_daemon)                                                                 \
    FUNCTION(stop_daemon, MHD_stop_daemon)                                                                   \
    FUNCTION(suspend_connection, MHD_suspend_connection)

/** The functions by their names without MHD_; MHD's header describes them. */
struct http_library {
    HTTP_FUNCTIONS(MODULE_MEMBER)
};

/** The one symbol that is looked up in the module. */
extern const struct http_library mercury_http;
