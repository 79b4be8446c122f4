# The style sheet of pages as one string of C. An indented line goes on with the line before.
/^ /!{
1!s/^/\\n/
}
s/^ *//
$s/$/\\n/
s/.*/"&"/
