# mercury for fish; from: mercury completion fish
%c
complete -c mercury -n '__fish_seen_subcommand_from help' -xa '%w'
%f
