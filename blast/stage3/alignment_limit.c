#include "blast/stage3/alignment_limit.h"

void alignment_list_limit(struct alignment_list *list, uint64_t subjects, uint64_t alignments)
{
    uint64_t subject = 0, alignment = 0; /* the current one's number, from 1 */
    size_t kept = 0;
    struct alignment before = {.columns = 0};

    for (size_t i = 0; i < list->count; i++) {
        struct alignment now = list->items[i];
        int new_query = i == 0 || now.query_record != before.query_record;
        int new_subject = new_query || now.database_record != before.database_record;

        subject = new_query ? 1 : subject + (uint64_t)new_subject;
        alignment = new_subject ? 1 : alignment + 1;
        before = now;
        if ((subjects == 0 || subject <= subjects) && (alignments == 0 || alignment <= alignments))
            list->items[kept++] = now;
    }
    list->count = kept;
}
