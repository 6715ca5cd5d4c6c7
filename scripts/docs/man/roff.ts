/** A block of a manual page. */
export type Block =
  | { readonly kind: 'section' | 'subsection'; readonly title: string }
  /** A paragraph of running text. */
  | { readonly kind: 'text'; readonly text: string }
  /** Preformatted lines. */
  | { readonly kind: 'literal'; readonly lines: readonly string[] }
  /** A term and, below it and indented, its description. */
  | { readonly kind: 'term'; readonly term: string; readonly text: string };

/** The header of a page. */
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

/** Formats a manual page with the macros of man(7), which every formatter supports. */
export function roffPage(head: PageHead, blocks: readonly Block[]): string {
  const title = `.TH ${head.name} ${head.section} ${head.day} "${escaped(head.source)}"`;
  const lines = blocks.flatMap((block, index) => roffOf(block, blocks[index - 1]));
  // Hyphenation would split flags, so it is disabled, and lines are not stretched to the margin.
  return `${['.\\" Made by "npm run docs": edit docs/man and src/cli.', title, '.nh', '.ad l', ...lines].join('\n')}\n`;
}

function roffOf(block: Block, before: Block | undefined): readonly string[] {
  // A paragraph directly after a heading needs no macro.
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

/**
 * Parses the text of a help page: paragraphs, preformatted lines, which are indented by two spaces or more, and
 * tables of such lines.
 */
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

/** Parses lines that each have a gap as a table of terms; null if a line has none. */
function rowsOf(lines: readonly string[]): readonly Block[] | null {
  const rows = lines.map((one) => /^(\S.*?) {2,}(\S.*)$/.exec(one));
  const blocks = rows.flatMap((row): readonly Block[] => {
    const [, term = '', text = ''] = row ?? [];
    return row === null ? [] : [{ kind: 'term', term, text }];
  });
  return blocks.length === lines.length ? blocks : null;
}

/** Wraps running text. Formatters fill it again, but short lines keep diffs readable. */
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

/** Escapes a line that begins with a full stop, which would be a request to the formatter. */
function guarded(text: string): string {
  return text.startsWith('.') ? `\\&${text}` : text;
}
