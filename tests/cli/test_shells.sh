#!/bin/bash
# test_shells.sh MERCURY SOURCE_DIRECTORY - bash, zsh and fish complete commands, options and values, and every command has
# a manual page with its help.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
begin "$@"

build=$(dirname "$mercury")

# completes SHELL DESCRIPTION EXPECTED WORD...: what COMPLETER, of each shell, prints for the words of a line
completes() {
    local shell=$1 description=$2 expected=$3
    shift 3
    "complete_in_$shell" "$@" >completed 2>"$scratch/err"
    [ ! -s "$scratch/err" ] || fail "$shell: $description" "$(cat "$scratch/err")"
    check_number "$shell: $description" "$(tr ' ' '\n' <completed | grep -c -x -E -e "$expected")" == "$(wc -w <completed)"
    check_number "$shell: $description: there are some" "$(wc -w <completed)" '>' 0
}

complete_in_bash() {
    # shellcheck disable=SC2016 # expanded by the other shell
    bash -c 'source mercury.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _mercury; echo "${COMPREPLY[@]}"' bash mercury "$@"
}

# What compsys would be told, which needs a terminal
complete_in_zsh() {
    # shellcheck disable=SC2016
    zsh -f -c 'compadd() { while [[ $1 != -- ]]; do [[ $1 != -S ]] || shift; shift; done; shift
            set -- ${(M)@:#${words[CURRENT]}*}; [[ $# -gt 0 ]] && print -r -- $@; }
        _files() { print -r -- ${words[CURRENT]}*(N); }; compdef() { :; }; source ./_mercury
        words=("$@"); CURRENT=$#; _mercury' zsh mercury "$@"
}

# fish 4 also has words with these letters in this order, where others begin with them.
complete_in_fish() {
    fish --no-config -c 'source mercury.fish; complete -C "$argv"' mercury "$@" | cut -f 1 | grep -e "^${!#}"
}

test_completion() {
    local shell script
    for shell in bash zsh fish; do
        script=mercury.$shell
        [ "$shell" != zsh ] || script=_mercury
        run completion "$shell"
        report "$shell: a script" "$(success_problem)"
        cp "$scratch/out" "$script"
        if ! have "$shell"; then
            skip "$shell completes" "no $shell"
            continue
        fi
        touch lambda.fa lambda.txt
        completes "$shell" "commands" 'retime|reproduce|replay|report' re
        completes "$shell" "options" '--strand' run --str
        completes "$shell" "values" 'plus|minus|both' run --strand ''
        completes "$shell" "values after a letter" 'minus' run -s m
        completes "$shell" "parameters" 'fifo\.wmer(_margin)?=' run --set fifo.wm
        completes "$shell" "inputs of theory, which are not those of the machine" 'lambda(_in)?=' predict --set l
        completes "$shell" "files where names are those of a text" 'lambda\.(fa|txt)' estimate --set lamb
        completes "$shell" "machines" 'dor2010' run -p dor
        completes "$shell" "files" 'lambda\.(fa|txt)' run -q lamb
        completes "$shell" "commands that have help" 'explain|explore' help expl
        completes "$shell" "what looks at a sweep" 'export' sweep ex
        completes "$shell" "its options" '--(store|columns|help)' sweep export --
        completes "$shell" "options of another look" '--mark' sweep report --m
        completes "$shell" "no other option of the sweep" '--(output|o)' sweep plot --o
        completes "$shell" "options of the command of the same name" '--as|--arrivals' export --a
        completes "$shell" "options of a sweep itself" '--(vary|v)' sweep --v
        completes "$shell" "a scenario's file" 'lambda\.(fa|txt)' sweep lam
        completes "$shell" "what is reproduced" 'dor2010|frenkel|leonards2023|timetrial2011' reproduce ''
        completes "$shell" "published runs" 'timetrial-exp[12]' replay time
        completes "$shell" "shells" 'bash|zsh|fish' completion ''
    done
    expect_refusal "no shell" 'needs a shell: bash, zsh or fish' completion
    expect_refusal "a shell that is not known" "no such shell 'csh'" completion csh
}

test_manual() {
    local command missing=''
    if [ ! -e "$build/mercury.1" ]; then
        skip "manual pages" "they were not made"
        return
    fi
    "$mercury" --help | awk '/^  mercury [a-z]/ { print $2 }' | grep -v -x help >commands
    check_number "there are many commands" "$(wc -l <commands)" '>' 15
    while read -r command; do
        [ -s "$build/mercury-$command.1" ] || missing+=" $command"
    done <commands
    check_number "every command has a page: ${missing:-none is missing}" "$(wc -w <<<"$missing")" == 0
    check "with its purpose" grep -q -F 'mercury-run \- compare sequences' "$build/mercury-run.1"
    "$mercury" help run | tail -n +3 | grep -v -x 'Examples:' >help.txt
    grep -v '^\.' "$build/mercury-run.1" | sed 's/^\\&//; s/\\-/-/g; s/\\e/\\/g' | tail -n +3 | sed '/^See also/d' >page.txt
    check_number "and all of its help" "$(grep . help.txt | grep -c -v -x -F -f page.txt)" == 0
}

test_completion
test_manual
finish
