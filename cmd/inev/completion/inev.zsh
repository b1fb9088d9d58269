#compdef inev
# Completion of inev for zsh: source <(inev completion zsh)
_inev() {
    local -a found
    found=(${(f)"$("${words[1]}" "${(@)words[2,CURRENT]}" --generate-bash-completion 2>/dev/null)"})
    if (( ! $#found )); then
        # Where inev has nothing to say, the names of files are completed.
        _files
    elif [[ ${found[1]} == *[\(\"\ ]* && ${words[CURRENT]} != [\'\"]* ]]; then
        # A formula is put in quotes, the last of which is not due yet.
        compadd -U -Q -S '' -- "'"${^${found:#*\'*}}
    else
        compadd -- $found
    fi
}
# Either zsh has loaded this file in order to complete, or it was sourced.
if [[ $funcstack[1] == _inev ]]; then
    _inev
else
    compdef _inev inev
fi
