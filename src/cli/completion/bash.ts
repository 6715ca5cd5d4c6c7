import { completionCommand } from './protocol.js';
import { type CompletionContext, type CompletionSource, outputSettings } from './source.js';

/** The completions for bash, 3.2 and newer, with or without the package bash-completion. */
export function bashScript(contexts: readonly CompletionContext[]): string {
  return `# Completions of venc for bash. Made by "npm run docs": edit src/cli/completion.
# To load them: source <(venc completion bash), or put this file into the folder of bash-completion, under the name venc.

${contextRows(contexts)}

${values(contexts)}

${args(contexts)}

${settings()}

${logic}
`;
}

function contextRows(contexts: readonly CompletionContext[]): string {
  const rows = contexts.map(({ path, commands, flags }) => {
    const names = flags.flatMap(({ long, short }) => (short === null ? [long] : [long, short]));
    const valued = flags.flatMap(({ long, short, source }) =>
      source === null ? [] : short === null ? [long] : [long, short],
    );
    return `    ${quoted(path)})
      commands=${quoted(commands.map(({ name }) => name).join(' '))}
      flags=${quoted(names.join(' '))}
      valued=${quoted(` ${valued.join(' ')} `)}
      ;;`;
  });
  return `# What can follow a command: sets commands, flags and valued, the flags that take a value.
_venc_context() {
  case $1 in
${rows.join('\n')}
    *) return 1 ;;
  esac
}`;
}

function values(contexts: readonly CompletionContext[]): string {
  const cases = contexts.flatMap(({ path, flags }) =>
    flags.flatMap(({ long, short, source }) =>
      source === null
        ? []
        : [long, ...(short === null ? [] : [short])].map((flag) => ({ key: `${path} ${flag}`, source })),
    ),
  );
  return `# Where the value of a flag comes from: sets kind and list.
_venc_value() {
  case "$1 $2" in
${casesOf(cases)}
  esac
}`;
}

function args(contexts: readonly CompletionContext[]): string {
  const cases = contexts.flatMap((one) =>
    one.args.map(({ isVariadic, source }, index) => ({ key: `${one.path} ${index}`, source, isVariadic })),
  );
  return `# Where an argument of a command comes from, by its position: sets kind and list.
_venc_word() {
  case "$1 $2" in
${casesOf(cases)}
  esac
}`;
}

interface Case {
  readonly key: string;
  readonly source: CompletionSource;
  /** Whether all arguments after it have the same source. */
  readonly isVariadic?: boolean;
}

/** The cases of a shell `case`; those with the same outcome share a branch. */
function casesOf(cases: readonly Case[]): string {
  const patterns = new Map<string, string[]>();
  for (const { key, source, isVariadic } of cases) {
    if (source.kind === 'none') continue;
    const pattern = isVariadic ? `${quoted(key.replace(/\d+$/, ''))}*` : quoted(key);
    const outcome = outcomeOf(source);
    patterns.set(outcome, [...(patterns.get(outcome) ?? []), pattern]);
  }
  return [...patterns]
    .map(([outcome, keys]) => `    ${keys.join(' | \\\n      ')}) ${outcome} ;;`)
    .join('\n');
}

function outcomeOf(source: CompletionSource): string {
  if (source.kind === 'words') return `kind=words list=${quoted(source.args.join(' '))}`;
  return source.kind === 'query' ? `kind=ask list=${source.query}` : `kind=${source.kind}`;
}

function settings(): string {
  const all = outputSettings();
  const names = all.map(({ name }) => `${name}=`).join(' ');
  const cases = all
    .filter((setting) => setting.values.length > 0)
    .map((setting) => `    ${setting.name}) list=${quoted(setting.values.join(' '))} ;;`);
  return `# Settings for --output, with the allowed values of those that have a list.
_venc_settings=${quoted(names)}
_venc_setting() {
  case $1 in
${cases.join('\n')}
  esac
}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

const logic = `# Adds the lines that start with cur to COMPREPLY, without the part that bash treats as earlier words. Names from the
# program are quoted; within quotes, names with special characters are left out.
_venc_keep() {
  local line
  while IFS= read -r line; do
    line=\${line%%$'\\t'*}
    if [[ -n $quote ]]; then
      [[ $line == *[\\'\\"\\$\\\`\\\\\\!]* ]] && continue
    elif [[ $kind == ask ]]; then
      printf -v line %q "$line"
    fi
    [[ -n $line && $line == "$cur"* ]] && COMPREPLY+=("\${line:\${#strip}}")
  done
}

_venc() {
  local IFS=$' \\t\\n' commands='' flags='' valued='' kind='' list='' path='' cur='' strip='' flag='' word raw='' plain='' quote=''
  local -a line=() asking=()
  local -i index count=0
  COMPREPLY=()
  # After > and <, complete files.
  [[ \${COMP_WORDS[COMP_CWORD-1]} == [\\<\\>]* ]] && return
  # Bash also splits words at = and :, so join them again.
  for ((index = 1; index <= COMP_CWORD; index++)); do
    word=\${COMP_WORDS[index]}
    if [[ \${#line[@]} -gt 0 && ( $word =~ ^[=:]+$ || $raw =~ ^[=:]+$ ) ]]; then
      line[\${#line[@]}-1]+=$word
    else
      line+=("$word")
    fi
    raw=$word
  done
  [[ $raw =~ ^[=:]+$ ]] && raw=''
  cur=\${line[\${#line[@]}-1]}
  strip=\${cur%"$raw"}
  _venc_context ''
  for ((index = 0; index < \${#line[@]} - 1; index++)); do
    word=\${line[index]}
    case $plain$word in
      --) plain=word: ;;
      --target=* | --data=* | --input) asking+=("$word") ;;
      --database=*) asking+=(--database) ;;
      -*)
        if [[ $valued == *" $word "* ]]; then
          index+=1
          [[ index -eq \${#line[@]}-1 ]] && flag=$word
          [[ $word == --target || $word == --data ]] && asking+=("$word=\${line[index]}")
          [[ $word == --database ]] && asking+=("$word")
        elif [[ $word == --output ]]; then
          asking+=("$word")
        fi
        ;;
      *)
        if [[ count -eq 0 ]] && _venc_context "\${path:+$path }$word"; then
          path="\${path:+$path }$word"
        else
          count+=1
        fi
        ;;
    esac
  done
  # Do not fall back to file names.
  compopt +o default 2>/dev/null
  if [[ -z $flag$plain && $cur == --*=* ]]; then
    flag=\${cur%%=*}
    strip=\${strip#"$flag="}
    cur=\${cur#*=}
  fi
  # Bash itself closes an open quote.
  [[ $cur == [\\"\\']* ]] && quote=\${cur:0:1} cur=\${cur:1}
  if [[ -n $flag ]]; then
    _venc_value "$path" "$flag"
  elif [[ -z $plain && $cur == -* ]]; then
    kind=words list=$flags
  elif [[ -n $commands && count -eq 0 ]]; then
    kind=words list=$commands
  else
    _venc_word "$path" "$count"
  fi
  case $kind in
    words) _venc_keep < <(printf '%s\\n' $list) ;;
    ask)
      # Keep the order, if bash can: the newest job is the most likely choice.
      compopt -o nosort 2>/dev/null
      # An alias is not visible in this function, and bash before 4.4 treats an empty array as unset.
      local program=\${1/#\\~/$HOME}
      type -P "$program" >/dev/null || program=venc
      _venc_keep < <("$program" ${completionCommand} "$list" \${asking[@]+"\${asking[@]}"} 2>/dev/null </dev/null)
      ;;
    settings)
      local before='' setting=\${cur##*,}
      [[ $cur == *,* ]] && before=\${cur%,*},
      list=$_venc_settings
      if [[ $setting == *=* ]]; then
        list=''
        _venc_setting "\${setting%%=*}"
        before+=\${setting%%=*}=
      else
        compopt -o nospace 2>/dev/null
      fi
      [[ -n $list ]] && _venc_keep < <(printf "%s\\n" $list | while IFS= read -r word; do printf '%s%s\\n' "$before" "$word"; done)
      ;;
    folders) compopt -o dirnames 2>/dev/null ;;
    files) compopt -o default 2>/dev/null ;;
  esac
}

complete -o default -F _venc venc`;
