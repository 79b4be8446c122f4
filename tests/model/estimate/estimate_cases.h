/* estimate_cases.h - texts of estimates whose time follows by hand, for arithmetic and for execution, which must give
 * the same where no assumption differs. */
#pragma once

#include <stdint.h>

#define STORE_AND_CPU                                                                                        \
    "nodeset store type memory\n"                                                                            \
    "nodeset cpu type CPU floatspeed 1 M/s\n"                                                                \
    "linkset link type updown from store to cpu bandwidth 1 MB/s latency 2 s\n"

#define DISK                                                                                                 \
    "nodeset disk type disk\n"                                                                               \
    "nodeset cpu type CPU floatspeed 1 M/s\n"                                                                \
    "linkset link type updown from disk to cpu bandwidth 1 MB/s latency 2 s\n"

/* 8 cores, a board that needs 4 s for a pass, and 3 s of one core that are left of each pass */
#define STAGE_3(synchronize)                                                                                 \
    "nodeset board type CPU floatspeed 1 M/s\n"                                                              \
    "nodeset core type CPU number 8 floatspeed 1 M/s\n"                                                      \
    "dataset pass type grid1dim units 4M operationsperunit 1\n"                                              \
    "dataset tail type grid1dim units 3M operationsperunit 1 parallel 1\n"                                   \
    "repeat 5\n"                                                                                             \
    "  compute tail on core\n" synchronize "  compute pass on board\n" synchronize

/* In and out over one bus: what lambda against E. coli moves in 5.9648 ms, at 828.0 and 151.1 MB/s */
#define IN_AND_OUT(buses)                                                                                    \
    "nodeset host type memory\n"                                                                             \
    "nodeset board type CPU floatspeed 1 G/s\n" buses                                                        \
    "dataset words type grid1dim units 4938928 bytesperunit 1 operationsperunit 0 aggregate 4939 B\n"        \
    "dataset records type grid1dim units 901440 bytesperunit 1\n"                                            \
    "move words from host to board\n"                                                                        \
    "compute words on board\n"                                                                               \
    "move records from board to host\n"

/* Every node reads over one switch of 1 GB/s, and works at 100 MB/s. */
#define SLOW_SWITCH                                                                                          \
    "nodeset server type disk\n"                                                                             \
    "nodeset node type CPU number 1 per node floatspeed 100 M/s\n"                                           \
    "linkset switch type updown from server to node number 1 bandwidth 1 GB/s\n"                             \
    "distribution blocks type block1dim\n"                                                                   \
    "dataset data type grid1dim units 12.8G bytesperunit 1 operationsperunit 1 aggregate 20 MB\n"            \
    "use distribution blocks on data\n"                                                                      \
    "move data from server to node\n"                                                                        \
    "compute data on node\n"

/* A node works at 1 M/s, the next one at 2 M/s; a link each. */
#define UNLIKE(shares)                                                                                       \
    "nodeset store type memory number 1 per node\n"                                                          \
    "nodeset cpu type CPU number 1 per node floatspeed 1 M/s unlike 1, 2\n"                                  \
    "linkset link type updown from store to cpu bandwidth 1 MB/s\n"                                          \
    "distribution parts type block1dim " shares "\n"                                                         \
    "dataset d type grid1dim units 6M bytesperunit 1 operationsperunit 1\n"                                  \
    "dataset whole type grid1dim units 1M operationsperunit 1\nuse distribution parts on d\n"

/* Parts of so many units, of which each is 1 MB and a second of a CPU; all nodes have one link to the disk. */
#define PARTS(deals, data)                                                                                   \
    "nodeset disk type disk\nnodeset host type memory number 1 per node\n"                                   \
    "nodeset cpu type CPU number 1 per node floatspeed 1 M/s\n"                                              \
    "linkset link type updown from disk to host number 1 bandwidth 1 MB/s\n"                                 \
    "distribution parts type block1dim " deals "\n"                                                          \
    "dataset d type grid1dim bytesperunit 1 MB operationsperunit 1M " data "\nuse distribution parts on d\n"

/* A cache of 4 MB before the CPU: 1 + 2 s for 2 MB from the store, 1 s from the cache. */
#define CACHE(rule)                                                                                          \
    "nodeset store type memory\nnodeset cache type cache grainsize 4 MB " rule "\n"                          \
    "nodeset cpu type CPU floatspeed 1 M/s\n"                                                                \
    "linkset far type updown from store to cache bandwidth 1 MB/s latency 1 s\n"                             \
    "linkset near type updown from cache to cpu bandwidth 2 MB/s\n"                                          \
    "dataset d type grid1dim units 2M bytesperunit 1\ndataset e type grid1dim units 1M bytesperunit 1\n"     \
    "dataset f type grid1dim units 2M bytesperunit 1\ndataset g type grid1dim units 5M bytesperunit 1\n"

static const struct estimate_case {
    const char *name, *text;
    uint32_t nodes;
    double time_s, tolerance; /* relative: the way of the first piece is not counted in some */
    const char *limit;
} estimate_cases[] = {
    {"a message: latency + bytes / bandwidth",
     STORE_AND_CPU "dataset d type grid1dim units 5M bytesperunit 1\nsend d from store to cpu\n", 1, 7, 1e-9,
     "cpu"},
    {"a send is whole before the CPU computes: 2 + 5 + 3",
     STORE_AND_CPU "dataset d type grid1dim units 5M bytesperunit 1 operationsperunit 0.6\n"
                   "send d from store to cpu\ncompute d on cpu\n",
     1, 10, 1e-9, "cpu"},
    {"a move is a pipeline: 2 + 5, and the last of 10 pieces of 3 s",
     STORE_AND_CPU "dataset d type grid1dim units 5M bytesperunit 1 operationsperunit 0.6 aggregate 500 KB\n"
                   "move d from store to cpu\ncompute d on cpu\n",
     1, 7.3, 1e-9, "link"},
    {"a slow CPU: the first of 10 pieces, then 20 s",
     STORE_AND_CPU "dataset d type grid1dim units 5M bytesperunit 1 operationsperunit 4 aggregate 500 KB\n"
                   "move d from store to cpu\ncompute d on cpu\n",
     1, 22.5, 1e-9, "cpu"},
    {"synchronize ends the pipeline: 2 + 5 + 3",
     STORE_AND_CPU "dataset d type grid1dim units 5M bytesperunit 1 operationsperunit 0.6 aggregate 500 KB\n"
                   "move d from store to cpu\nsynchronize\ncompute d on cpu\n",
     1, 10, 1e-9, "link"},
    {"a repeat of a message: 3 x (2 + 5)",
     STORE_AND_CPU "dataset d type grid1dim units 5M bytesperunit 1\nrepeat 3\n  send d from store to cpu\n",
     1, 21, 1e-9, "cpu"},
    {"a disk without pieces: one latency, as of any link: 2 + 5",
     DISK "dataset d type grid1dim units 5M bytesperunit 1\nsend d from disk to cpu\n", 1, 7, 1e-9, "cpu"},
    {"a disk seeks for each of 10 pieces: 10 x (2 + 0.5)",
     DISK "dataset d type grid1dim units 5M bytesperunit 1 aggregate 500 KB\nmove d from disk to cpu\n", 1,
     25, 1e-9, "link"},
    {"and the CPU computes beside it: 25, and the last of 10 pieces of 3 s",
     DISK "dataset d type grid1dim units 5M bytesperunit 1 operationsperunit 0.6 aggregate 500 KB\n"
          "move d from disk to cpu\ncompute d on cpu\n",
     1, 25.3, 1e-9, "link"},
    {"two disks of a part each: 5 x (2 + 0.5)",
     "nodeset disk type disk number 2\nnodeset host type memory number 2\n"
     "linkset link type updown from disk to host bandwidth 1 MB/s latency 2 s\n"
     "distribution blocks type block1dim\n"
     "dataset d type grid1dim units 5M bytesperunit 1 aggregate 500 KB\nuse distribution blocks on d\n"
     "move d from disk to host\n",
     2, 12.5, 1e-9, "link"},
    {"stage 3 waits: 5 x (3 + 4)", STAGE_3("  synchronize\n"), 1, 35, 1e-9, "board"},
    {"stage 3 overlaps: 5 x 4", STAGE_3(""), 1, 20, 1e-9, "board"},
    {"a bus adds in and out: 5840368 / 1010.8e6",
     IN_AND_OUT("linkset bus type updown from host to board bandwidth 1010.8 MB/s duplex full\n"), 1,
     5840368 / 1010.8e6, 2e-3, "bus"},
    {"two directions of their own: the larger one",
     IN_AND_OUT("linkset down type updown from host to board bandwidth 1010.8 MB/s duplex half\n"
                "linkset up type updown from board to host bandwidth 1010.8 MB/s duplex half\n"),
     1, 4938928 / 1010.8e6, 2e-3, "down"},
    {"one node: 128 s", SLOW_SWITCH, 1, 128, 5e-3, "node"},
    {"block1dim: 8 nodes take an eighth", SLOW_SWITCH, 8, 16, 2e-2, "node"},
    {"16 nodes want 1.6 GB/s of 1", SLOW_SWITCH, 16, 12.8, 2e-2, "switch"},
    {"64 nodes do, too", SLOW_SWITCH, 64, 12.8, 2e-2, "switch"},
    {"5 iterations over 2 members: 3 rounds",
     "nodeset cpu type CPU number 2 floatspeed 1 M/s\ndataset d type grid1dim units 1M operationsperunit 1\n"
     "repeat 5 over cpu\n  compute d on cpu\n",
     2, 3, 1e-9, "cpu"},
    {"iterations that vary, dealt to two nodes: 3 + 1 s on the second one",
     "nodeset host type memory number 2\nnodeset cpu type CPU number 2 floatspeed 1 M/s\n"
     "dataset d type grid1dim units 1M operationsperunit 1 varies 1, 3, 2, 1\n"
     "repeat 4 over cpu\n  compute d on cpu\n",
     2, 4, 1e-9, "cpu"},
    {"they go on from the first factor: 1 + 2 + 1 s and 3 + 1 + 3 s",
     "nodeset host type memory number 2\nnodeset cpu type CPU number 2 floatspeed 1 M/s\n"
     "dataset d type grid1dim units 1M operationsperunit 1 varies 1,3,2,1\n"
     "repeat 6 over cpu\n  compute d on cpu\n",
     2, 7, 1e-9, "cpu"},
    {"what is dealt is dealt over the members of the node: (3 + 1) / 2 s",
     "nodeset host type memory number 2\nnodeset board type CPU number 2 floatspeed 1 G/s\n"
     "nodeset core type CPU number 4 floatspeed 1 M/s\n"
     "distribution blocks type block1dim\ndataset d type grid1dim units 1M operationsperunit 1 varies 1, 3, 2, 1\n"
     "use distribution blocks on d\nrepeat 4 over board\n  compute d on core\n",
     2, 2, 1e-9, "core"},
    {"chains that vary, on two boards of a node: 3 s of the longer one",
     "nodeset host type memory\nnodeset board type CPU number 2 floatspeed 1 M/s\n"
     "nodeset core type CPU number 8 floatspeed 1 M/s\n"
     "dataset pass type grid1dim units 1M operationsperunit 1\n"
     "dataset tail type grid1dim units 1M operationsperunit 1 parallel 1 varies 1, 3\n"
     "repeat 2 over board\n  compute pass on board\n  compute tail on core\n",
     1, 3, 1e-9, "board"},
    {"a stage each: the longest of two datasets",
     "nodeset cpu type CPU floatspeed 1 M/s compute pipelined\n"
     "dataset a type grid1dim units 1M operationsperunit 1\ndataset b type grid1dim units 1M operationsperunit 3\n"
     "compute a, b on cpu\n",
     1, 3, 1e-9, "cpu"},
    {"one after the other: both",
     "nodeset cpu type CPU floatspeed 1 M/s\n"
     "dataset a type grid1dim units 1M operationsperunit 1\ndataset b type grid1dim units 1M floatsperunit 3\n"
     "compute a, b on cpu\n",
     1, 4, 1e-9, "cpu"},
    {"a chain of linksets: both latencies, the slower bandwidth",
     "nodeset disk type disk\nnodeset host type memory\nnodeset board type memory\n"
     "linkset a type updown from disk to host bandwidth 2 MB/s latency 1 s\n"
     "linkset b type updown from host to board bandwidth 1 MB/s latency 2 s\n"
     "dataset d type grid1dim units 5M bytesperunit 1\nmove d from disk to board\n",
     1, 8, 1e-9, "b"},
    {"a step again, once it has ended, though the seeks of its disk leave both links idle: 2 x (2 + 10 + 2)",
     "nodeset disk type disk\nnodeset host type memory\nnodeset board type memory\n"
     "linkset a type updown from disk to host bandwidth 1 MB/s latency 2 s\n"
     "linkset b type updown from host to board bandwidth 100 KB/s\n"
     "dataset d type grid1dim units 1M bytesperunit 1 aggregate 500 KB\nrepeat 2\n  move d from disk to board\n",
     1, 28, 1e-9, "b"},
    {"a pathway concentrates what passes: 4 members at 1 MB/s through one of 2 MB/s",
     "nodeset disk type disk number 4\nnodeset path type pathway number 1 bandwidth 2 MB/s\n"
     "nodeset host type memory number 4\n"
     "linkset a type updown from disk to path bandwidth 1 MB/s\n"
     "linkset b type updown from path to host bandwidth 1 MB/s\n"
     "dataset d type grid1dim units 5M bytesperunit 1\nmove d from disk to host\n",
     4, 10, 1e-9, "path"},
    {"two ports of a server for four links of 1 MB/s",
     "nodeset server type disk number 1 ports 2\nnodeset host type memory number 4\n"
     "linkset a type updown from server to host number 4 bandwidth 1 MB/s\n"
     "dataset d type grid1dim units 5M bytesperunit 1\nmove d from server to host\n",
     4, 10, 1e-9, "ports of server"},
    {"borders of tiles: 51 x 51 - 50 x 50 = 101 units, out and in",
     "nodeset host type memory number 4\nlinkset x type across on host bandwidth 1 KB/s latency 1 s\n"
     "distribution tiles type block2dim ghost 1\n"
     "dataset image type grid2dim units 100x100 bytesperunit 10\nuse distribution tiles on host, image\n"
     "send image from host to host\n",
     4, 1 + 2.02, 1e-9, "x"},
    {"borders of strips: 100 + 100 units between two neighbours; a ring goes one way",
     "nodeset host type memory number 4\nlinkset x type across on host topology ring bandwidth 1 KB/s\n"
     "distribution strips type block1dim ghost 1\n"
     "dataset image type grid2dim units 100x100 bytesperunit 10\nuse distribution strips on image\n"
     "send image from host to host\n",
     4, 2, 1e-9, "x"},
    {"the same strips: all four nodes share a bus of number 1; the outer ones have one neighbour each",
     "nodeset host type memory number 4\nlinkset x type across on host topology bus bandwidth 1 KB/s\n"
     "distribution strips type block1dim ghost 1\n"
     "dataset image type grid2dim units 100x100 bytesperunit 10\nuse distribution strips on image\n"
     "send image from host to host\n",
     4, 6, 1e-9, "x"},
    {"parts of 6, 6, 5 and 5 units of which all have the ghosts that they find: 22 + 2 x 3 x 2 of one link",
     PARTS("ghost 2", "units 22") "move d from disk to host\n", 4, 34, 1e-9, "link"},
    {"four strips of 7, 6, 6 and 6 units: the larger one has one neighbour, a smaller one two: 8 units of a link each",
     "nodeset disk type disk number 4\nnodeset host type memory number 4\n"
     "linkset link type updown from disk to host bandwidth 1 MB/s\ndistribution strips type block1dim ghost 1\n"
     "dataset d type grid1dim units 25 bytesperunit 1 MB\nuse distribution strips on d\nmove d from disk to host\n",
     4, 8, 1e-9, "link"},
    {"six strips of a unit: one inside has two on either side, 5 units of a link each",
     "nodeset disk type disk number 6\nnodeset host type memory number 6\n"
     "linkset link type updown from disk to host bandwidth 1 MB/s\ndistribution strips type block1dim ghost 2\n"
     "dataset d type grid1dim units 6 bytesperunit 1 MB\nuse distribution strips on d\nmove d from disk to host\n",
     6, 5, 1e-9, "link"},
    {"parts of 2, 1, 1 and 1 units are 5 units of one link",
     PARTS("", "units 5") "move d from disk to host\n", 4, 5, 1e-9, "link"},
    {"and 5 pieces for each of which the disk seeks: 5 x (2 + 1)",
     "nodeset disk type disk\nnodeset host type memory number 2\n"
     "linkset link type updown from disk to host bandwidth 1 MB/s latency 2 s\ndistribution parts type block1dim\n"
     "dataset d type grid1dim units 5 bytesperunit 1 MB aggregate 1 MB\nuse distribution parts on d\n"
     "move d from disk to host\n",
     2, 15, 1e-9, "link"},
    {"shares of whole units: 1, 2 and 4 of 7", PARTS("shares 1, 2, 4", "units 7") "compute d on cpu\n", 3, 4,
     1e-9, "cpu"},
    {"1.2 and 4.8 of 6 units: the larger remainder has the last one",
     PARTS("shares 1, 4", "units 6") "compute d on cpu\n", 2, 5, 1e-9, "cpu"},
    {"shares of 1 and 4 units are 5 units of one link",
     PARTS("shares 1, 4", "units 5") "move d from disk to host\n", 2, 5, 1e-9, "link"},
    {"a node whose share is less than a unit has none, and nothing seeks for it: 10 x (2 + 1) s",
     "nodeset disk type disk\nnodeset host type memory number 2\n"
     "linkset link type updown from disk to host bandwidth 1 MB/s latency 2 s\n"
     "distribution parts type block1dim shares 1, 100\n"
     "dataset d type grid1dim units 10 bytesperunit 1 MB aggregate 1 MB\nuse distribution parts on d\n"
     "move d from disk to host\n",
     2, 30, 1e-9, "link"},
    {"an iteration's shares are of the nodes that have one: all 4 units",
     PARTS("shares 1, 3", "units 4") "repeat 1 over cpu\n  compute d on cpu\n", 2, 4, 1e-9, "cpu"},
    {"units of an iteration that varies are dealt over the cores of its node: 3 of 5",
     "nodeset host type memory number 2\nnodeset core type CPU number 4 floatspeed 1 M/s\n"
     "distribution parts type block1dim\ndataset d type grid1dim units 5 operationsperunit 1M varies 1, 1\n"
     "use distribution parts on d\nrepeat 2 over host\n  compute d on core\n",
     2, 3, 1e-9, "core"},
    {"three iterations over members that two hosts work for are three messages of one link",
     "nodeset disk type disk\nnodeset host type memory number 2\nnodeset board type CPU number 3 floatspeed 1\n"
     "linkset link type updown from disk to host number 1 bandwidth 1 MB/s\n"
     "dataset d type grid1dim units 1M bytesperunit 1\nrepeat 3 over board\n  move d from disk to host\n",
     2, 3, 1e-9, "link"},
    {"chains that vary, on two members each: 3 / 2 s of the longer one",
     "nodeset host type memory\nnodeset board type CPU number 2 floatspeed 1 M/s\n"
     "nodeset core type CPU number 8 floatspeed 1 M/s\n"
     "dataset tail type grid1dim units 1M operationsperunit 1 parallel 2 varies 1, 3\n"
     "repeat 2 over board\n  compute tail on core\n",
     1, 1.5, 1e-9, "core"},
    {"alone, a node has nobody to send to",
     "nodeset host type memory\nnodeset cpu type CPU floatspeed 1 M/s\n"
     "linkset x type across on host bandwidth 1 KB/s latency 1 s\n"
     "dataset d type grid1dim units 1M bytesperunit 10 operationsperunit 1\n"
     "send d from host to host\ncompute d on cpu\n",
     1, 1, 1e-9, "cpu"},
    {"unlike nodes that have equal parts wait for the slow one: 3M / 1 M/s", UNLIKE("") "compute d on cpu\n",
     2, 3, 1e-9, "cpu"},
    {"parts as large as nodes are fast: 4M / 2 M/s", UNLIKE("shares 1, 2") "compute d on cpu\n", 2, 2, 1e-9,
     "cpu"},
    {"three nodes, 1, 2 and 1 of 4 parts: 1.5M / 1 M/s", UNLIKE("shares 1, 2") "compute d on cpu\n", 3, 1.5,
     1e-9, "cpu"},
    {"the larger part has the longer way: 4 s, and 4M / 2 M/s",
     UNLIKE("shares 1, 2") "send d from store to cpu\ncompute d on cpu\n", 2, 6, 1e-9, "cpu"},
    {"what is whole on unlike nodes, 3 times, each time until all have it",
     UNLIKE("") "repeat 3\n  compute whole on cpu\n  synchronize\n", 2, 3, 1e-9, "cpu"},
    {"5 iterations over unlike nodes: 3 on the slow one",
     UNLIKE("") "repeat 5 over cpu\n  compute whole on cpu\n", 2, 3, 1e-9, "cpu"},
    {"a cache without a rule: 3 x 3 s", CACHE("") "repeat 3\n  send d from store to cpu\n", 1, 9, 1e-9,
     "cpu"},
    {"one that keeps what was used last: 3 s, then 2 x 1 s",
     CACHE("cacherule lru") "repeat 3\n  send d from store to cpu\n", 1, 5, 1e-9, "cpu"},
    {"two that fit beside each other: 3 + 2 s, then 2 x (1 + 0.5) s",
     CACHE("cacherule lru") "repeat 3\n  send d from store to cpu\n  send e from store to cpu\n", 1, 8, 1e-9,
     "cpu"},
    {"three of which each drops what comes next: 3 x (3 + 2 + 3) s",
     CACHE("cacherule lru") "repeat 3\n  send d from store to cpu\n  send e from store to cpu\n"
                            "  send f from store to cpu\n",
     1, 24, 1e-9, "cpu"},
    {"the one used before stays: d e d f d: 3 + 2 + 1 + 3 + 1 s",
     CACHE("cacherule lru") "send d from store to cpu\nsend e from store to cpu\nsend d from store to cpu\n"
                            "send f from store to cpu\nsend d from store to cpu\n",
     1, 10, 1e-9, "cpu"},
    {"what does not fit drops all and is not kept: d g g d: 3 + 6 + 6 + 3 s",
     CACHE("cacherule lru") "send d from store to cpu\nsend g from store to cpu\nsend g from store to cpu\n"
                            "send d from store to cpu\n",
     1, 18, 1e-9, "cpu"},
    {"iterations that are dealt have data of their own: 3 + 3 x 3 + 3 s",
     CACHE("cacherule lru") "send d from store to cpu\nrepeat 3 over cpu\n  send d from store to cpu\n"
                            "send d from store to cpu\n",
     1, 15, 1e-9, "cpu"},
    {"repeats in each other: 3 s, then 5 x 1 s",
     CACHE("cacherule lru") "repeat 2\n  repeat 3\n    send d from store to cpu\n", 1, 8, 1e-9, "cpu"},
    {"moved to the cache, it is there: 1 + 2 + 1 s",
     CACHE("cacherule lru") "move d from store to cache\nmove d from store to cache\nsynchronize\n"
                            "send d from store to cpu\n",
     1, 4, 1e-9, "far"},
    {"four flows of one disk, which seeks for one of them at a time: 4 x 5 x (2 + 1) s",
     "nodeset disk type disk\nnodeset host type memory number 4\n"
     "linkset link type updown from disk to host bandwidth 1 MB/s latency 2 s\n"
     "dataset d type grid1dim units 5M bytesperunit 1 aggregate 1 MB\nmove d from disk to host\n",
     4, 60, 1e-9, "link"},
};
