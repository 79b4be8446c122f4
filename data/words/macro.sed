# Rows of a table as a macro, as machine_frame.tsv says.
/^#/d
s/^\[\(.*\)\]$/#define \1(ROW) \\/
t
/^$/b
/	/!{
s/.*/    ROW(&), \\/
b
}
s/[\\"]/\\&/g
s/{\([A-Z0-9_]*\)}/" \1 "/g
s/	/, "/
s/	/", "/g
s/.*/    ROW(&"), \\/
s/"-"/NULL/g
