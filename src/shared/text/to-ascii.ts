/** The symbols that venc draws, each with its closest ASCII character; each takes one column. */
const replacements: Readonly<Record<string, string>> = {
  '█': '#',
  '▉': '#',
  '▊': '#',
  '▋': '#',
  '▌': '#',
  '▍': '-',
  '▎': '-',
  '▏': '-',
  '░': '-',
  '│': '|',
  '├': '|',
  '└': '`',
  '─': '-',
  '›': '>',
  '·': '-',
  '…': '~',
  // The arrow keys are shown as the letter keys with the same function.
  '↑': 'k',
  '↓': 'j',
};

const marks = new RegExp(`[${Object.keys(replacements).join('')}]`, 'g');

/**
 * Replaces the symbols that venc draws with ASCII, for terminals whose locale does not support them. The width does
 * not change. Other non-ASCII characters, such as those in names, are kept.
 */
export function toAscii(text: string): string {
  return text.replace(marks, (mark) => replacements[mark] ?? mark);
}
