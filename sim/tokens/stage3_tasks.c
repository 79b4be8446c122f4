#include "sim/tokens/stage3_tasks.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"

void stage3_tasks_destroy(struct stage3_tasks *t)
{
    if (t->mapping) {
        munmap(t->mapping, t->mapping_bytes);
    } else {
        free(t->hsps);
        free(t->clusters);
        free(t->stamps);
    }
    *t = (struct stage3_tasks){0};
}

static bool add_cluster(struct stage3_tasks *t, uint64_t cells)
{
    if (!array_reserve(&t->clusters, &t->cluster_room, t->cluster_count, 1, sizeof *t->clusters))
        return false;
    t->clusters[t->cluster_count++] = cells;
    return true;
}

static bool add_stamps(struct stage3_tasks *t, size_t hsps, const int64_t *stamps)
{
    size_t before = t->hsp_count * t->stamp_count, more = hsps * t->stamp_count;
    if (more == 0)
        return true;
    if (!array_reserve(&t->stamps, &t->stamp_room, before, more, sizeof *t->stamps))
        return false;
    memcpy(t->stamps + before, stamps, more * sizeof *stamps);
    return true;
}

bool stage3_tasks_add(struct stage3_tasks *t, size_t count, const int64_t *arrived,
                      const struct stage3_work *work, const int64_t *stamps)
{
    if (!array_reserve(&t->hsps, &t->hsp_room, t->hsp_count, count, sizeof *t->hsps) ||
        !add_stamps(t, count, stamps))
        return false;
    for (size_t i = 0; i < count; i++) {
        if (work[i].closes && !add_cluster(t, work[i].cluster_cells))
            return false;
        t->hsps[t->hsp_count++] =
            (struct stage3_hsp){arrived[i], (uint32_t)work[i].cells, work[i].closes, work[i].waits};
    }
    return true;
}

bool stage3_tasks_end(struct stage3_tasks *t, double end_s, uint64_t cells)
{
    t->end_s = end_s;
    return add_cluster(t, cells);
}

void stage3_tasks_sum(const struct stage3_tasks *t, uint64_t *recognised, uint64_t *cells)
{
    *recognised = *cells = 0;
    for (size_t i = 0; i < t->hsp_count; i++) {
        *recognised += t->hsps[i].cells == 0;
        *cells += t->hsps[i].cells;
    }
    for (size_t i = 0; i < t->cluster_count; i++)
        *cells += t->clusters[i];
}

/* --- files ----------------------------------------------------------------------------------------------- */

bool stage3_tasks_write(const struct stage3_tasks *t, FILE *out)
{
    return fwrite(t, sizeof *t, 1, out) == 1 && array_write(t->hsps, t->hsp_count, sizeof *t->hsps, out) &&
           array_write(t->clusters, t->cluster_count, sizeof *t->clusters, out) &&
           array_write(t->stamps, t->hsp_count * t->stamp_count, sizeof *t->stamps, out);
}

/* @return NULL if memory is exhausted or the file ends too early */
static void *read_array(size_t count, size_t element_bytes, FILE *in)
{
    void *array = malloc(count * element_bytes + 1);
    if (array && count > 0 && fread(array, element_bytes, count, in) != count) {
        free(array);
        return NULL;
    }
    return array;
}

bool stage3_tasks_read(struct stage3_tasks *t, FILE *in)
{
    if (fread(t, sizeof *t, 1, in) != 1) {
        *t = (struct stage3_tasks){0};
        return false;
    }
    t->mapping = NULL;
    t->hsps = read_array(t->hsp_count, sizeof *t->hsps, in);
    t->clusters = t->hsps ? read_array(t->cluster_count, sizeof *t->clusters, in) : NULL;
    t->stamps = t->clusters ? read_array(t->hsp_count * t->stamp_count, sizeof *t->stamps, in) : NULL;
    if (!t->stamps)
        stage3_tasks_destroy(t);
    return t->stamps != NULL;
}

/* Point into a mapping; each array's elements are multiples of 8 bytes. */
static void point_into(struct stage3_tasks *t, char *mapping)
{
    t->mapping = mapping;
    t->hsps = (struct stage3_hsp *)(mapping + sizeof *t);
    t->clusters = (uint64_t *)(t->hsps + t->hsp_count);
    t->stamps = (int64_t *)(t->clusters + t->cluster_count);
}

off_t stage3_tasks_map(struct stage3_tasks *t, int file)
{
    struct stat facts;
    *t = (struct stage3_tasks){0};
    bool whole = pread(file, t, sizeof *t, 0) == (ssize_t)sizeof *t && fstat(file, &facts) == 0;
    size_t bytes = sizeof *t + t->hsp_count * sizeof *t->hsps + t->cluster_count * sizeof *t->clusters +
                   t->hsp_count * t->stamp_count * sizeof *t->stamps;
    void *mapping = whole && (size_t)facts.st_size >= bytes
                        ? mmap(NULL, bytes, PROT_READ, MAP_SHARED | MAP_POPULATE, file, 0)
                        : MAP_FAILED;
    if (mapping == MAP_FAILED) {
        *t = (struct stage3_tasks){0};
        return -1;
    }
    t->mapping_bytes = bytes;
    point_into(t, mapping);
    return (off_t)bytes;
}
