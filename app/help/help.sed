# The help texts, each as an array help_NAME, whose name is in its first line. The lines are those of base/text.sed.
1{
h
s/^Usage: mercury \([a-z]*\).*/static const char help_\1[] =/p
g
t begun
:begun
}
$a\
;
