/** Arguments that need no quotes in any POSIX shell. */
const plain = /^[\w@%+:,./-]+$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches control characters.
const unsafe = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/**
 * Joins arguments to a command line that a POSIX shell splits into exactly these arguments. Control characters, as in a
 * file name, are written as octal escapes for `printf`; line breaks stay within quotes.
 */
export function shellLine(args: readonly string[]): string {
  return args.map(quoteArg).join(' ');
}

/** One argument, quoted if necessary. */
function quoteArg(arg: string): string {
  if (plain.test(arg)) return arg;
  const quoted = `'${arg.replaceAll("'", `'\\''`)}'`;
  return quoted.replace(unsafe, (character) => `'"$(printf '${octal(character)}')"'`);
}

function octal(character: string): string {
  return [...new TextEncoder().encode(character)]
    .map((byte) => `\\${byte.toString(8).padStart(3, '0')}`)
    .join('');
}
