# Rows of a table of words, as struct explain_row has them (traces/explain.h).
/^#/d
s/[\\"]/\\&/g
s/^\[\(.*\)\]				\(.*\)/{.owner = "\1", .source = "\2"},/
t
s/	/", "/g
s/.*/{"&"},/
