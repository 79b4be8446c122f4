# A text as the strings of C that have it.
s/[\\"]/\\&/g
s/.*/"&\\n"/
