#!/bin/bash
# test_docs.sh MERCURY SOURCE_DIRECTORY - every command that the documentation shows works, and prints what is shown.
#
# A block of code in README.md, CONTRIBUTING.md and docs/ says by its info string what it is:
#   console   commands after "$ ", run one by one; what follows a command must be its output, where anything may stand for
#             "..."; without any output shown, the command only has to succeed
#   sh        a script, which has to succeed
#   bash      a script that is not run: it takes minutes, root, other machines or the source tree
#   text      no commands
# A document's blocks run in their order in a directory of its own, in which lambda.fa, coli.fa and pylori-1.fa, pylori-2.fa
# are genomes of Debian's packages. Sanitizers get the README only.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

examples=/usr/share/doc
lambda=$examples/bowtie2/examples/reference/lambda_virus.fa.gz
coli=$examples/bowtie/examples/genomes/NC_008253.fna.gz
pylori=$examples/sibelia/examples/Sibelia/Helicobacter_pylori/Helicobacter_pylori.fasta.gz
for genomes in "$lambda" "$coli" "$pylori"; do
    [ -f "$genomes" ] || skip_all "no $genomes (Debian: bowtie2-examples, bowtie-examples, sibelia-examples)"
done
begin "$@"

# Programs that some commands need and some systems lack.
optional='blastn|jq|mpirun|python3|Rscript|samtools|sqlite3'

make_genomes() {
    gzip -dc "$lambda" >lambda.fa
    gzip -dc "$coli" >coli.fa
    gzip -dc "$pylori" | awk '/^>/ { n++ } { print >"pylori-" n ".fa" }'
}

# take_apart DOCUMENT: leaves NUMBER.command, NUMBER.where and, if output is shown, NUMBER.shown in the current directory;
# prints what is wrong with the document.
take_apart() {
    awk -v name="${1#"$source_directory/"}" '
        function begin(text) {
            file = sprintf("%03d", ++count)
            print name ":" FNR >(file ".where")
            print text >(file ".command")
            continued = text ~ /\\$/
        }
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

# shown_problem NUMBER: how what a command printed ($scratch/out) differs from what is shown.
shown_problem() {
    local pattern
    sed -i 's/ *$//' "$1.shown" "$scratch/out"
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

run_command() { # NUMBER
    local description problem='' tool
    description="$(cat "$1.where"): $(head -n 1 "$1.command")"
    for tool in $(grep -o -w -E "$optional" "$1.command"); do
        if ! have "$tool"; then
            skip "$description" "no $tool"
            return
        fi
    done
    timeout 300 bash -e "$1.command" >"$scratch/out" 2>&1 </dev/null || problem="exit status $?"$'\n'$(cat "$scratch/out")
    cp "$scratch/out" "$scratch/err"
    forget_sanitizer
    cp "$scratch/err" "$scratch/out"
    if [ -z "$problem" ] && [ -f "$1.shown" ]; then
        problem=$(shown_problem "$1")
    fi
    report "$description" "$problem"
}

links_of() { # DOCUMENT: relative ones that lead nowhere
    local link
    grep -o ']([^)]*)' "$1" | sed 's/^](//; s/)$//; s/#.*//' | grep -v -e '^$' -e '^https\?:' | sort -u | while read -r link; do
        [ -e "$(dirname "$1")/$link" ] || echo "$link does not exist"
    done
}

test_document() { # DOCUMENT
    local name=${1#"$source_directory/"} command commands
    mkdir -p "$work/$name"
    cd "$work/$name" || exit 2
    ln -s "$work"/*.fa .
    report "$name: blocks of code say what they are" "$(take_apart "$1")"
    report "$name: links" "$(links_of "$1")"
    commands=(*.command)
    [ -e "${commands[0]}" ] || return
    for command in "${commands[@]}"; do
        run_command "${command%.command}"
    done
    echo "# $name: ${#commands[@]} commands"
}

make_genomes
mkdir "$scratch/bin"
ln -s "$mercury" "$scratch/bin/mercury"
PATH=$scratch/bin:$PATH
documents=("$source_directory/README.md")
[ -n "$few" ] || documents+=("$source_directory/CONTRIBUTING.md" "$source_directory"/docs/*.md)
for document in "${documents[@]}"; do
    test_document "$document"
done
finish
