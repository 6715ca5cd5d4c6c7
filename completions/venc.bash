# Completions of venc for bash, 3.2 and newer, with or without the package bash-completion.
# To load them: source <(venc completion bash), or put this file into the folder of bash-completion, under the name venc.
_venc() {
  local IFS=$' \t\n' program=${1/#\~/$HOME} how='' word
  COMPREPLY=()
  # An alias is not visible in this function.
  type -P "$program" >/dev/null || program=venc
  # Do not fall back to file names.
  compopt +o default 2>/dev/null
  {
    IFS= read -r how
    while IFS= read -r word; do COMPREPLY+=("$word"); done
  } < <(printf '%s\0' "${COMP_WORDS[@]:1:COMP_CWORD}" | "$program" __complete bash 2>/dev/null)
  case $how in
    files) compopt -o default ;;
    folders) compopt -o dirnames ;;
    ordered) compopt -o nosort ;;
    open) compopt -o nospace ;;
  esac 2>/dev/null
}
complete -o default -F _venc venc
