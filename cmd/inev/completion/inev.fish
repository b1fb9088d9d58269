# Completion of inev for fish: inev completion fish | source
function __inev_suggestions
    set -l words (commandline -opc)
    set -e words[1]
    set -l word (commandline -ct)
    inev $words "$word" --generate-bash-completion 2>/dev/null
end
# Where inev has nothing to say, the names of files are completed.
complete -c inev -f -n 'count (__inev_suggestions) >/dev/null' -a '(__inev_suggestions)'
