import { safeText } from '../../shared/text/safe-text.js';

/** A term of a table needs this many columns beside it for its text, which stands below it otherwise. */
const minWidthBeside = 28;
/** Nothing is wrapped to less: a line of three words is no easier to read. */
const minWidth = 24;

/**
 * Wraps a help page or a topic to `width` columns. Paragraphs, which are lines without an indent, are filled again. Of indented
 * lines those that are too long and have a gap in them (`  term   text`) are wrapped behind the gap; all others, such as examples
 * to copy, stay whole.
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
  const hasDefinitionColumn = columns - beginning.length >= minWidthBeside;
  const indent = hasDefinitionColumn ? beginning.length : 6;
  const [first = '', ...rest] = filled(text, columns - indent).map((part) => ' '.repeat(indent) + part);
  return hasDefinitionColumn
    ? [beginning + first.trimStart(), ...rest]
    : [beginning.trimEnd(), first, ...rest];
}

/** The words of a text in as few lines of at most so many columns as they fit into; a longer word has a line for itself. */
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

/** One line of details: what it is called and what it is. */
export type Fact = readonly [name: string, value: string];

/** Facts as lines, names in one column, indented by so many spaces. What came from elsewhere is made harmless here. */
export function factLines(facts: readonly Fact[], indent = 0): readonly string[] {
  const widest = Math.max(0, ...facts.map(([name]) => name.length));
  return facts.map(([name, value]) =>
    `${' '.repeat(indent)}${name.padEnd(widest)}  ${safeText(value)}`.trimEnd(),
  );
}
