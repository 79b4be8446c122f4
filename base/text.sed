# A text as the strings of C that have it. A line {MACRO} stands for what the macro has, a line {name} for the part
# app/help/parts/name.txt.
s/^{\([A-Z_]*\)}$/\1/
t
s/^{\([a-z]*\)}$/#include "app\/\1_part.inc"/
t
s/[\\"]/\\&/g
s/.*/"&\\n"/
