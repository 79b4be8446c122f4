# The scripts one after the other, each a string. The lines are those of base/text.sed.
$a\
,
