# Completion of inev for bash: source <(inev completion bash)
_inev() {
    local line
    COMPREPLY=()
    while IFS= read -r line; do
        # Where = divides words, what stands before it is not part of this one.
        [[ $COMP_WORDBREAKS == *=* ]] && line=${line#*=}
        COMPREPLY+=("$line")
    done < <("${COMP_WORDS[0]}" "${COMP_WORDS[@]:1:COMP_CWORD}" --generate-bash-completion 2>/dev/null)
}
# Where inev has nothing to say, the names of files are completed.
complete -o bashdefault -o default -F _inev inev
