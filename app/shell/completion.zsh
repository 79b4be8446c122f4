#compdef mercury
# mercury for zsh; from: mercury completion zsh
_mercury() {
    local present=${words[CURRENT]} before=${words[CURRENT-1]} command=${words[2]}
    if (( CURRENT == 2 )); then
        compadd -- %w --help --version
        return
    fi
    [[ $CURRENT -eq 3 || "%s " != *" $command-${words[3]} "* ]] || command+=-${words[3]}
    local choices=''
    case "$command:$before" in
%v    help:*) choices='%w' ;;
    *)
        case "$command:$present" in
%o        esac ;;
    esac
    if [[ $choices == *= ]]; then
        compadd -S '' -- ${=choices}
    elif [[ -n $choices ]]; then
        compadd -- ${=choices} || _files
    else
        _files
    fi
}
if [[ $funcstack[1] == _mercury ]]; then _mercury "$@"; else compdef _mercury mercury; fi
