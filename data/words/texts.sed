# Texts as macros of C, as prose.txt says.
/^#/d
s/^\[\(.*\)\]$/#define \1 \\/
t
/^$/b
s/[\\"]/\\&/g
s/.*/    "&\\n" \\/
