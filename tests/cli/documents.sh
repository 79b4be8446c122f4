# documents.sh - what the tests of documents share: blocks of code are taken apart into commands, which are run one by one
# and must print what is shown. Sourced after lib.sh by test_docs.sh, which says what kinds of blocks there are, and by
# test_install.sh.
# shellcheck shell=bash

# Programs that some commands need and some systems lack.
optional='blastn|jq|mpirun|python3|Rscript|samtools|says|sqlite3'

# What stands before every command, such as a function that sets its environment.
around=()

# take_apart DOCUMENT: leaves NUMBER.command, NUMBER.where and, if output is shown, NUMBER.shown in the current directory, or
# NUMBER.numbers for a command of a comment; prints what is wrong with the document.
take_apart() {
    awk -v name="${1#"$source_directory/"}" '
        function begin(text) {
            file = sprintf("%03d", ++count)
            print name ":" FNR >(file ".where")
            print text >(file ".command")
            continued = text ~ /\\$/
        }
        /^<!-- numbers$/ && kind == "" { kind = "numbers"; next }
        kind == "numbers" && /^-->$/ { kind = ""; next }
        kind == "numbers" && /^\$ / {
            begin(substr($0, 3))
            printf "" >(file ".numbers")
            next
        }
        kind == "numbers" && continued { print >(file ".command"); continued = /\\$/; next }
        kind == "numbers" { print name ":" FNR ": a comment of numbers has commands only"; next }
        /^```/ && kind == "" {
            kind = substr($0, 4)
            if (kind !~ /^(console|sh|bash|text)$/) print name ":" FNR ": a block is console, sh, bash or text, not \"" kind "\""
            started = 0
            next
        }
        /^```/ { kind = ""; next }
        kind == "" && /^    / && last == "" { print name ":" FNR ": an indented block says nothing of its kind; use ```" }
        { last = $0 }
        kind == "sh" && !started { started = 1; begin($0); next }
        kind == "sh" { print >(file ".command") }
        kind == "console" && /^\$ / { begin(substr($0, 3)); next }
        kind == "console" && continued { print >(file ".command"); continued = /\\$/; next }
        kind == "console" { print >(file ".shown") }' "$1"
}

# shown_problem NUMBER: how what a command printed ($scratch/out) differs from what is shown. A busy computer tells of its
# progress, too.
shown_problem() {
    local pattern
    sed -i -E -e 's/ *$//' -e '/^ *[0-9.]+%  .* per second, .* left$/d' "$1.shown" "$scratch/out"
    pattern=$(sed -e 's/[][\\*?]/\\&/g' -e 's/\.\.\./*/g' "$1.shown")
    # shellcheck disable=SC2053 # a pattern
    [[ $(cat "$scratch/out") == $pattern ]] && return
    echo "prints something else:"
    if grep -q -F ... "$1.shown"; then
        diff <(grep -v -F ... "$1.shown") "$scratch/out" | grep '^<'
    else
        diff "$1.shown" "$scratch/out"
    fi
}

# prose_of DOCUMENT: its text in one line, without blocks of code and comments.
prose_of() {
    sed -e '/^```/,/^```/d' -e '/^<!--/,/^-->/d' "$1" | tr -s '\n ' '  '
}

# numbers_problem: what a command printed ($scratch/out) that the document's $prose does not say.
prose=''
numbers_problem() {
    local line
    while read -r line; do
        [[ $prose == *"$line"* ]] || echo "is not in the text: $line"
    done <"$scratch/out"
}

run_command() { # NUMBER
    local description problem='' tool
    description="$(cat "$1.where"): $(head -n 1 "$1.command")"
    for tool in $(grep -o -w -E "$optional" "$1.command"); do
        if ! have "$tool"; then
            skip "$description" "no $tool"
            return
        fi
    done
    "${around[@]}" timeout 300 bash -e "$1.command" >"$scratch/out" 2>&1 </dev/null || problem="exit status $?"$'\n'$(cat "$scratch/out")
    cp "$scratch/out" "$scratch/err"
    forget_sanitizer
    cp "$scratch/err" "$scratch/out"
    if [ -z "$problem" ] && [ -f "$1.shown" ]; then
        problem=$(shown_problem "$1")
    elif [ -z "$problem" ] && [ -f "$1.numbers" ]; then
        problem=$(numbers_problem)
    fi
    report "$description" "$problem"
}

links_of() { # DOCUMENT: relative ones that lead nowhere
    local link
    grep -o ']([^)]*)' "$1" | sed 's/^](//; s/)$//; s/#.*//' | grep -v -e '^$' -e '^https\?:' | sort -u | while read -r link; do
        [ -e "$(dirname "$1")/$link" ] || echo "$link does not exist"
    done
}
