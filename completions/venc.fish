# Completions of venc for fish, 3.1 and newer.
# To load them: venc completion fish | source, or put this file into ~/.config/fish/completions.
function __venc_complete
    set -l typed (commandline -opc)
    set -l current (commandline -ct)
    # The command as it was typed: fish does not expand a tilde in it, and an abbreviation is not a program.
    set -l program (string replace -r '^~(?=/)' $HOME -- $typed[1])
    type -q $program; or set program venc
    set -l answer (printf '%s\0' $typed[2..-1] "$current" | $program __complete fish 2>/dev/null)
    set -l flag (string match -r -- '^--[^=]*=' "$current")
    set -l path (string replace -r -- '^--[^=]*=' '' "$current")
    switch "$answer[1]"
        case files
            printf "$flag%s\n" (__fish_complete_path "$path")
        case folders
            printf "$flag%s\n" (__fish_complete_directories "$path")
        case '*'
            printf '%s\n' $answer[2..-1]
    end
end
complete -c venc -f -k -a '(__venc_complete)'
