#!/bin/bash
# test_release.sh MERCURY SOURCE_DIRECTORY - one version everywhere, a package that is built with what quickstart installs,
# and a licence for every file.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
begin "$@"
cd "$source_directory" || exit 2

# words_of FILE FIELD: the packages of a field of a Debian control file, a line each, without versions.
words_of() {
    awk -v field="$2:" '
        /^[^ ]/ { on = $1 == field; sub(/^[^ ]*/, "") }
        on { gsub(/,/, "\n"); print }' "$1" | sed -E 's/\([^)]*\)//; s/[[:space:]]//g; /^$/d' | sort -u
}

test_one_version() {
    local version
    version=$(sed -n "s/^ *version: '\(.*\)',$/\1/p" meson.build)
    check "meson has a version of three numbers" grep -qxE '[0-9]+\.[0-9]+\.[0-9]+' <<<"$version"
    check "mercury --version" grep -q "^mercury $version\$" <("$mercury" --version)
    check "CITATION.cff" grep -qx "version: $version" CITATION.cff
    check "debian/changelog" grep -q "^mercury-blastn ($version-[0-9]*) " <(head -n 1 debian/changelog)
}

# What quickstart installs to build the program is what the package is built with, but for what Debian's builders have.
test_packages() {
    local wanted
    words_of debian/control Build-Depends | grep -vx debhelper-compat >"$work/package"
    wanted=$(sed -n 's/^\(tools\|libraries\|optional\)=(\(.*\))$/\2/p' quickstart | tr ' ' '\n' |
        grep -E -e '-dev$|^meson$|^pkgconf$|^cmark-gfm$' | grep -vx libc6-dev | sort -u)
    check_same "Build-Depends are what quickstart installs" "$work/package" <(echo "$wanted")
    wanted=$(sed -n "s/^packages = {'simgrid': \['libsimgrid-dev', '>=\([0-9.]*\)'.*/\1/p" meson.build)
    check "the oldest SimGrid is meson's" grep -q "libsimgrid-dev (>= $wanted)" debian/control
    wanted=$(sed -n 's/^genomes=(\(.*\))$/\1/p' quickstart | tr ' ' '\n' | sort)
    words_of debian/tests/control Depends | grep -vx @ >"$work/genomes"
    check_same "the package's test has the genomes of quickstart" "$work/genomes" <(echo "$wanted")
}

test_licences() {
    check_same "the licence is kept once" LICENSE LICENSES/GPL-3.0-or-later.txt
    if command -v reuse >/dev/null; then
        check "reuse lint" reuse lint
    else
        skip "reuse lint" "no reuse"
    fi
}

test_one_version
test_packages
test_licences
finish
