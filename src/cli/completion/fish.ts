import { completionCommand } from './protocol.js';
import {
  type CompletionContext,
  type CompletionFlag,
  type CompletionSource,
  outputSettings,
} from './source.js';

/** The completions for fish, 3.1 and newer. */
export function fishScript(contexts: readonly CompletionContext[]): string {
  return `# Completions of venc for fish. Made by "npm run docs": edit src/cli/completion.
# To load them: venc completion fish | source, or put this file into ~/.config/fish/completions.

${valuedFlags(contexts)}

${settings()}

${logic}

complete -c venc -f
${contexts.flatMap(rowsOf).join('\n')}
`;
}

function valuedFlags(contexts: readonly CompletionContext[]): string {
  const rows = contexts.map(({ path, flags }) => {
    const names = flags.flatMap(({ long, short, source }) =>
      source === null ? [] : short === null ? [long] : [long, short],
    );
    return `        case ${quoted(path)}\n            printf '%s\\n' ${names.join(' ')}`;
  });
  return `# Prints the flags of a command that take a value; fails if there is no such command.
function __venc_valued
    switch "$argv"
${rows.join('\n')}
        case '*'
            return 1
    end
end`;
}

function settings(): string {
  const all = outputSettings();
  const cases = all
    .filter(({ values }) => values.length > 0)
    .map(
      ({ name, values }) =>
        `            case ${name}\n                printf "$before$setting[1]=%s\\t\\n" ${values.join(' ')}`,
    );
  return `# Settings for --output, as name=value,name=value, with the allowed values of those that have a list.
function __venc_settings
    set -l parts (string split , -- (commandline -ct | string replace -r '^(--output=)?["\\']?' ''))
    set -l before (string join , -- $parts[1..-2])
    test -n "$before"; and set before $before,
    set -l setting (string split -m 1 = -- $parts[-1])
    if set -q setting[2]
        switch $setting[1]
${cases.join('\n')}
        end
    else
        printf "$before%s=\\t\\n" ${all.map(({ name }) => name).join(' ')}
    end
end`;
}

const logic = `# Whether the cursor is behind a command, and at the position of one of its arguments: __venc_at 'accounts show' 0.
function __venc_at
    set -l path
    set -l count 0
    set -l skips 0
    set -l plain 0
    set -l valued (__venc_valued '')
    for word in (commandline -opc)[2..-1]
        if test $skips = 1
            set skips 0
            continue
        end
        if test $plain = 0 -a "$word" = --
            set plain 1
            continue
        end
        if test $plain = 0; and string match -q -- '-*' $word
            contains -- $word $valued; and set skips 1
            continue
        end
        if test $count = 0; and __venc_valued $path $word >/dev/null
            set path $path $word
            set valued (__venc_valued $path)
        else
            set count (math $count + 1)
        end
    end
    test "$path" = $argv[1]; or return 1
    set -q argv[2]; or return 0
    test $count = $argv[2]; and return 0
    test "$argv[3]" = more; and test $count -gt $argv[2]
end

# Asks the program for names that only it can read.
function __venc_ask
    set -l words (commandline -opc)
    set -l asking
    for index in (seq 2 (count $words))
        switch $words[$index]
            case '--target=*' '--data=*' --input --output
                set asking $asking $words[$index]
            case --database '--database=*'
                set asking $asking --database
            case --target --data
                set -q words[(math $index + 1)]; and set asking $asking $words[$index]=$words[(math $index + 1)]
        end
    end
    # The command as it was typed: fish does not expand a tilde in it, and an abbreviation is not a program.
    set -l program (string replace -r '^~(?=/)' $HOME -- $words[1])
    type -q $program; or set program venc
    $program ${completionCommand} $argv[1] $asking 2>/dev/null </dev/null
end`;

function rowsOf({ path, commands, args, flags }: CompletionContext): readonly string[] {
  const at = (index?: number, isVariadic = false) =>
    `complete -c venc -n ${quoted(`__venc_at ${quoted(path, '"')}${index === undefined ? '' : ` ${index}${isVariadic ? ' more' : ''}`}`)}`;
  return [
    '',
    ...commands.map(({ name, help }) => `${at(0)} -a ${name} -d ${quoted(help)}`),
    ...args.flatMap(({ source, isVariadic }, index) => {
      const offer = toFishItem(source);
      return offer === null ? [] : [`${at(index, isVariadic)} ${offer}`];
    }),
    ...flags.map((flag) => `${at()} ${flagArgs(flag)}`),
  ];
}

function flagArgs({ long, short, help, source }: CompletionFlag): string {
  const value = source === null ? '' : ` -x ${toFishItem(source) ?? ''}`.trimEnd();
  return `-l ${long.slice(2)}${short === null ? '' : ` -s ${short.slice(1)}`}${value.replace('-x -F', '-r -F')} -d ${quoted(help)}`;
}

function toFishItem(source: CompletionSource): string | null {
  switch (source.kind) {
    case 'words':
      // An empty description after the tab keeps fish from repeating the description of the flag at each value.
      return `-a ${quoted(source.args.map((arg) => `${arg}\\t`).join(' '))}`;
    case 'files':
      return '-F';
    case 'folders':
      return `-a '(__fish_complete_directories (commandline -ct))'`;
    case 'settings':
      return `-a '(__venc_settings)'`;
    case 'query':
      // Keep the order: the newest job is the most likely choice.
      return `-k -a '(__venc_ask ${source.query})'`;
    default:
      return null;
  }
}

function quoted(text: string, mark: '"' | "'" = "'"): string {
  return `${mark}${text.replaceAll('\\', '\\\\').replaceAll(mark, `\\${mark}`)}${mark}`;
}
