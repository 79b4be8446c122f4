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
    check "CHANGELOG.md" grep -qx "## $version" <(grep -m 1 '^## ' CHANGELOG.md)
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

# configure SIMGRID_VERSION [LIBRARY]: a build directory as on a system with this SimGrid, and without that library; what
# pkg-config says of the others is true.
configure() {
    local found
    mkdir -p "$work/pc"
    for found in simgrid htslib liblz4 libxxhash gsl jansson libmicrohttpd libxml-2.0 sqlite3; do
        sed '/^Requires/d' "$(pkg-config --variable=pcfiledir "$found")/$found.pc" >"$work/pc/$found.pc"
    done
    sed -i "s/^Version:.*/Version: $1/" "$work/pc/simgrid.pc"
    [ $# -lt 2 ] || rm "$work/pc/$2.pc"
    rm -rf "$work/build"
    PKG_CONFIG_LIBDIR=$work/pc meson setup "$work/build" . -Dmpi=disabled -Dtests=disabled >"$scratch/out" 2>&1
    status=$?
}

test_libraries() {
    if ! have meson || ! have pkg-config; then
        skip "what a build says of libraries" "no Meson, or no pkg-config"
        return
    fi
    configure 3.31 htslib
    check_number "without HTSlib, and with a SimGrid that is too old, there is no build" "$status" '!=' 0
    check "and it says what to install" grep -qF "simgrid is 3.31, which has to be >=3.32, htslib is missing; on Debian \
(12 or later): apt install libsimgrid-dev libhts-dev" "$scratch/out"
    configure 4.99
    check_number "with a SimGrid that nobody has tried there is a build" "$status" == 0
    check "and it says so" grep -qE 'WARNING: SimGrid 4\.99 has not been tried: .*3\.32.*libsimgrid-dev' "$scratch/out"
    configure "$(pkg-config --modversion simgrid)"
    check_not "of the one that is here it says nothing" grep -q 'has not been tried' "$scratch/out"
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
test_libraries
test_licences
finish
