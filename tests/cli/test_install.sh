#!/bin/bash
# test_install.sh MERCURY SOURCE_DIRECTORY - the path of a new user: a user without root installs into the home directory,
# reads docs/tutorial.md there, and does what it says; at last nothing is left of it.
#
# The commands run one by one as test_docs.sh says, in a clean environment: an empty one but for HOME, PATH and a locale
# with a decimal comma (if it can be made), in another directory; nothing is at the source's and the build's places, where
# Linux lets a process have mounts of its own; root becomes nobody.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/cli/documents.sh
. "$(dirname "$0")/documents.sh"
begin "$@"

build=$(dirname "$mercury")
home=$scratch/home
prefix=$home/.local
documents=$prefix/share/doc/mercury
have meson || skip_all "meson is not installed"

# become: how to be a user without root; own: how to have mounts of one's own.
find_means() {
    become=() own=()
    if [ "$(id -u)" -eq 0 ] && have setpriv; then
        become=(setpriv --reuid=65534 --regid=65534 --clear-groups)
        own=(unshare --mount)
    else
        own=(unshare --user --map-root-user --mount)
    fi
    "${own[@]}" mount -t tmpfs none "$scratch" 2>/dev/null || own=()
}

# with_mounts MOUNT COMMAND...: runs it after the shell command MOUNT, in which $1 is the source and $2 the build, where
# that is possible.
with_mounts() {
    local mount=$1
    shift
    if [ ${#own[@]} -gt 0 ]; then
        # shellcheck disable=SC2016 # expanded by the other shell
        "${own[@]}" sh -c "$mount"' && shift 3 && cd "$PWD" && exec "$@"' sh "$source_directory" "$build" \
            "$scratch/logs" "${become[@]}" "$@"
    else
        "${become[@]}" "$@"
    fi
}

# clean COMMAND...
clean() {
    # shellcheck disable=SC2016
    with_mounts 'mount -t tmpfs -o size=4k none "$2" && { [ ! -d "$1" ] || mount -t tmpfs -o size=4k none "$1"; }' \
        env -i HOME="$home" PATH="$prefix/bin:$scratch/bin:/usr/bin:/bin" LC_ALL="$locale" LOCPATH="$locales" "$@"
}

make_places() {
    mkdir -p "$home" "$prefix" "$scratch/root/usr" "$scratch/logs"
    ln -s "$prefix" "$scratch/root$configured"
    chmod 755 "$scratch"
    [ ${#become[@]} -eq 0 ] || chown -R 65534:65534 "$scratch"
}

# A decimal comma
make_locale() {
    locales=$scratch/locales
    locale=C
    mkdir "$locales"
    if have localedef && localedef -i de_DE -f UTF-8 "$locales/de_DE.UTF-8" 2>/dev/null; then
        locale=de_DE.UTF-8
        check "the locale has a decimal comma" test "$(LOCPATH=$locales LC_ALL=$locale locale decimal_point)" = ,
    fi
}

# The configured prefix is a link to the user's, so that the build need not be configured again. Meson's log, by which it
# uninstalls, is the user's, too.
meson_user() { # COMMAND...
    # shellcheck disable=SC2016
    with_mounts 'mount --bind "$3" "$2/meson-logs"' env HOME="$home" PYTHONDONTWRITEBYTECODE=1 "$@"
}

test_installation() {
    check "a user without root installs" \
        meson_user meson install -C "$build" --no-rebuild --quiet --destdir "$scratch/root"
    check "the program is in bin" test -x "$prefix/bin/mercury"
    check "nothing is writable for others" test -z "$(find "$prefix" -perm /022 ! -type l)"
    report "the program names no place where it was built or configured to be" \
        "$(find "$prefix/bin" "$prefix/lib" -type f -exec strings -a {} + | # what is for debuggers, too
            grep -F -e "$build" -e "$source_directory" -e "$configured/share" -e "$configured/lib")"
    check "completion is where bash looks for it" test -s "$prefix/share/bash-completion/completions/mercury.bash"
    check "and there are pages of the manual" test -s "$prefix/share/man/man1/mercury-run.1"
    check "and the licence" test -s "$documents/LICENSE"
    report "links of the documents lead to what is installed" \
        "$(for document in "$documents"/{README.md,docs/*.md}; do links_of "$document"; done)"
}

test_tutorial() {
    local command
    [ -f /usr/share/doc/bowtie2/examples/reference/lambda_virus.fa.gz ] || return
    mkdir "$work/elsewhere"
    cd "$work/elsewhere" || exit 2
    [ ${#become[@]} -eq 0 ] || chown 65534:65534 .
    if [ ${#own[@]} -eq 0 ]; then
        skip "the build and the source are out of sight" "no mounts of its own"
    else
        check "the build and the source are out of sight" \
            clean test ! -e "$build/mercury" -a ! -e "$source_directory/README.md"
    fi
    around=(clean)
    mkdir "$scratch/bin"
    ! have python3 || cp "$source_directory/tests/cli/says.py" "$scratch/bin/says"
    prose=$(prose_of "$documents/docs/tutorial.md")
    report "the tutorial's blocks of code say what they are" \
        "$(source_directory=$documents take_apart "$documents/docs/tutorial.md")"
    for command in *.command; do
        run_command "${command%.command}"
    done
    check "the platform is the installed one" grep -q "\"$prefix/share/mercury/platforms/mercury-2010.xml\"" out/run.json
    check "a network is found by its name" clean mercury queue --closed two-boards --customers 1000
    check "a scenario is found by its name" test -f "$prefix/share/mercury/scenarios/timetrial-collisions"
    check "nothing was left in the home directory" test "$(ls -A "$home")" = .local
}

test_uninstallation() {
    cd "$build" || exit 2 # where ninja would run this command for its target `uninstall`
    check "it uninstalls" meson_user meson --internal uninstall
    check "nothing is left" test -z "$(ls -A "$prefix")"
}

configured=$(meson introspect --buildoptions "$build" 2>/dev/null | tr '{' '\n' | sed -n 's/.*"name": "prefix", "value": "\([^"]*\)".*/\1/p')
[ -n "$configured" ] || skip_all "the prefix of the build is not known"
find_means
make_places
"${become[@]}" test -r "$build/mercury" -a -x "$source_directory" ||
    skip_all "the user without root may not enter $source_directory"
make_locale
test_installation
test_tutorial
test_uninstallation
finish
