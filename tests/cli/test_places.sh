#!/bin/bash
# test_places.sh MERCURY SOURCE_DIRECTORY - the program finds its data and its module wherever its build directory is, from
# any working directory, without the source tree. Of an installation test_install.sh asks it.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
begin "$@"

build=$(dirname "$mercury")
{
    echo '>q'
    dna 1 3000
} >q.fa
sed 's/^>q/>d/' q.fa >d.fa

# finds_all DESCRIPTION PLACE: of the program that $mercury names; its data lie under PLACE.
finds_all() {
    run run -q q.fa -d d.fa -o out
    report "$1: the default platform, the default directives and SimGrid's module" "$(success_problem)"
    check "$1: the platform is its own" grep -q "\"$2/platforms/mercury-2010.xml\"" out/run.json
    check "$1: the directives were followed" test -s out/frames.tsv
    tells "$1: the machines" "^dor2010"$'\t'"$2/platforms/dor2010\\.xml" platforms --format tsv
    expect_refusal "$1: a scenario by its name" 'vary: fifo\.wmer' \
        sweep timetrial-collisions --vary fifo.wmer=1 --store none.db
    tells "$1: a network by its name" '^MVA is exact' queue --closed two-boards --customers 1000
    rm -rf out
}

# loads_unused: whether the program loads what only ns-3 itself, or only Fortran's library, needs
loads_unused() {
    LD_DEBUG=files "$mercury" run -q q.fa -d d.fa --quiet 2>&1 | grep -Eq 'file=(libns3-stats|libquadmath)'
}

# A copy of what was built runs elsewhere; without its data, it says what is missing. Stand-ins for libraries that are not
# used are not copied: then those libraries serve as well.
test_copied_build() {
    local place=$scratch/elsewhere
    mkdir -p "$place/sim/simgrid"
    cp "$build/mercury" "$place"
    cp "$build/sim/mercury-xml.so" "$place/sim"
    cp "$build/sim/simgrid/mercury-simgrid.so" "$place/sim/simgrid"
    cp -r "$build/data" "$place"
    mercury=$place/mercury
    finds_all "a copied build" "$place/data"
    mv "$place/sim/simgrid" "$scratch/simgrid"
    LD_LIBRARY_PATH=$scratch/simgrid expect_refusal "a module elsewhere is none" "$place/sim/simgrid/mercury-simgrid.so: cannot open" \
        run -q q.fa -d d.fa
    mv "$scratch/simgrid" "$place/sim"
    test_cut_modules "$place"
    ln -s "$place/mercury" linked
    mercury=./linked
    finds_all "a symbolic link to it" "$place/data"
    mercury=$place/mercury
    rm -r "$place/data"
    expect_refusal "without data no platform is found" 'default platform is not where' run -q q.fa -d d.fa
    expect_refusal "without data no machine is found" 'dor2010 platform is not where' \
        run --machine dor2010 -q q.fa -d d.fa
    expect_refusal "without data no machines are listed" 'default platform is not where' platforms
    expect_refusal "without data no scenario is found" 'no such scenario' sweep timetrial-collisions --store none.db
    expect_refusal "without data no machine of an estimate is found" 'nosuch: cannot be read: No such file' estimate nosuch
    expect_refusal "without data no network is found" 'two-boards: No such file' queue --closed two-boards
    expect_refusal "without data no directives are found" 'default directives are not where' \
        run -p "$platform" -q q.fa -d d.fa -o out
}

# A library whose last bytes are missing would end the program by SIGBUS when it is loaded.
test_cut_modules() { # PLACE
    local module=$1/sim/simgrid/mercury-simgrid.so bytes
    mv "$module" whole.so
    for bytes in 0 30 4096 $(($(wc -c <whole.so) / 2)) $(($(wc -c <whole.so) - 1)); do
        head -c "$bytes" whole.so >"$module"
        expect_refusal "SimGrid's module of $bytes bytes" "build or install it again: $module: .*too short" \
            run -q q.fa -d d.fa
    done
    mv whole.so "$module"
    mv "$1/sim/mercury-xml.so" whole.so
    head -c 5000 whole.so >"$1/sim/mercury-xml.so"
    expect_refusal "libxml2's module of 5000 bytes" "$1/sim/mercury-xml.so: .*too short" run -q q.fa -d d.fa
    mv whole.so "$1/sim/mercury-xml.so"
    [ -e "$build/app/mercury-http.so" ] || return
    mkdir "$1/app"
    head -c 5000 "$build/app/mercury-http.so" >"$1/app/mercury-http.so"
    run run -q q.fa -d d.fa --quiet --record recorded.tokens
    expect_refusal "the explorer's module of 5000 bytes" "$1/app/mercury-http.so: the file is too short" \
        explore recorded.tokens --for 1s
}

# Without /proc a simulation cannot be, but the program finds its data, and says what is missing.
test_no_proc() {
    local user=-r problem
    [ "$(id -u)" -ne 0 ] || user=''
    # shellcheck disable=SC2086 # no user is no argument
    if ! unshare $user -m mount -t tmpfs none /proc 2>/dev/null; then
        skip "without /proc" "nothing can be mounted"
        return
    fi
    # shellcheck disable=SC2086,SC2016 # expanded by the other shell
    unshare $user -m sh -c 'mount -t tmpfs none /proc && "$0" platforms --format tsv >machines && exec "$0" "$@"' \
        "$mercury" run -q q.fa -d d.fa -o out >"$scratch/out" 2>"$scratch/err"
    status=$?
    problem=$(refusal_problem 'a simulation needs /proc: mount it')
    report "without /proc a run says what is missing" "$problem"
    check "without /proc machines are found" grep -q "^dor2010"$'\t'"$build/data/" machines
    check_not "without /proc there is no directory of a run" test -e out
}

test_unused_libraries() {
    if compgen -G "$build/sim/simgrid/lib*.so*" >/dev/null; then
        check_not "ns-3 and Fortran's library are not loaded" loads_unused
    else
        skip "ns-3 and Fortran's library are not loaded" "this build has no stand-ins for them"
    fi
}

test_unused_libraries
test_no_proc
test_copied_build
finish
