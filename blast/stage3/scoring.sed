# The blocks of scoring.txt as values of struct score_table.
/^#/d
s/^$/}},/
t
/^> /!s/.*/{&},/
s/^> \(.*\)/{\1, {/
s/\([^,]\) /\1, /g
