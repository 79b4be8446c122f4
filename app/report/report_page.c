#include "app/report/report_page.h"

#include "base/command.h"
#include "base/file/output.h"
#include "base/draw/svg.h"
#include "app/report/report_part.h"

static const char style[] =
    "*{box-sizing:border-box}\n"
    "body{margin:0 auto;max-width:1060px;padding:0 16px 48px;background:var(--paper);color:var(--ink);"
    "font:16px/1.5 Helvetica,Arial,'Liberation Sans','DejaVu Sans',sans-serif}\n"
    "h1{font-size:1.5rem;margin:1.2em 0 .3em;overflow-wrap:anywhere}h2{font-size:1.2rem;margin:2em 0 .4em;"
    "border-bottom:1px solid var(--grid);padding-bottom:.2em}h3{font-size:1rem;margin:1.4em 0 .4em}\n"
    "p,li,dd{max-width:75ch}.answer{font-size:1.08rem}.note,.where{color:var(--muted);font-size:.9rem}\n"
    ".empty{border:1px dashed var(--axis);padding:.8em 1em;color:var(--muted)}\n"
    "nav{font-size:.9rem;color:var(--muted)}nav a{white-space:nowrap}a{color:var(--blue)}\n"
    "figure,.scroll{margin:.8em 0;overflow-x:auto}figure svg{display:block;width:100%;min-width:760px;height:auto}\n"
    "table{border-collapse:collapse;font-size:.85rem}th,td{padding:.2em .8em .2em 0;text-align:left;vertical-align:top;"
    "border-bottom:1px solid var(--grid)}td{overflow-wrap:anywhere}.scroll td{overflow-wrap:normal;white-space:nowrap}"
    ".scroll table{font-size:.78rem}.n{text-align:right;font-variant-numeric:tabular-nums}"
    ".scroll .numbers th,.scroll .numbers td{white-space:normal;padding-right:.5em}"
    ".scroll .numbers .n{white-space:nowrap}"
    "thead th{white-space:nowrap}th{font-weight:600}\n"
    "dt{margin-top:.6em}dd{margin:0 0 0 1.5em}code{font-size:.9em}details summary{cursor:pointer;margin:.8em 0}\n"
    "@media print{@page{size:A4;margin:14mm}body{max-width:none;padding:0;font-size:10pt}nav{display:none}"
    "figure svg{min-width:0;max-height:240mm}figure,.scroll{overflow:visible}figure{break-inside:avoid}"
    "h2,h3,section>p:first-of-type,dt{break-after:avoid}p,li,dd,tr{break-inside:avoid}"
    ".scroll table{font-size:6.5pt}}\n";

void report_page_begin(const char *title, const char *what, FILE *out)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<title>",
          out);
    report_text(out, "%s - Mercury", title);
    fputs("</title>\n<style>\n", out);
    svg_write_variables(out);
    fputs(style, out);
    fputs("</style>\n</head>\n<body>\n<h1>", out);
    report_text(out, "%s", title);
    fputs("</h1>\n<p class=\"where\">", out);
    report_text(out, "%s, simulated by mercury " MERCURY_VERSION ".", what);
    fputs("</p>\n", out);
}

void report_page_end(FILE *out)
{
    fputs("</body>\n</html>\n", out);
}

void report_page_write_words(const char *const (*words)[2], size_t count, const char *note, FILE *out)
{
    fputs("<section id=\"words\">\n<h2>The words</h2>\n<dl>\n", out);
    for (size_t i = 0; i < count; i++) {
        fputs("<dt><code>", out);
        report_text(out, "%s", words[i][0]);
        fputs("</code></dt><dd>", out);
        report_text(out, "%s", words[i][1]);
        fputs("</dd>\n", out);
    }
    fprintf(out, "</dl>\n<p class=\"note\">%s</p>\n</section>\n", note);
}

int report_page_write_file(const char *path, report_page_writer *write, void *page, struct why *why)
{
    struct output output;
    if (output_open(&output, path, why) != 0)
        return COMMAND_REFUSED;
    int status = write(page, output.file, why);
    if (status == 0 || ferror(output.file)) /* output_commit() says why it cannot be written */
        return output_commit(&output, why) != 0 ? COMMAND_REFUSED : 0;
    output_discard(&output);
    return status;
}
