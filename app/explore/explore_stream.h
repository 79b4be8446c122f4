/* explore_stream.h - a response whose lines come one after the other, each an object of JSON.
 *
 * Connection  is suspended while there is nothing to send; who begins a stream watches its socket meanwhile, since a
 *             suspended connection does not notice that its client goes.
 */
#ifndef MERCURY_APP_EXPLORE_EXPLORE_STREAM_H
#define MERCURY_APP_EXPLORE_EXPLORE_STREAM_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>
#include <microhttpd.h>

enum { STREAM_BYTES = 16384 };

struct explore_stream {
    struct MHD_Connection *connection;
    char text[STREAM_BYTES]; /* to be sent */
    size_t bytes, sent;
    bool waits; /* for something to send */
    bool over;
};

/** Begin a stream, which stays where it is. @return its response, or NULL if memory is exhausted */
struct MHD_Response *explore_stream_begin(struct explore_stream *stream, struct MHD_Connection *connection);

/** Send a line, unless it has no room beside what waits to be sent. @param line  is released */
void explore_stream_say(struct explore_stream *stream, json_t *line);

/** End it after its last line. */
void explore_stream_end(struct explore_stream *stream);

#endif
