# Texts as macros of C, as jsimg.xml says.
/^#/d
s/^\[\(.*\)\]$/#define \1 \\/
t
/^$/b
s/[\\"]/\\&/g
s/.*/    "&\\n" \\/
