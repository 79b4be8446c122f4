# mercury for fish; from: mercury completion fish
function __mercury_is
    set -l words (commandline -opc)
    set -l command $words[2]
    contains -- "$words[2]-$words[3]"%s; and set command "$words[2]-$words[3]"
    test "$command" = $argv[1]; and test -z "$argv[2]" -o (count $words) -eq 2
end
%c
complete -c mercury -n '__fish_seen_subcommand_from help' -xa '%w'
%f
