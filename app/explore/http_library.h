/* http_library.h - the functions of GNU libmicrohttpd that the explorer calls, loaded when it starts.
 *
 * Why       the library brings ten others, of TLS most of them, which took every start of the program 2.5 ms. What is
 *           linked to them is a module, mercury-http.so (base/process/module.h), which holds nothing but this table.
 */
#pragma once

#include <microhttpd.h>

/** The functions by their names without MHD_; MHD's header describes them. */
struct http_library {
    __typeof__(MHD_add_response_header) *add_response_header;
    __typeof__(MHD_create_response_from_buffer) *create_response_from_buffer;
    __typeof__(MHD_create_response_from_callback) *create_response_from_callback;
    __typeof__(MHD_destroy_response) *destroy_response;
    __typeof__(MHD_get_connection_info) *get_connection_info;
    __typeof__(MHD_get_daemon_info) *get_daemon_info;
    __typeof__(MHD_get_timeout) *get_timeout;
    __typeof__(MHD_lookup_connection_value) *lookup_connection_value;
    __typeof__(MHD_queue_response) *queue_response;
    __typeof__(MHD_resume_connection) *resume_connection;
    __typeof__(MHD_run) *run;
    __typeof__(MHD_start_daemon) *start_daemon;
    __typeof__(MHD_stop_daemon) *stop_daemon;
    __typeof__(MHD_suspend_connection) *suspend_connection;
};

/** The one symbol that is looked up in the module. */
extern const struct http_library mercury_http;
