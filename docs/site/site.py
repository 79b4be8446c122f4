#!/usr/bin/env python3
"""site.py MERCURY SOURCE_DIRECTORY OUTPUT_DIRECTORY [DEPENDENCIES] - the documents as pages for a browser.

README.md is index.html; each document of docs/, CHANGELOG.md and CONTRIBUTING.md is a page, and so is the help of each
command. The pages need nothing but each other: no script, nothing from elsewhere. cmark-gfm turns Markdown into HTML.
A link that leads to no page, or to no heading of one, is an error: one line per link, exit status 1. DEPENDENCIES is
a file that says, as make does, what the pages are made from.
"""
import html
import os
import re
import shutil
import subprocess
import sys

MARKDOWN = ["cmark-gfm", "--unsafe", "--extension", "table", "--extension", "autolink"]


def run(*command, text=None):
    return subprocess.run(command, input=text, text=True, check=True, stdout=subprocess.PIPE).stdout


def page_of(path):
    """The page of a document: docs/models.md is models.html."""
    name = os.path.splitext(os.path.basename(path))[0]
    return {"README": "index"}.get(name, name.lower()) + ".html"


def slug(heading, taken):
    """A heading's anchor, as GitHub makes it: that is what the documents link to."""
    text = html.unescape(re.sub(r"<[^>]*>", "", heading)).strip().lower()
    anchor = plain = re.sub(r"[^\w\- ]", "", text).replace(" ", "-")
    while anchor in taken:
        taken[plain] += 1
        anchor = f"{plain}-{taken[plain]}"
    taken[anchor] = 0
    return anchor


def with_anchors(body):
    taken = {}

    def anchored(match):
        level, text = match[1], match[2]
        anchor = slug(text, taken)
        return f'<h{level} id="{anchor}"><a class="anchor" href="#{anchor}">{text}</a></h{level}>'

    return re.sub(r"<h([1-6])>(.*?)</h\1>", anchored, body)


def with_links(body):
    """Links to documents and pictures lead to their pages and copies; others stay as they are."""

    def linked(match):
        attribute, target, anchor = match[1], match[2], match[3] or ""
        if target.endswith(".md"):
            target = page_of(target)
        elif target.endswith(".svg"):
            target = os.path.basename(target)
        return f'{attribute}="{target}{anchor}"'

    return re.sub(r'\b(href|src)="((?!https?:)[^"#]*)(#[^"]*)?"', linked, body)


def document(path):
    """A document's title and body. What its HTML comments say is meant for the tests."""
    with open(path, encoding="utf-8") as file:
        text = re.sub(r"<!--.*?-->", "", file.read(), flags=re.S)
    title = re.search(r"^# (.*)", text, re.M)[1]
    body = run(*MARKDOWN, text=text).replace("<table>", '<div class="wide"><table>').replace("</table>", "</table></div>")
    return title, with_links(with_anchors(body))


def help_page(mercury, command):
    text = run(mercury, "help", command)
    return f"mercury {command}", f"<h1>mercury {command}</h1>\n<pre>{html.escape(text)}</pre>\n"


def navigation(pages, current):
    def links(names):
        return "".join(f'<li><a href="{page}"{" aria-current=page" if page == current else ""}>{html.escape(label)}</a></li>'
                       for page, label in names)

    documents = [(page, title) for page, (title, _, is_command) in pages.items() if not is_command]
    commands = [(page, title.split()[1]) for page, (title, _, is_command) in pages.items() if is_command]
    return (f"<a class=\"to-pages\" href=\"#pages\">All pages</a>\n<nav id=\"pages\"><details open><summary>Documents</summary><ul>{links(documents)}</ul></details>"
            f"<details open><summary>Commands</summary><ul>{links(commands)}</ul></details></nav>")


def wrong_links(directory):
    """What links lead nowhere: page and target."""
    places = {}
    for name in sorted(os.listdir(directory)):
        places[name] = set()
        if name.endswith(".html"):
            with open(os.path.join(directory, name), encoding="utf-8") as file:
                text = file.read()
            places[name] = set(re.findall(r'\bid="([^"]*)"', text))
    for name in (name for name in places if name.endswith(".html")):
        with open(os.path.join(directory, name), encoding="utf-8") as file:
            for target, anchor in re.findall(r'\b(?:href|src)="((?!https?:)[^"#]*)(?:#([^"]*))?"', file.read()):
                target = target or name
                if target not in places or (anchor and anchor not in places[target]):
                    yield f"{name}: {target}{'#' + anchor if anchor else ''}: no such page or heading"


def main():
    if len(sys.argv) not in (4, 5):
        sys.exit(__doc__)
    mercury, source, output = sys.argv[1:4]
    here = os.path.join(source, "docs")
    first = ["tutorial", "comparing", "seeing", "measuring", "models", "hardware"]
    rest = sorted(name[:-3] for name in os.listdir(here) if name.endswith(".md") and name[:-3] not in first)
    paths = ["README.md"] + [f"docs/{name}.md" for name in first + rest] + ["CONTRIBUTING.md", "CHANGELOG.md"]
    pages = {page_of(path): (*document(os.path.join(source, path)), False) for path in paths}
    for command in re.findall(r"^  mercury ([a-z]+) .*", run(mercury, "--help"), re.M):
        if command != "help":
            pages[f"command-{command}.html"] = (*help_page(mercury, command), True)

    shutil.rmtree(output, ignore_errors=True)
    os.makedirs(output)
    for page, (title, body, _) in pages.items():
        with open(os.path.join(output, page), "w", encoding="utf-8") as file:
            file.write(f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
                       f'<meta name="viewport" content="width=device-width">\n<meta name="color-scheme" content="light dark">\n'
                       f'<title>{html.escape(title)}{"" if page == "index.html" else " - Mercury"}</title>\n'
                       f'<link rel="stylesheet" href="site.css">\n</head>\n<body>\n{navigation(pages, page)}\n'
                       f'<main>\n{body}</main>\n</body>\n</html>\n')
    copied = ["docs/site/site.css", "CITATION.cff"] + [f"docs/{name}" for name in os.listdir(here) if name.endswith(".svg")]
    for path in copied:
        shutil.copy(os.path.join(source, path), output)
    if len(sys.argv) == 5:
        with open(sys.argv[4], "w", encoding="utf-8") as file:
            file.write(f"{output}: {' '.join(os.path.join(source, path) for path in paths + copied)}\n")

    wrong = list(wrong_links(output))
    for line in wrong:
        print(f"site.py: {line}", file=sys.stderr)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
