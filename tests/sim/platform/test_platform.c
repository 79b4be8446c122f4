/* test_platform.c - the SimGrid platform file: what is read from it, what SimGrid gets, and what is refused.
 *
 * MERCURY_SOURCE_DIR names the folder that data/ is in; the current one where it is not set.
 */
#include "base/why.h"
#include "sim/platform/platform.h"
#include "tests/run_suite.h"

#include <check.h>
#include <libxml/parser.h>
#include <libxml/tree.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char directory[64], file[100];
static struct why why;

static void make_directory(void)
{
    strcpy(directory, "/tmp/test_platform.XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(directory));
    snprintf(file, sizeof file, "%s/platform.xml", directory);
}

static void remove_directory(void)
{
    unlink(file);
    rmdir(directory);
}

static const char *platform_of(const char *name)
{
    static char path[4096];
    const char *source = getenv("MERCURY_SOURCE_DIR");
    snprintf(path, sizeof path, "%s/data/platforms/%s", source ? source : ".", name);
    return path;
}

static const char *shipped_platform(void)
{
    return platform_of("mercury-2010.xml");
}

static void put_text(const char *text)
{
    FILE *out = fopen(file, "w");
    ck_assert_ptr_nonnull(out);
    fputs(text, out);
    fclose(out);
}

/* A platform of few lines, so that line numbers can be counted: each part may be another. */
struct parts {
    const char *root, *host, *disk, *board, *link, *route;
};

static const struct parts good = {
    .root = "<platform version='4.1'>",
    .host = "<host id='host' speed='1f' core='1'>",
    .disk = "<disk id='memory' read_bw='1Bps' write_bw='1Bps'/>",
    .board = "<host id='fpga' speed='1f'/>",
    .link = "<link id='pcix' bandwidth='1Bps' latency='0s'/>",
    .route = "<route src='host' dst='fpga'><link_ctn id='pcix'/></route>",
};

static void put_parts(const struct parts *p)
{
    char text[2000];
    snprintf(text, sizeof text,
             "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
             "%s\n<zone id='mercury' routing='Full'>\n%s\n%s\n</host>\n%s\n%s\n%s\n</zone>\n</platform>\n",
             p->root, p->host, p->disk, p->board, p->link, p->route);
    put_text(text);
}

static struct platform *open_platform(const char *path, struct hardware *hardware)
{
    struct platform *platform = NULL;
    ck_assert_msg(platform_open(path, hardware, &platform, &why) == 0, "%s", why.line);
    ck_assert_ptr_nonnull(platform);
    return platform;
}

static void assert_contains(const char *text, const char *part)
{
    ck_assert_msg(strstr(text, part) != NULL, "'%s' does not contain '%s'", text, part);
}

static void assert_one_line_that_names(const char *path)
{
    assert_contains(why.line, path);
    ck_assert_ptr_null(strchr(why.line, '\n'));
}

static void assert_open_refuses(const char *path, int code)
{
    struct hardware hardware = hardware_default();
    struct platform *platform = NULL;
    int status = platform_open(path, &hardware, &platform, &why);
    ck_assert_msg(status == code, "%d instead of %d", status, code);
    ck_assert_ptr_null(platform);
    assert_one_line_that_names(path);
}

/* --- a network ------------------------------------------------------------------------------------------- */

static int prepare_network(const char *link, const char *hosts)
{
    char links[400];
    struct parts parts = good;
    struct hardware hardware = hardware_default();
    snprintf(links, sizeof links, "%s\n%s", good.link, link);
    parts.link = links;
    put_parts(&parts);
    struct platform *platform = open_platform(file, &hardware);
    ck_assert_int_eq(hardware_set(&hardware, "hosts", hosts, &why), 0);
    ck_assert_int_eq(hardware_check(&hardware, &why), 0);
    int status = platform_prepare(platform, &hardware, &why);
    platform_close(platform);
    return status;
}

/* A file without the link gets one; the numbers of one with it are props. */
START_TEST(test_hosts_have_a_network)
{
    static const char *const links[] = {
        "",
        "<link id='network' bandwidth='7Bps' latency='3s'><prop id='network.latency' value='1e-4'/></link>"};
    for (int i = 0; i < COUNT_OF(links); i++)
        ck_assert_msg(prepare_network(links[i], i ? "64" : "2") == 0, "%s", why.line);
}
END_TEST

/* The ways back may come first in the file: routes to further hosts are written once. */
START_TEST(test_further_hosts_of_two_ways)
{
    struct parts parts = good;
    struct hardware hardware = hardware_default();
    parts.route = "<route src='fpga' dst='host' symmetrical='NO'><link_ctn id='pcix'/></route>"
                  "<route src='host' dst='fpga' symmetrical='NO'><link_ctn id='pcix'/></route>";
    put_parts(&parts);
    struct platform *platform = open_platform(file, &hardware);
    ck_assert_int_eq(hardware_set(&hardware, "hosts", "2", &why), 0);
    ck_assert_msg(platform_prepare(platform, &hardware, &why) == 0, "%s", why.line);
    platform_close(platform);
}
END_TEST

START_TEST(test_network_without_use_or_bandwidth_is_refused)
{
    static const char good_link[] = "<link id='network' bandwidth='125MBps' latency='0s'/>";
    ck_assert_int_eq(prepare_network(good_link, "1"), PLATFORM_EFORMAT);
    assert_contains(why.line, ":10: link 'network' is not used: hosts = 1");
    ck_assert_int_eq(prepare_network("<link id='network' bandwidth='0Bps' latency='0s'/>", "2"),
                     PLATFORM_EFORMAT);
    assert_contains(why.line, ":10: link 'network' has no bandwidth");
    ck_assert_int_eq(prepare_network("<link id='network' latency='0s'/>", "2"), PLATFORM_EFORMAT);
    assert_contains(why.line, ":10: link 'network' has no bandwidth");
}
END_TEST

static void assert_prepare_refuses(int code)
{
    struct hardware hardware = hardware_default();
    struct platform *platform = open_platform(file, &hardware);
    int status = platform_prepare(platform, &hardware, &why);
    ck_assert_msg(status == code, "%d instead of %d: %s", status, code, status ? why.line : "accepted");
    assert_one_line_that_names(file);
    platform_close(platform);
}

/* --- core ------------------------------------------------------------------------------------------------ */

static void assert_same_values(const struct hardware *one, const struct hardware *two)
{
    for (size_t i = 0; i < hardware_parameter_count(); i++) {
        const struct shown a = hardware_parameter_value(one, i), b = hardware_parameter_value(two, i);
        ck_assert_msg(strcmp(a.text, b.text) == 0, "%s is %s and %s", hardware_parameter_name(i), a.text,
                      b.text);
    }
}

static bool changes_to(struct hardware *hardware, size_t index, const char *value)
{
    const struct shown before = hardware_parameter_value(hardware, index);
    if (hardware_set(hardware, hardware_parameter_name(index), value, &why) != 0)
        return false;
    return strcmp(before.text, hardware_parameter_value(hardware, index).text) != 0;
}

/* Any value but the present one. */
static void change(struct hardware *hardware, size_t index)
{
    static const char *const numbers[] = {"1", "0", "2", "-5", "16", "77", "4000", "0.5", "1e-3", "200e6"};
    const struct hardware_range range = hardware_parameter_range(index);
    for (unsigned i = 0; i < range.name_count; i++)
        if (changes_to(hardware, index, range.names[i]))
            return;
    for (int i = 0; range.name_count == 0 && i < COUNT_OF(numbers); i++)
        if (changes_to(hardware, index, numbers[i]))
            return;
    ck_abort_msg("no other value for %s", hardware_parameter_name(index));
}

/* From a machine in which every number is another one, so that a missing <prop> shows. */
START_TEST(test_shipped_platform_sets_every_default)
{
    struct hardware hardware = hardware_default(), expected = hardware;
    for (size_t i = 0; i < hardware_parameter_count(); i++)
        change(&hardware, i);
    platform_close(open_platform(shipped_platform(), &hardware));
    assert_same_values(&hardware, &expected);
}
END_TEST

/* The machine of the papers differs from the default machine in two numbers only. */
START_TEST(test_published_platform_differs_in_two_numbers)
{
    struct hardware hardware = hardware_default(), expected = hardware;
    platform_close(open_platform(platform_of("dor2010.xml"), &hardware));
    expected.pass.stage2.threshold = 18;
    expected.board.stage2_margin = 1;
    assert_same_values(&hardware, &expected);
}
END_TEST

static const char *const shipped[] = {"mercury-2010.xml", "dor2010.xml", "pcie-gen2-x8.xml",
                                      "pcie-gen3-x16.xml", "modern-host.xml"};

START_TEST(test_shipped_platforms_are_usable)
{
    struct hardware hardware = hardware_default();
    struct platform *platform = open_platform(platform_of(shipped[_i]), &hardware);
    ck_assert_int_eq(hardware_check(&hardware, &why), 0);
    ck_assert_msg(platform_prepare(platform, &hardware, &why) == 0, "%s", why.line);
    platform_close(platform);
}
END_TEST

START_TEST(test_props_stand_anywhere)
{
    struct parts parts = good;
    struct hardware hardware = hardware_default(), expected = hardware;
    parts.board = "<host id='fpga' speed='1f'><prop id='host.cores' value='3'/></host>";
    parts.link = "<link id='pcix' bandwidth='1Bps' latency='0s'>\n<prop id='fifo.wmer' value='64'/></link>\n"
                 "<prop id='bloom.family' value='h3'/>";
    put_parts(&parts);
    platform_close(open_platform(file, &hardware));
    expected.host_cores = 3;
    expected.board.wmer_seeds = 64;
    expected.pass.bloom.family = HASH_H3;
    assert_same_values(&hardware, &expected);
}
END_TEST

static const char *const short_platforms[] = {
    "<platform version='4.1'><prop id='host.cores' value='3'/><prop id='fifo.wmer' value='2^6'/>"
    "<zone id='z' routing='Full'><prop id='bloom.family' value='h3'/></zone></platform>",
    "# a machine\nhost.cores = 3\n\n  fifo.wmer=2^6 # seeds\r\nbloom.family\t=\th3",
};

/* Also of the text that a record keeps. */
START_TEST(test_a_platform_may_have_numbers_only)
{
    struct hardware hardware = hardware_default(), again = hardware, expected = hardware;
    expected.host_cores = 3;
    expected.board.wmer_seeds = 64;
    expected.pass.bloom.family = HASH_H3;
    put_text(short_platforms[_i]);
    struct platform *platform = open_platform(file, &hardware);
    assert_same_values(&hardware, &expected);
    ck_assert_msg(platform_prepare(platform, &hardware, &why) == 0, "%s", why.line);
    size_t bytes;
    char *text = platform_text(platform, NULL, &bytes), *copy = strndup(text, bytes);
    platform_close(platform);
    put_text(copy);
    platform_close(open_platform(file, &again));
    assert_same_values(&again, &expected);
    free(text);
    free(copy);
}
END_TEST

static const struct {
    const char *text, *line;
} bad_lines[] = {
    {"host.cores = 3\nfifo.wmr = 64\n", ":2: no parameter is called 'fifo.wmr'; did you mean fifo.wmer?"},
    {"# a\n\nhost.cores = 0\n", ":3: host.cores = '0': expected a whole number from 1 to 1024"},
    {"host.cores\n", ":1: expected a line like 'fpga.clock = 250MHz', or a SimGrid platform (XML)"},
    {"host cores = 3\n", ":1: expected a line like 'fpga.clock = 250MHz', or a SimGrid platform (XML)"},
    {"host.cores = 3\x01\n", ":1: expected a line like 'fpga.clock = 250MHz', or a SimGrid platform (XML)"},
    {"a = 3 = 4\n", ":1: no parameter is called 'a'"},
    {"host.cores =\n", ":1: host.cores = ''"},
    {"host.cores = 3\nfifo.wmer = 64\nhost.cores = 3\n",
     ":3: host.cores is given twice: expected each name once"},
    {"\xef\xbb\xbfhost.cores = 3\nhost.cores = 4\n",
     ":2: host.cores is given twice: expected each name once"},
};

START_TEST(test_a_bad_line_is_refused_with_its_number)
{
    put_text(bad_lines[_i].text);
    assert_open_refuses(file, PLATFORM_EFORMAT);
    assert_contains(why.line, bad_lines[_i].line);
}
END_TEST

START_TEST(test_without_props_the_defaults_stay)
{
    struct hardware hardware = hardware_default(), expected = hardware;
    put_parts(&good);
    platform_close(open_platform(file, &hardware));
    assert_same_values(&hardware, &expected);
}
END_TEST

static xmlNode *find_element(xmlNode *node, const char *name, const char *id)
{
    for (; node; node = node->next) {
        xmlChar *found = xmlGetProp(node, (const xmlChar *)"id");
        bool same = strcmp((const char *)node->name, name) == 0 && found && strcmp((char *)found, id) == 0;
        xmlFree(found);
        xmlNode *below = same ? node : find_element(node->children, name, id);
        if (below)
            return below;
    }
    return NULL;
}

static void assert_attribute(xmlDoc *document, const char *element, const char *id, const char *attribute,
                             double expected, const char *unit)
{
    xmlNode *node = find_element(xmlDocGetRootElement(document), element, id);
    ck_assert_ptr_nonnull(node);
    xmlChar *text = xmlGetProp(node, (const xmlChar *)attribute);
    char *end;
    double value = strtod((const char *)text, &end);
    ck_assert_msg(value == expected && strcmp(end, unit) == 0, "%s is %s", attribute, text);
    xmlFree(text);
}

/* 3e8 x 0.5 bytes a second on the bus. */
START_TEST(test_overrides_reach_the_effective_copy)
{
    struct hardware hardware = hardware_default();
    struct platform *platform = open_platform(shipped_platform(), &hardware);
    static const char *const overrides[] = {"host.clock=1.25e9", "host.cores=3", "host.supply=123456789",
                                            "pcix.bandwidth=3e8", "pcix.efficiency=0.5"};
    for (int i = 0; i < COUNT_OF(overrides); i++)
        ck_assert_int_eq(hardware_set_assignment(&hardware, overrides[i], &why), 0);
    ck_assert_msg(platform_prepare(platform, &hardware, &why) == 0, "%s", why.line);
    xmlDoc *copy = xmlReadFile(platform_simgrid_file(platform), NULL, XML_PARSE_NONET);
    ck_assert_ptr_nonnull(copy);
    assert_attribute(copy, "host", "host", "speed", 1.25e9, "f");
    assert_attribute(copy, "host", "host", "core", 3, "");
    assert_attribute(copy, "disk", "memory", "read_bw", 123456789, "Bps");
    assert_attribute(copy, "link", "pcix", "bandwidth", 1.5e8, "Bps");
    xmlFreeDoc(copy);
    platform_close(platform);
}
END_TEST

START_TEST(test_the_file_itself_is_not_changed)
{
    struct stat before, after;
    struct hardware hardware = hardware_default();
    put_parts(&good);
    ck_assert_int_eq(stat(file, &before), 0);
    struct platform *platform = open_platform(file, &hardware);
    ck_assert_msg(platform_prepare(platform, &hardware, &why) == 0, "%s", why.line);
    platform_close(platform);
    ck_assert_int_eq(stat(file, &after), 0);
    ck_assert_int_eq(before.st_size, after.st_size);
    ck_assert_int_eq(before.st_mtim.tv_nsec, after.st_mtim.tv_nsec);
}
END_TEST

/* --- limits ---------------------------------------------------------------------------------------------- */

START_TEST(test_comments_are_passed_over)
{
    struct parts parts = good;
    struct hardware hardware = hardware_default();
    parts.disk = "<!-- <prop id='none' value='0'/> --><disk id='memory' read_bw='1Bps' write_bw='1Bps'/>";
    parts.link = "<link id='pcix' bandwidth='1Bps' latency='0s'/><!-- <link id='usb'/> -->";
    put_parts(&parts);
    struct platform *platform = open_platform(file, &hardware);
    ck_assert_msg(platform_prepare(platform, &hardware, &why) == 0, "%s", why.line);
    platform_close(platform);
}
END_TEST

/* A zone may stand in a zone, and the way back may be a route of its own. */
START_TEST(test_the_same_machine_otherwise_written)
{
    struct hardware hardware = hardware_default();
    put_text("<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
             "<platform version='4.1'><zone id='outer' routing='Full'><zone id='inner' routing='Full'>"
             "<host id='host' speed='1f'><disk id='memory' read_bw='1Bps' write_bw='1Bps'/></host>"
             "<host id='fpga' speed='1f'/><link id='pcix' bandwidth='1Bps' latency='0s'/>"
             "<route src='host' dst='fpga' symmetrical='NO'><link_ctn id='pcix'/></route>"
             "<route src='fpga' dst='host' symmetrical='NO'><link_ctn id='pcix'/></route>"
             "</zone></zone></platform>\n");
    struct platform *platform = open_platform(file, &hardware);
    ck_assert_msg(platform_prepare(platform, &hardware, &why) == 0, "%s", why.line);
    platform_close(platform);
}
END_TEST

START_TEST(test_many_platforms_one_after_another)
{
    put_parts(&good);
    for (int i = 0; i < 50; i++) {
        struct hardware hardware = hardware_default();
        platform_close(open_platform(file, &hardware));
    }
    platform_close(NULL);
}
END_TEST

/* --- errors: files --------------------------------------------------------------------------------------- */

START_TEST(test_a_missing_file_is_refused)
{
    assert_open_refuses(file, PLATFORM_EOPEN);
    assert_contains(why.line, "No such file");
}
END_TEST

START_TEST(test_a_directory_is_refused)
{
    assert_open_refuses(directory, PLATFORM_EOPEN);
    assert_contains(why.line, "is a directory");
}
END_TEST

START_TEST(test_an_empty_file_is_refused)
{
    put_text("");
    assert_open_refuses(file, PLATFORM_EOPEN);
    assert_contains(why.line, "is empty");
}
END_TEST

static void assert_at_line(int line)
{
    char place[150];
    snprintf(place, sizeof place, "%s:%d:", file, line);
    assert_contains(why.line, place);
}

/* The root element is not closed: the end of the text, after the third line, is where that shows. */
START_TEST(test_cut_off_xml_is_refused_with_its_line)
{
    put_text("<?xml version='1.0'?>\n<platform version='4.1'>\n<zone id='mercury'");
    assert_open_refuses(file, PLATFORM_EFORMAT);
    assert_at_line(3);
    assert_contains(why.line, "not well-formed XML");
}
END_TEST

START_TEST(test_a_crossed_tag_is_refused_with_its_line)
{
    put_text("<platform>\n<zone>\n</platform>");
    assert_open_refuses(file, PLATFORM_EFORMAT);
    assert_at_line(3);
}
END_TEST

static const char *const not_xml[] = {"fifo wmer\n", "\n\n\n", ">r1\nACGT\n", "\x1f\x8b\x08\x01\x02", "<"};

START_TEST(test_what_is_no_xml_is_refused)
{
    put_text(not_xml[_i]);
    assert_open_refuses(file, PLATFORM_EFORMAT);
}
END_TEST

START_TEST(test_another_root_is_refused)
{
    put_text("<?xml version='1.0'?>\n<html><prop id='fifo.wmer' value='64'/></html>\n");
    assert_open_refuses(file, PLATFORM_EFORMAT);
    assert_contains(why.line, "<platform>");
}
END_TEST

/* --- errors: props --------------------------------------------------------------------------------------- */

static const struct {
    const char *prop, *named;
} bad_props[] = {
    {"<prop id='fifo.wmers' value='64'/>", "did you mean fifo.wmer?"},
    {"<prop id='fifo.wmer' value='15'/>", "from 16 to 1000000"},
    {"<prop id='fifo.wmer' value='many'/>", "'many'"},
    {"<prop id='fifo.wmer' value=''/>", "fifo.wmer"},
    {"<prop id='fifo.wmer'/>", "an id and a value"},
    {"<prop value='64'/>", "an id and a value"},
    {"<prop/>", "an id and a value"},
    {"<prop id='table.family' value='md5'/>", "xxh3, h3 or displaced"},
    {"<prop id='fifo.wmer' value='64'/><prop id='fifo.wmer' value='64'/>", "fifo.wmer is given twice"},
};

/* On line 8: two of the heading, root, zone, host, disk, the end of host. */
START_TEST(test_a_bad_prop_is_refused_with_its_line)
{
    struct parts parts = good;
    parts.board = bad_props[_i].prop;
    put_parts(&parts);
    assert_open_refuses(file, PLATFORM_EFORMAT);
    assert_at_line(8);
    assert_contains(why.line, bad_props[_i].named);
}
END_TEST

/* --- errors: elements ------------------------------------------------------------------------------------ */

static const char *or_good(const char *part, const char *instead)
{
    return part ? part : instead;
}

static struct parts completed(const struct parts *p)
{
    return (struct parts){
        .root = or_good(p->root, good.root),
        .host = or_good(p->host, good.host),
        .disk = or_good(p->disk, good.disk),
        .board = or_good(p->board, good.board),
        .link = or_good(p->link, good.link),
        .route = or_good(p->route, good.route),
    };
}

#define HOSTS_USED "expected the hosts 'host' and 'fpga'"
#define DISK_USED  "expected the disk 'memory' of 'host'"
#define LINK_USED  "expected the links 'pcix' and 'network'"
#define ROUTE_USED "expected the routes from 'host' to 'fpga' and from 'fpga' to 'host'"

/* Lines: 1 and 2 heading, 3 root, 4 zone, 5 host, 6 disk, 7 the end of host, 8 board, 9 link, 10 route. */
static const struct {
    struct parts parts;
    int line;
    const char *named, *used;
} unused[] = {
    {{.host = "<host id='hosts' speed='1f' core='1'>"}, 5, "host 'hosts' is not used", HOSTS_USED},
    {{.board = "<host id='fpga2' speed='1f'/>"}, 8, "host 'fpga2' is not used", HOSTS_USED},
    {{.board = "<host id='fpga' speed='1f'/><host id='other' speed='1f'/>"}, 8, "host 'other'", HOSTS_USED},
    {{.board = "<host speed='1f'/>"}, 8, "host '' is not used", HOSTS_USED},
    {{.board = "<host id='fpga' speed='1f'/>\n<zone id='z'><host id='gpu' speed='1f'/></zone>"},
     9,
     "host 'gpu'",
     HOSTS_USED},
    {{.disk = "<disk id='scratch' read_bw='1Bps' write_bw='1Bps'/>"},
     6,
     "disk 'scratch' of 'host'",
     DISK_USED},
    {{.board = "<host id='fpga' speed='1f'><disk id='memory' read_bw='1Bps' write_bw='1Bps'/></host>"},
     8,
     "disk 'memory' of 'fpga'",
     DISK_USED},
    {{.link = "<link id='pcie' bandwidth='1Bps' latency='0s'/>"}, 9, "link 'pcie' is not used", LINK_USED},
    {{.link =
          "<link id='pcix' bandwidth='1Bps' latency='0s'/><link id='usb' bandwidth='9Bps' latency='0s'/>"},
     9,
     "link 'usb'",
     LINK_USED},
    {{.route = "<route src='host' dst='moon'><link_ctn id='pcix'/></route>"},
     10,
     "route from 'host' to 'moon' is not used",
     ROUTE_USED},
    {{.route = "<route src='host' dst='host'><link_ctn id='pcix'/></route>"},
     10,
     "route from 'host' to 'host'",
     ROUTE_USED},
    {{.route = "<route src='host'><link_ctn id='pcix'/></route>"}, 10, "route from 'host' to ''", ROUTE_USED},
    {{.route = "<route src='host' dst='fpga'>\n<link_ctn id='usb'/></route>"},
     11,
     "link_ctn 'usb' is not used",
     "expected the link_ctn 'pcix'"},
};

START_TEST(test_an_element_that_is_not_used_is_refused_with_its_line)
{
    struct parts parts = completed(&unused[_i].parts);
    put_parts(&parts);
    assert_open_refuses(file, PLATFORM_EFORMAT);
    assert_at_line(unused[_i].line);
    assert_contains(why.line, unused[_i].named);
    assert_contains(why.line, unused[_i].used);
}
END_TEST

/* What SimGrid would take, and what it would not. */
static const char *const strange[] = {
    "cluster id='c' prefix='n' suffix='' radical='0-3' speed='1f' bw='1Bps' lat='0s'",
    "cabinet id='c' prefix='n' suffix='' radical='0-3' speed='1f' bw='1Bps' lat='0s'",
    "peer id='p' speed='1f' bw_in='1Bps' bw_out='1Bps'",
    "router id='r'",
    "backbone id='b' bandwidth='1Bps' latency='0s'",
    "bypassRoute src='host' dst='fpga'",
    "zoneRoute src='a' dst='b' gw_src='host' gw_dst='fpga'",
    "trace id='t'",
    "config",
    "include file='other.xml'",
    "gpu id='gpu'",
};

START_TEST(test_an_element_of_another_kind_is_refused_with_its_line)
{
    char route[300], named[100];
    struct parts parts = good;
    snprintf(route, sizeof route, "%s\n<%s/>", good.route, strange[_i]);
    snprintf(named, sizeof named, "<%.*s> is not used: expected <platform>, <zone>, <prop>, <host>, ",
             (int)strcspn(strange[_i], " "), strange[_i]);
    parts.route = route;
    put_parts(&parts);
    assert_open_refuses(file, PLATFORM_EFORMAT);
    assert_at_line(11);
    assert_contains(why.line, named);
}
END_TEST

static const struct {
    struct parts parts;
    const char *named;
} lacking[] = {
    {{.board = ""}, "<host id=\"fpga\">"},
    {{.disk = ""}, "<disk id=\"memory\">"},
    {{.link = ""}, "<link id=\"pcix\">"},
    {{.route = ""}, "<route src=\"host\" dst=\"fpga\">"},
};

START_TEST(test_a_missing_element_is_named)
{
    struct parts parts = completed(&lacking[_i].parts);
    put_parts(&parts);
    assert_prepare_refuses(PLATFORM_EFORMAT);
    assert_contains(why.line, lacking[_i].named);
}
END_TEST

START_TEST(test_a_missing_host_is_named)
{
    put_text(
        "<platform version='4.1'><zone id='z' routing='Full'><host id='fpga' speed='1f'/></zone></platform>");
    assert_prepare_refuses(PLATFORM_EFORMAT);
    assert_contains(why.line, "<host id=\"host\">");
}
END_TEST

/* --- errors: what SimGrid needs -------------------------------------------------------------------------- */

/* What only SimGrid can tell, most of which it ends the process for. */
static const struct {
    const char *fault;
    struct parts parts;
} nonsense[] = {
    {"an unknown sharing policy",
     {.link = "<link id='pcix' bandwidth='1Bps' latency='0s' sharing_policy='OFTEN'/>"}},
    {"an old version", {.root = "<platform version='3'>"}},
    {"no version", {.root = "<platform>"}},
    {"a bad unit", {.link = "<link id='pcix' bandwidth='1Bps' latency='0 parsecs'/>"}},
    {"the same host twice", {.board = "<host id='fpga' speed='1f'/><host id='fpga' speed='1f'/>"}},
    {"no way back", {.route = "<route src='host' dst='fpga' symmetrical='NO'><link_ctn id='pcix'/></route>"}},
    {"a route without a link", {.route = "<route src='host' dst='fpga'/>"}},
};

START_TEST(test_what_simgrid_cannot_use_is_refused)
{
    struct parts parts = completed(&nonsense[_i].parts);
    put_parts(&parts);
    assert_prepare_refuses(PLATFORM_ESIMGRID);
    assert_contains(why.line, "SimGrid refuses");
}
END_TEST

/* --- suite ----------------------------------------------------------------------------------------------- */

static TCase *core(void)
{
    TCase *tcase = tcase_create("core");
    tcase_add_checked_fixture(tcase, make_directory, remove_directory);
    tcase_add_test(tcase, test_shipped_platform_sets_every_default);
    tcase_add_test(tcase, test_published_platform_differs_in_two_numbers);
    tcase_add_loop_test(tcase, test_shipped_platforms_are_usable, 0, COUNT_OF(shipped));
    tcase_add_test(tcase, test_props_stand_anywhere);
    tcase_add_loop_test(tcase, test_a_platform_may_have_numbers_only, 0, COUNT_OF(short_platforms));
    tcase_add_test(tcase, test_without_props_the_defaults_stay);
    tcase_add_test(tcase, test_overrides_reach_the_effective_copy);
    tcase_add_test(tcase, test_the_file_itself_is_not_changed);
    return tcase;
}

static TCase *limits(void)
{
    TCase *tcase = tcase_create("limits");
    tcase_add_checked_fixture(tcase, make_directory, remove_directory);
    tcase_add_test(tcase, test_hosts_have_a_network);
    tcase_add_test(tcase, test_further_hosts_of_two_ways);
    tcase_add_test(tcase, test_network_without_use_or_bandwidth_is_refused);
    tcase_add_test(tcase, test_comments_are_passed_over);
    tcase_add_test(tcase, test_the_same_machine_otherwise_written);
    tcase_add_test(tcase, test_many_platforms_one_after_another);
    return tcase;
}

static TCase *errors(void)
{
    TCase *tcase = tcase_create("errors");
    tcase_add_checked_fixture(tcase, make_directory, remove_directory);
    tcase_add_test(tcase, test_a_missing_file_is_refused);
    tcase_add_test(tcase, test_a_directory_is_refused);
    tcase_add_test(tcase, test_an_empty_file_is_refused);
    tcase_add_test(tcase, test_cut_off_xml_is_refused_with_its_line);
    tcase_add_test(tcase, test_a_crossed_tag_is_refused_with_its_line);
    tcase_add_loop_test(tcase, test_what_is_no_xml_is_refused, 0, COUNT_OF(not_xml));
    tcase_add_loop_test(tcase, test_a_bad_line_is_refused_with_its_number, 0, COUNT_OF(bad_lines));
    tcase_add_test(tcase, test_another_root_is_refused);
    tcase_add_loop_test(tcase, test_a_bad_prop_is_refused_with_its_line, 0, COUNT_OF(bad_props));
    tcase_add_loop_test(tcase, test_an_element_that_is_not_used_is_refused_with_its_line, 0,
                        COUNT_OF(unused));
    tcase_add_loop_test(tcase, test_an_element_of_another_kind_is_refused_with_its_line, 0,
                        COUNT_OF(strange));
    tcase_add_loop_test(tcase, test_a_missing_element_is_named, 0, COUNT_OF(lacking));
    tcase_add_test(tcase, test_a_missing_host_is_named);
    tcase_add_loop_test(tcase, test_what_simgrid_cannot_use_is_refused, 0, COUNT_OF(nonsense));
    return tcase;
}

int main(void)
{
    Suite *suite = suite_create("platform");
    suite_add_tcase(suite, core());
    suite_add_tcase(suite, limits());
    suite_add_tcase(suite, errors());
    return run_suite(suite);
}
