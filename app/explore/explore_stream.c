#include "app/explore/explore_stream.h"

#include <stdint.h>
#include <string.h>

#include "app/explore/http_library.h"

enum { BLOCK_BYTES = 1024 };

/* An MHD_ContentReaderCallback. */
static ssize_t read_stream(void *data, uint64_t position, char *to, size_t most)
{
    struct explore_stream *s = data;
    (void)position;
    size_t left = s->bytes - s->sent, bytes = left < most ? left : most;
    if (bytes > 0) {
        memcpy(to, s->text + s->sent, bytes);
        s->sent += bytes;
        return (ssize_t)bytes;
    }
    s->bytes = s->sent = 0;
    if (s->over)
        return MHD_CONTENT_READER_END_OF_STREAM;
    s->waits = true;
    http->suspend_connection(s->connection);
    return 0;
}

static void wake(struct explore_stream *s)
{
    if (s->waits)
        http->resume_connection(s->connection);
    s->waits = false;
}

struct MHD_Response *explore_stream_begin(struct explore_stream *stream, struct MHD_Connection *connection)
{
    *stream = (struct explore_stream){.connection = connection};
    return http->create_response_from_callback(MHD_SIZE_UNKNOWN, BLOCK_BYTES, read_stream, stream, NULL);
}

void explore_stream_say(struct explore_stream *s, json_t *line)
{
    size_t room = STREAM_BYTES - s->bytes;
    size_t bytes = line ? json_dumpb(line, s->text + s->bytes, room, JSON_COMPACT) : room;
    json_decref(line);
    if (bytes >= room)
        return;
    s->text[s->bytes + bytes] = '\n';
    s->bytes += bytes + 1;
    wake(s);
}

void explore_stream_end(struct explore_stream *s)
{
    s->over = true;
    wake(s);
}
