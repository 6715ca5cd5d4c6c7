/** A part of a manual page, in the order in which they follow each other. */
export type Block =
  | { readonly kind: 'section' | 'subsection'; readonly title: string }
  /** A paragraph of running text. */
  | { readonly kind: 'text'; readonly text: string }
  /** Lines that stay as they are. */
  | { readonly kind: 'literal'; readonly lines: readonly string[] }
  /** A term and, below it and indented, what it is. */
  | { readonly kind: 'term'; readonly term: string; readonly text: string };

/** What the head of a page says. */
export interface PageHead {
  /** E.g. `VENC`. */
  readonly name: string;
  readonly section: number;
  /** Day of the last change, e.g. `2026-11-21`. */
  readonly day: string;
  /** Program and version. */
  readonly source: string;
}

const lineWidth = 76;

/** A manual page as text, in the macros of man(7), which every formatter knows. */
export function roffPage(head: PageHead, blocks: readonly Block[]): string {
  const title = `.TH ${head.name} ${head.section} ${head.day} "${escaped(head.source)}"`;
  const lines = blocks.flatMap((block, index) => roffOf(block, blocks[index - 1]));
  // Words are not parted at the ends of lines, where flags would come apart, and lines are not stretched.
  return `${['.\\" Made by "npm run docs": edit docs/man and src/cli.', title, '.nh', '.ad l', ...lines].join('\n')}\n`;
}

function roffOf(block: Block, before: Block | undefined): readonly string[] {
  // Behind a heading a paragraph begins by itself.
  const isFirst = before === undefined || before.kind === 'section' || before.kind === 'subsection';
  switch (block.kind) {
    case 'section':
      return [`.SH ${escaped(block.title.toUpperCase())}`];
    case 'subsection':
      return [`.SS ${escaped(block.title)}`];
    case 'text':
      return [...(isFirst ? [] : ['.PP']), ...wrapped(block.text)];
    case 'literal':
      return [...(isFirst ? [] : ['.PP']), '.RS 2', '.nf', ...block.lines.map(line), '.fi', '.RE'];
    case 'term':
      return ['.TP', `.B ${escaped(block.term)}`, ...wrapped(block.text)];
  }
}

/** Text as help pages have it: paragraphs, lines indented by two blanks or more that stay as they are, and tables of such lines. */
export function blocksOf(text: string): readonly Block[] {
  const blocks: Block[] = [];
  for (const paragraph of text.replace(/^\s*\n|\s+$/g, '').split(/\n\s*\n/)) {
    let flush: string[] = [];
    let literal: string[] = [];
    const end = () => {
      if (flush.length > 0) blocks.push({ kind: 'text', text: flush.join(' ') });
      if (literal.length > 0) blocks.push(...(rowsOf(literal) ?? [{ kind: 'literal', lines: literal }]));
      flush = [];
      literal = [];
    };
    for (const one of paragraph.split('\n')) {
      const isLiteral = one.startsWith('  ');
      if (isLiteral !== literal.length > 0) end();
      if (isLiteral) literal.push(one.slice(2).trimEnd());
      else flush.push(one.trim());
    }
    end();
  }
  return blocks;
}

/** Lines that have a gap each are a table of terms; null if they are not. */
function rowsOf(lines: readonly string[]): readonly Block[] | null {
  const rows = lines.map((one) => /^(\S.*?) {2,}(\S.*)$/.exec(one));
  const blocks = rows.flatMap((row): readonly Block[] => {
    const [, term = '', text = ''] = row ?? [];
    return row === null ? [] : [{ kind: 'term', term, text }];
  });
  return blocks.length === lines.length ? blocks : null;
}

/** Lines of running text: formatters fill them again, and people compare them. */
function wrapped(text: string): readonly string[] {
  const lines: string[] = [];
  for (const word of text
    .split(/\s+/)
    .filter((one) => one !== '')
    .map(escaped)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= lineWidth)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines.map(guarded);
}

function line(text: string): string {
  return guarded(escaped(text));
}

const special: Readonly<Record<string, string>> = {
  '\\': '\\e',
  '-': '\\-',
  '~': '\\(ti',
  '^': '\\(ha',
  '`': '\\(ga',
  "'": '\\(aq',
  '"': '\\(dq',
};

function escaped(text: string): string {
  return text
    .replace(/[\\\-~^`'"]/g, (character) => special[character] ?? character)
    .replace(
      /[^\n -~]/gu,
      (character) => `\\[u${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`,
    );
}

/** A line that begins with a full stop would be a request to the formatter. */
function guarded(text: string): string {
  return text.startsWith('.') ? `\\&${text}` : text;
}
