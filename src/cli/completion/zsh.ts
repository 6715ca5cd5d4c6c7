import { completionCommand } from './protocol.js';
import {
  type CompletionContext,
  type CompletionFlag,
  type CompletionSource,
  outputSettings,
} from './source.js';

/** The completions for zsh, 5.0 and newer. */
export function zshScript(contexts: readonly CompletionContext[]): string {
  return `#compdef venc
# Completions of venc for zsh. Made by "npm run docs": edit src/cli/completion.
# To load them: source <(venc completion zsh), or put this file into a folder of $fpath, under the name _venc.

${settings()}

${logic}

${contexts.map(contextFunction).join('\n\n')}

if [[ $funcstack[1] == _venc ]]; then
  _venc "$@"
else
  (( $+functions[compdef] )) || { autoload -Uz compinit && compinit -i }
  compdef _venc venc
fi
`;
}

/** The function of a context: `_venc` for the program, `_venc-accounts-create` for `accounts create`. */
function contextFunction({ path, commands, args, flags }: CompletionContext): string {
  const name = functionName(path);
  const specs = flags.flatMap(specOf);
  if (commands.length === 0) {
    const contexts = args.map(
      ({ help, isVariadic, source }, index) =>
        `    ${quoted(`${isVariadic ? '*' : index + 1}:${escaped(help)}:${actionOf(source)}`)}`,
    );
    return `${name}() {
  _arguments -S \\
${[...specs.map((spec) => `    ${spec}`), ...contexts].join(' \\\n')}
}`;
  }
  const rows = commands.map((one) => `    ${quoted(`${one.name.replaceAll(':', '\\:')}:${one.help}`)}`);
  return `${name}() {
  local curcontext="$curcontext" state line
  local -A opt_args
${path === '' ? '  local -a _venc_line=("$words[@]")\n' : ''}  local -a subjects=(
${rows.join('\n')}
  )
  _arguments -C -S \\
${specs.map((spec) => `    ${spec} \\`).join('\n')}
    '1: :->subject' \\
    '*:: :->rest' && return
  case $state in
    subject) _describe -t commands command subjects ;;
    rest) (( $+functions[${name}-$line[1]] )) && ${name}-$line[1] ;;
  esac
}`;
}

function functionName(path: string): string {
  return ['_venc', ...path.split(' ').filter((arg) => arg !== '')].join('-');
}

function specOf({ long, short, help, isRepeatable, source }: CompletionFlag): readonly string[] {
  const names = short === null ? [long] : [short, long];
  return names.map((name) => {
    const excluded = isRepeatable ? '*' : short === null ? '' : `(${names.join(' ')})`;
    const value = source === null ? '' : `:${long.slice(2)}:${actionOf(source)}`;
    const equals = source === null ? '' : name.startsWith('--') ? '=' : '+';
    return quoted(`${excluded}${name}${equals}[${escaped(help)}]${value}`);
  });
}

function actionOf(source: CompletionSource): string {
  switch (source.kind) {
    case 'words':
      return `(${source.args.map(escaped).join(' ')})`;
    case 'files':
      return '_files';
    case 'folders':
      return '_files -/';
    case 'settings':
      return '_venc_settings';
    case 'query':
      // A leading space keeps zsh from passing additional arguments.
      return ` _venc_ask ${source.query}`;
    default:
      return ' ';
  }
}

function settings(): string {
  const all = outputSettings();
  const cases = all
    .filter(({ values }) => values.length > 0)
    .map(({ name, values }) => `      ${name}) compadd -S , -r $ends -- ${values.join(' ')} ;;`);
  return `# Settings for --output, as name=value,name=value, with the allowed values of those that have a list.
_venc_settings() {
  # Adds a comma for the next setting; a blank or the closing quote replaces it.
  local ends=$'\\\\- \\t\\n,"\\''
  compset -P '*,'
  if compset -P 1 '(#b)([^=]#)='; then
    case $match[1] in
${cases.join('\n')}
    esac
  else
    compadd -S = -q -- ${all.map(({ name }) => name).join(' ')}
  fi
}`;
}

const logic = `# Asks the program for names that only it can read. Each line is a name and, after a tab, its description.
_venc_ask() {
  local -a words_found asides shown asking
  local found
  local -i index width=0
  for (( index = 2; index <= $#_venc_line; index++ )); do
    case $_venc_line[index] in
      --target=*|--data=*|--input|--output) asking+=("$_venc_line[index]") ;;
      --database|--database=*) asking+=(--database) ;;
      --target|--data) asking+=("$_venc_line[index]=$_venc_line[index+1]") ;;
    esac
  done
  for found in "\${(@f)$(_call_program venc-words $_venc_line[1] ${completionCommand} $1 \${(q)asking} 2>/dev/null)}"; do
    [[ -n $found ]] || continue
    words_found+=("\${found%%$'\\t'*}")
    asides+=("\${found#*$'\\t'}")
    (( $#words_found[-1] > width )) && width=$#words_found[-1]
  done
  for (( index = 1; index <= $#words_found; index++ )); do
    shown+=("\${(r:width:)words_found[index]}  $asides[index]")
  done
  # Keep the order: the newest job is the most likely choice.
  compadd -V venc -l -d shown -a words_found
}`;

function escaped(text: string): string {
  return text.replace(/[[\]:\\]/g, '\\$&');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
