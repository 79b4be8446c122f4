#include "tests/fuzz/records.h"

#include <stdbool.h>
#include <string.h>

#include <xxhash.h>

#include "sim/tokens/token_record_format.h"

/* Whether a section may begin here. */
static bool is_section(const uint8_t *bytes, size_t size)
{
    struct section_head head;
    if (size < sizeof head + sizeof(uint64_t))
        return false;
    memcpy(&head, bytes, sizeof head);
    return head.kind >= SECTION_FACTS && head.kind <= SECTION_JOIN && head.number < 4096 &&
           head.bytes < 1 << 24;
}

/* Number of bytes of a section's contents: those that its head says if another section or the end follows them; or up
 * to the next section. */
static size_t find_contents(const uint8_t *bytes, size_t size)
{
    struct section_head head;
    memcpy(&head, bytes, sizeof head);
    size_t begin = sizeof head, sum = sizeof(uint64_t), end = begin + head.bytes + sum;
    if (end == size || (end < size && is_section(bytes + end, size - end)))
        return head.bytes;
    for (size_t at = begin + sum; at < size; at++)
        if (is_section(bytes + at, size - at))
            return at - begin - sum;
    return size - begin - sum;
}

static uint64_t section_sum(const uint8_t *section, size_t contents)
{
    XXH3_state_t *hash = XXH3_createState();
    XXH3_64bits_reset(hash);
    XXH3_64bits_update(hash, section + sizeof(struct section_head), contents);
    XXH3_64bits_update(hash, section, sizeof(struct section_head));
    uint64_t sum = XXH3_64bits_digest(hash);
    XXH3_freeState(hash);
    return sum;
}

void token_record_seal(uint8_t *bytes, size_t size)
{
    struct preamble preamble = {.version = TOKEN_RECORD_VERSION};
    memcpy(preamble.magic, TOKEN_RECORD_MAGIC, sizeof preamble.magic);
    if (size >= sizeof preamble)
        memcpy(bytes, &preamble, sizeof preamble);
    for (size_t at = sizeof preamble;
         at < size && size - at >= sizeof(struct section_head) + sizeof(uint64_t);) {
        struct section_head head;
        memcpy(&head, bytes + at, sizeof head);
        head.bytes = find_contents(bytes + at, size - at);
        memcpy(bytes + at, &head, sizeof head);
        uint64_t sum = section_sum(bytes + at, head.bytes);
        at += sizeof head + head.bytes;
        memcpy(bytes + at, &sum, sizeof sum);
        at += sizeof sum;
    }
}

void pass_store_seal(uint8_t *bytes, size_t size)
{
    uint64_t head[5]; /* magic, version, digest, passes, bytes of the command */
    if (size < sizeof head)
        return;
    memcpy(head, bytes, sizeof head);
    memcpy(head, "MERCPASS", 8);
    uint64_t rest = size - sizeof head;
    if (head[4] > rest)
        head[4] = rest;
    memcpy(bytes, head, sizeof head);
    for (size_t at = sizeof head + head[4]; at < size && size - at >= 3 * sizeof(uint64_t);) {
        uint64_t pass[3]; /* number, bytes, checksum */
        memcpy(pass, bytes + at, sizeof pass);
        at += sizeof pass;
        if (pass[1] > size - at)
            pass[1] = size - at;
        pass[2] = XXH3_64bits(bytes + at, pass[1]);
        memcpy(bytes + at - sizeof pass, pass, sizeof pass);
        at += pass[1];
    }
}
