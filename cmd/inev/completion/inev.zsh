#compdef inev
# Completion of inev for zsh: source <(inev completion zsh)
_inev() {
    local -a found
    found=(${(f)"$("${words[1]}" "${(@)words[2,CURRENT]}" --generate-bash-completion 2>/dev/null)"})
    # Where inev has nothing to say, the names of files are completed.
    if (( $#found )); then
        compadd -- $found
    else
        _files
    fi
}
# Either zsh has loaded this file in order to complete, or it was sourced.
if [[ $funcstack[1] == _inev ]]; then
    _inev
else
    compdef _inev inev
fi
