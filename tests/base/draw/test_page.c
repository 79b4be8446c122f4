/* test_page.c - texts in HTML, sections and their links. */
#include "base/draw/page.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/run_suite.h"

static char *written;
static size_t written_bytes;

START_TEST(test_texts_are_escaped_and_the_format_is_not)
{
    FILE *out = open_memstream(&written, &written_bytes);
    page_put(out, "<b>%s</b> %.*s %d%% %u %zu %.2f %g", "a<b", 3, "truncated", -1, 2U, (size_t)3, 0.5, 1e-9);
    fclose(out);
    ck_assert_str_eq(written, "<b>a&lt;b</b> tru -1% 2 3 0.50 1e-09");
    free(written);
}
END_TEST

static void write_data(const void *data, FILE *out)
{
    page_put(out, "%s\n", (const char *)data);
}

/* A section without a title has no element; one that nothing writes is not there. */
START_TEST(test_sections)
{
    const struct page_section sections[] = {{NULL, NULL, write_data, "banner"},
                                            {"a", "A & B", write_data, "text"},
                                            {"b", "Not there", NULL, NULL}};
    FILE *out = open_memstream(&written, &written_bytes);
    page_write_sections(sections, 3, out);
    fclose(out);
    ck_assert_str_eq(written, "banner\n<section id=\"a\">\n<h2>A &amp; B</h2>\ntext\n</section>\n");
    free(written);
}
END_TEST

START_TEST(test_links)
{
    const struct page_section sections[] = {{"a", "First", write_data, "1"},
                                            {"b", "Not there", NULL, NULL},
                                            {"c", "Third", write_data, "3", "3rd"}};
    char path[] = "/tmp/mercury-page-XXXXXX", text[20000] = "";
    struct why why;
    close(mkstemp(path));
    ck_assert_int_eq(page_write(path, "T", "What", sections, 3, &why), 0);
    FILE *file = fopen(path, "r");
    ck_assert_uint_gt(fread(text, 1, sizeof text - 1, file), 0);
    fclose(file);
    remove(path);
    ck_assert_ptr_nonnull(
        strstr(text, "<nav><a href=\"#a\">First</a> · <a href=\"#c\">3rd</a></nav>\n<section id=\"a\">"));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("page");
    TCase *core = tcase_create("core");
    tcase_add_test(core, test_texts_are_escaped_and_the_format_is_not);
    tcase_add_test(core, test_sections);
    tcase_add_test(core, test_links);
    suite_add_tcase(suite, core);
    return run_suite(suite);
}
