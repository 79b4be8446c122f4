#!/bin/bash
# test_docs.sh MERCURY SOURCE_DIRECTORY - every command that the documentation shows works, and prints what is shown.
#
# A block of code in README.md, CONTRIBUTING.md and docs/ says by its info string what it is:
#   console   commands after "$ ", run one by one; what follows a command must be its output, where anything may stand for
#             "..."; without any output shown, the command only has to succeed
#   sh        a script, which has to succeed
#   bash      a script that is not run: it takes minutes, root, other machines or the source tree
#   text      no commands
# A comment that begins with a line "<!-- numbers" has commands, too, which no reader sees. What one of them prints, line by line,
# has to stand in the document's text: so numbers in sentences are held against a run. `says` (says.py) prints such
# lines; `once COMMAND` (once.sh) runs a command that several documents ask once.
# A document's blocks run in their order in a directory of its own. The README's is empty at first. The others have what the
# README's blocks have made there: genomes, and stores of sweeps, which the same sweep of a document finds done.
# Where cases are to be few, it is the README alone. docs/tutorial.md is test_install.sh's.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/cli/documents.sh
. "$(dirname "$0")/documents.sh"

begin "$@"
for genomes in $(grep -o '/usr/share/doc/[^ ]*\.gz' "$source_directory/README.md"); do
    [ -f "$genomes" ] || skip_all "no $genomes (Debian: bowtie2-examples, bowtie-examples, sibelia-examples)"
done

test_document() { # DOCUMENT
    local name=${1#"$source_directory/"} command commands
    mkdir -p "$work/$name"
    cd "$work/$name" || exit 2
    if [ "$name" != README.md ]; then
        ln -s "$work"/README.md/*.fa .
        cp "$work"/README.md/*.db . # what the README has swept is not simulated again
    fi
    report "$name: blocks of code say what they are" "$(take_apart "$1")"
    prose=$(prose_of "$1")
    report "$name: links" "$(links_of "$1")"
    commands=(*.command)
    [ -e "${commands[0]}" ] || return
    for command in "${commands[@]}"; do
        run_command "${command%.command}"
    done
    echo "# $name: ${#commands[@]} commands"
}

# The titles of the papers that CITATION.cff names, as they stand in the README's references.
titles_problem() {
    local references title
    references=$(tr -s '\n ' ' ' <"$source_directory/README.md")
    sed -n '/^references:/,$ { N; s/>-\n */ /; P; D }' "$source_directory/CITATION.cff" |
        sed -n 's/^    title: *//p' | tr -d '"' | while read -r title; do
        [[ $references == *"*$title*"* ]] || echo "not among the references of README.md: $title"
    done
}

report "CITATION.cff and README.md name the same papers" "$(titles_problem)"
check_number "and there are four" "$(sed -n '/^references:/,$p' "$source_directory/CITATION.cff" | grep -c '^    title:')" == 4
printf '%s\n' 'It has 5 matches and' '6 trips.' '' '```text' '7 trips' '```' '' '<!-- numbers' '8 trips' '-->' >example.md
prose=$(prose_of example.md)
printf '%s\n' '5 matches and 6 trips' '7 trips' '8 trips' >"$scratch/out"
check_number "numbers that the text does not have are found, over the ends of lines and outside of blocks and comments" \
    "$(numbers_problem | grep -c '^is not in the text: [78] trips$')" == 2
check_number "and no other" "$(numbers_problem | wc -l)" == 2
mkdir "$scratch/bin"
ln -s "$mercury" "$scratch/bin/mercury"
! have python3 || ln -s "$source_directory/tests/cli/says.py" "$scratch/bin/says"
ln -s "$source_directory/tests/cli/once.sh" "$scratch/bin/once"
export MERCURY_TESTS_ONCE=$scratch/once
PATH=$scratch/bin:$PATH
documents=("$source_directory/README.md")
[ -n "$few" ] || documents+=("$source_directory/CONTRIBUTING.md" "$source_directory"/docs/*.md)
for document in "${documents[@]}"; do
    [ "$document" = "$source_directory/docs/tutorial.md" ] || test_document "$document"
done
finish
