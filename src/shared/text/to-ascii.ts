/** The marks that we draw with, each with the ASCII letter that stands for it best; all of them take one cell. */
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
  // The keys that do the same.
  '↑': 'k',
  '↓': 'j',
};

const marks = new RegExp(`[${Object.keys(replacements).join('')}]`, 'g');

/**
 * The text with our own marks in ASCII, for terminals whose locale has no others; as wide as before. Other people's letters, in names,
 * stay as they are.
 */
export function toAscii(text: string): string {
  return text.replace(marks, (mark) => replacements[mark] ?? mark);
}
