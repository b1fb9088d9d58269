# Completion of inev for bash: source <(inev completion bash)
_inev() {
    local line word=${COMP_WORDS[COMP_CWORD]}
    COMPREPLY=()
    while IFS= read -r line; do
        if [[ $line == -*=* ]]; then
            # Where = divides words, what stands before it is not part of this one.
            [[ $COMP_WORDBREAKS == *=* ]] && line=${line#*=}
        elif [[ $word == \"* ]]; then
            # Signs that mean something between these quotes.
            [[ $line == *[\"\\\$\`!]* ]] && continue
        elif [[ $line == *[^[:alnum:]_./:=+,-]* ]]; then
            [[ $line == *\'* ]] && continue
            [[ $word == \'* ]] || line="'$line"
            # A formula is not at its end there.
            compopt -o nospace 2>/dev/null
        fi
        COMPREPLY+=("$line")
    done < <("${COMP_WORDS[0]}" "${COMP_WORDS[@]:1:COMP_CWORD}" --generate-bash-completion 2>/dev/null)
}
# Where inev has nothing to say, the names of files are completed.
complete -o bashdefault -o default -F _inev inev
