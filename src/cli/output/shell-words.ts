/** Words that mean themselves to every POSIX shell. */
const plain = /^[\w@%+:,./-]+$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are what is looked for.
const unsafe = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/**
 * One command line that a POSIX shell reads back as exactly these words. Characters that would steer a terminal, as a file's name
 * may hold, are written as numbers for `printf`; a line break stays, within its quotes.
 */
export function shellLine(words: readonly string[]): string {
  return words.map(shellWord).join(' ');
}

/** One word, quoted where that is needed. */
function shellWord(word: string): string {
  if (plain.test(word)) return word;
  const quoted = `'${word.replaceAll("'", `'\\''`)}'`;
  return quoted.replace(unsafe, (character) => `'"$(printf '${octal(character)}')"'`);
}

function octal(character: string): string {
  return [...new TextEncoder().encode(character)]
    .map((byte) => `\\${byte.toString(8).padStart(3, '0')}`)
    .join('');
}
