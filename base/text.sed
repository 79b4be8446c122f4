# A text as the strings of C that have it. A line {NAME} stands for what the macro NAME has.
s/^{\([A-Z_]*\)}$/\1/
t
s/[\\"]/\\&/g
s/.*/"&\\n"/
