#!/bin/sh
# manual.sh MERCURY VERSION DIRECTORY COMMAND... - manual pages: mercury.1, and mercury-COMMAND.1 for each command. Their text
# is the help's, as it stands: help2man and the like take its tables and examples for running text.
set -eu
mercury=$1 version=$2 directory=$3
shift 3

# page NAME PURPOSE: from the help on standard input
page() {
    awk -v name="$1" -v purpose="$2" -v version="$version" '
        BEGIN {
            printf ".TH %s 1 \"\" \"mercury %s\" \"User Commands\"\n.SH NAME\n%s \\- %s\n", toupper(name), version, name, purpose
            print ".SH SYNOPSIS\n.nf"
        }
        function text(line) { gsub(/\\/, "\\e", line); gsub(/-/, "\\-", line); return "\\&" line }
        NR == 1 && !sub(/^Usage: /, "") { uses = 1; print "mercury COMMAND [argument...]\n.fi\n.SH DESCRIPTION\n.nf\n.in 0" }
        /^$/ && !uses { uses = 1; print ".fi\n.SH DESCRIPTION\n.nf\n.in 0"; next }
        !uses { sub(/^       /, "") }
        /^Examples:$/ { print ".fi\n.SH EXAMPLES\n.nf\n.in 0"; next }
        { print text($0) }
        END { print ".fi" }'
}

for command in "$@"; do
    purpose=$("$mercury" --help | grep "^  mercury $command " | head -n 1 | cut -c 39-)
    { "$mercury" "$command" --help && printf '\nSee also: mercury(1)\n'; } |
        page "mercury-$command" "$purpose" >"$directory/mercury-$command.1"
done
{ "$mercury" --help && printf '\nEach command has a page: mercury-run(1), ...\n'; } |
    page mercury 'a simulator of the Mercury BLAST accelerator' >"$directory/mercury.1"
