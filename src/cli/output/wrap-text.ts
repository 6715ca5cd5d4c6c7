import type { Fact } from '../../shared/text/file-facts.js';
import { safeText } from '../../shared/text/safe-text.js';

/** Minimum width of the text next to a term; if less is left, the text goes on the next line. */
const minDefinitionWidth = 28;
/** Minimum width to wrap to: shorter lines are no easier to read. */
const minWidth = 24;

/**
 * Wraps a help page or a topic to `width` columns. Paragraphs (lines without an indent) are refilled. Indented lines
 * that are too long and have a gap (`  term   text`) are wrapped after the gap. All other lines, such as examples to
 * copy, stay unchanged.
 */
export function wrapText(text: string, width: number): string {
  const columns = Math.max(width, minWidth);
  const lines: string[] = [];
  let paragraph: string[] = [];
  const endParagraph = () => {
    lines.push(...filled(paragraph.join(' '), columns));
    paragraph = [];
  };
  for (const line of text.split('\n')) {
    if (/^\S/.test(line)) {
      paragraph.push(line);
      continue;
    }
    endParagraph();
    lines.push(...(line.length > columns ? wrapDefinition(line, columns) : [line]));
  }
  endParagraph();
  return lines.join('\n');
}

function wrapDefinition(line: string, columns: number): readonly string[] {
  const [, beginning = '', text = ''] = /^( +\S(?:.*?\S)? {2,})(\S.*)$/.exec(line) ?? [];
  if (text === '') return [line];
  const hasDefinitionColumn = columns - beginning.length >= minDefinitionWidth;
  const indent = hasDefinitionColumn ? beginning.length : 6;
  const [first = '', ...rest] = filled(text, columns - indent).map((part) => ' '.repeat(indent) + part);
  return hasDefinitionColumn
    ? [beginning + first.trimStart(), ...rest]
    : [beginning.trimEnd(), first, ...rest];
}

/** Fills lines of at most `columns` columns with the words of a text. A longer word gets its own line. */
export function filled(text: string, columns: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(/ +/).filter((one) => one !== '')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= columns)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** Formats facts as lines, with the values aligned and an optional indent. Values are made safe for a terminal. */
export function factLines(facts: readonly Fact[], indent = 0): readonly string[] {
  const widest = Math.max(0, ...facts.map(([name]) => name.length));
  return facts.map(([name, value]) =>
    `${' '.repeat(indent)}${name.padEnd(widest)}  ${safeText(value)}`.trimEnd(),
  );
}
