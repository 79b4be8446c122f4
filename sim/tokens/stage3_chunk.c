#include "sim/tokens/stage3_chunk.h"

#include "base/array.h"
#include "sim/board/board.h"

enum { NUMBER_BYTES_MAX = 10, NUMBER_BITS = 7, BACK_BIT = 34 };

static uint8_t *put_number(uint8_t *at, uint64_t number)
{
    for (; number >> NUMBER_BITS > 0; number >>= NUMBER_BITS)
        *at++ = (uint8_t)(number | 1u << NUMBER_BITS);
    *at++ = (uint8_t)number;
    return at;
}

/* @return NULL if the bytes end, or if `at` is NULL */
static const uint8_t *get_number(const uint8_t *at, const uint8_t *end, uint64_t *number)
{
    *number = 0;
    for (unsigned shift = 0; at && at < end && shift < 64; shift += NUMBER_BITS) {
        *number |= (uint64_t)(*at & 0x7fu) << shift;
        if (*at++ < 1u << NUMBER_BITS)
            return at;
    }
    return NULL;
}

static uint64_t with_sign_low(int64_t number)
{
    return (uint64_t)number << 1 ^ (uint64_t)(number >> 63);
}

static int64_t with_sign_high(uint64_t number)
{
    return (int64_t)(number >> 1) ^ -(int64_t)(number & 1);
}

static uint8_t *put_hsp(uint8_t *at, const struct stage3_hsp *hsp, int64_t before)
{
    const bool back = hsp->arrived < before;
    uint64_t ticks = (uint64_t)(back ? before - hsp->arrived : hsp->arrived - before);
    bool whole = ticks % (uint64_t)BOARD_TICKS_PER_CLOCK == 0,
         special = hsp->cells > 0 || hsp->closes || hsp->waits || back;
    uint64_t delay = whole ? ticks >> BOARD_TICK_BITS : ticks;
    at = put_number(at, delay << 2 | (unsigned)whole << 1 | special);
    uint64_t work = (uint64_t)hsp->cells << 2 | (unsigned)hsp->closes << 1 | hsp->waits;
    return special ? put_number(at, work | (uint64_t)back << BACK_BIT) : at;
}

void stage3_chunk_encode(const struct stage3_hsp *hsps, const int64_t *stamps, unsigned stamp_count,
                         size_t count, struct byte_buffer *out)
{
    const size_t most = count * (2 + stamp_count) * NUMBER_BYTES_MAX;
    if (!array_reserve(&out->bytes, &out->room, out->count, most, 1)) {
        out->out_of_memory = true;
        return;
    }
    uint8_t *at = out->bytes + out->count;
    for (size_t i = 0; i < count; i++) {
        at = put_hsp(at, &hsps[i], i > 0 ? hsps[i - 1].arrived : 0);
        for (unsigned s = 0; s < stamp_count; s++, stamps++)
            at = put_number(at, with_sign_low(*stamps - (i > 0 ? stamps[-(ptrdiff_t)stamp_count] : 0)));
    }
    out->count = (size_t)(at - out->bytes);
}

static const uint8_t *get_hsp(const uint8_t *at, const uint8_t *end, int64_t before, struct stage3_hsp *hsp)
{
    uint64_t head, work = 0;
    at = get_number(at, end, &head);
    if (head & 1)
        at = get_number(at, end, &work);
    uint64_t delay = head >> 2, ticks = head & 2 ? delay << BOARD_TICK_BITS : delay;
    bool back = work >> BACK_BIT & 1;
    *hsp = (struct stage3_hsp){.arrived = (int64_t)((uint64_t)before + (back ? 0 - ticks : ticks)),
                               .cells = (uint32_t)(work >> 2),
                               .closes = work >> 1 & 1,
                               .waits = work & 1};
    return at;
}

bool stage3_chunk_decode(const uint8_t *bytes, size_t byte_count, unsigned stamp_count, size_t count,
                         struct stage3_hsp *hsps, int64_t *stamps)
{
    const uint8_t *at = bytes, *end = bytes + byte_count;
    for (size_t i = 0; i < count && at; i++) {
        at = get_hsp(at, end, i > 0 ? hsps[i - 1].arrived : 0, &hsps[i]);
        for (unsigned s = 0; s < stamp_count; s++, stamps++) {
            uint64_t difference;
            at = get_number(at, end, &difference);
            *stamps = (i > 0 ? stamps[-(ptrdiff_t)stamp_count] : 0) + with_sign_high(difference);
        }
    }
    return at == end;
}
