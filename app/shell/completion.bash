# mercury for bash; from: mercury completion bash
_mercury() {
    local present=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} choices=''
    if [ "$COMP_CWORD" -eq 1 ]; then
        mapfile -t COMPREPLY < <(compgen -W '%w --help --version' -- "$present")
        return
    fi
    local command=${COMP_WORDS[1]}
    [[ "$COMP_CWORD" -eq 2 || "%s " != *" $command-${COMP_WORDS[2]} "* ]] || command+=-${COMP_WORDS[2]}
    case "$command:$before" in
%v    help:*) choices='%w' ;;
    *)
        case "$command:$present" in
%o        esac ;;
    esac
    if [ -n "$choices" ]; then
        mapfile -t COMPREPLY < <(compgen -W "$choices" -- "$present")
        [[ ${COMPREPLY[0]-} != *= ]] || compopt -o nospace 2>/dev/null
    fi
    if [ "${#COMPREPLY[@]}" -eq 0 ]; then
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -f -- "$present")
    fi
}
complete -F _mercury mercury
