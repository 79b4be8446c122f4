#include "app/explore/http_library.h"

const struct http_library mercury_http = {
    .add_response_header = MHD_add_response_header,
    .create_response_from_buffer = MHD_create_response_from_buffer,
    .create_response_from_callback = MHD_create_response_from_callback,
    .destroy_response = MHD_destroy_response,
    .get_connection_info = MHD_get_connection_info,
    .get_daemon_info = MHD_get_daemon_info,
    .get_timeout = MHD_get_timeout,
    .lookup_connection_value = MHD_lookup_connection_value,
    .queue_response = MHD_queue_response,
    .resume_connection = MHD_resume_connection,
    .run = MHD_run,
    .start_daemon = MHD_start_daemon,
    .stop_daemon = MHD_stop_daemon,
    .suspend_connection = MHD_suspend_connection,
};
