#!/bin/bash
# test_quickstart.sh MERCURY SOURCE_DIRECTORY - what `quickstart test` says at its very end names what failed, and why.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
begin "$@"

# A project whose tests fail in every way, with Meson's own logs.
make_project() {
    mkdir many
    cat >tap <<'END'
#!/bin/sh
printf 'ok 1 - good\n# no reason\nnot ok 2 - SIGINT: retime: 130\n# 3 lines, expected one\n# it said: x\nok 3 - fine\n1..3\n'
END
    cat >suite <<'END'
#!/bin/sh
printf 'Running suite(s): board\n50%%: Checks: 2, Failures: 1, Errors: 0\ntest_board.c:31:F:core:test_clocks:0: not 4\n'
exit 1
END
    printf '#!/bin/sh\nseq 20\nexit 3\n' >silent
    printf '#!/bin/sh\nexit 0\n' >good
    chmod +x tap suite silent good
    cat >meson.build <<'END'
project('mercury')
test('cli_faults', find_program('tap'), protocol: 'tap', suite: 'cli')
test('board', find_program('suite'))
test('silent', find_program('silent'))
test('good', find_program('good'))
END
    cat >many/meson.build <<'END'
project('mercury')
foreach i : range(60)
  test('t@0@'.format(i), find_program('false'))
endforeach
END
}

run_project() { # DIRECTORY BUILD
    meson setup "$2" "$1" >"$scratch/out" 2>&1
    meson test -C "$2" >"$scratch/out" 2>&1
}

failures() {
    "$source_directory/tests/failures.py" "$@"
}

if ! have meson || ! have python3; then
    skip_all "no Meson, or no Python"
fi
make_project
run_project . build
run_project many more
sort >expected <<'END'
failed: cli_faults in build (fail)
  not ok 2 - SIGINT: retime: 130
  # 3 lines, expected one
  # it said: x
failed: board in build (fail)
  test_board.c:31:F:core:test_clocks:0: not 4
failed: silent in build (fail)
  17
  18
  19
  20
END
failures build | sort >said # tests end in any order
check_same "what failed, and why" said expected
check_number "many failures are cut" "$(failures build more | wc -l)" == 40
check_number "and it is said of how many" "$(failures build more | tail -n 1 | grep -c '^and 24 more$')" == 1
check_number "nothing failed: nothing is said" "$(failures nowhere | wc -l)" == 0
check "quickstart says it last" \
    test "$(grep -A 2 'passed, %d failed, %d skipped' "$source_directory/quickstart" | grep -c tests/failures.py)" = 1
finish
