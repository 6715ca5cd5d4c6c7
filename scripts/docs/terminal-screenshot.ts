/** The style of a run of characters. */
interface CellStyle {
  readonly colour: string;
  readonly isBold: boolean;
  readonly isDim: boolean;
  readonly isInverse: boolean;
}

const background = '#16181d';
const ink = '#d5d9e0';
const plain: CellStyle = { colour: ink, isBold: false, isDim: false, isInverse: false };
/** Black, red, green, yellow, blue, magenta, cyan, white; then their bright variants. */
const colours = [
  ...['#3b4048', '#e06c75', '#98c379', '#e5c07b', '#61afef', '#c678dd', '#56b6c2', '#d5d9e0'],
  ...['#7f8794', '#ef8891', '#b1d898', '#f0d394', '#84c3f7', '#d69be8', '#7fcfd9', '#ffffff'],
] as const;
const letter = { width: 8.4, height: 18 } as const;
const margin = 14;
/** Height of the window frame, which distinguishes the screenshot from the text of the page. */
const header = 22;
const frame = '#444c56';
/** The characters of the filled part of a bar, in eighths of a cell, in ascending order. */
const eighths = ' ▏▎▍▌▋▊▉█';
/**
 * The segments of a line: bars and rules, which are drawn as shapes because some fonts render them with gaps, and
 * text, which can contain single spaces.
 */
const segments = /(?<bar>[▏▎▍▌▋▊▉█]+░*|░+)|(?<rule>─+)|[^\s▏▎▍▌▋▊▉█░─]+(?: [^\s▏▎▍▌▋▊▉█░─]+)*/g;
/** An SGR sequence, captured so that `split` keeps it. */
const style = new RegExp(`(${String.fromCharCode(27)}\\[[\\d;]*m)`);

/**
 * Renders a screen captured with `tmux capture-pane -e` as an SVG that scales and needs no specific font. `title` is
 * the text for screen readers and contains no markup.
 */
export function renderTerminalSvg(screen: string, columns: number, title: string): string {
  const lines = screen.trimEnd().split('\n');
  const width = Math.ceil(columns * letter.width + 2 * margin);
  const height = header + lines.length * letter.height + 2 * margin;
  let current = plain;
  const drawn = lines.flatMap((line, row) => {
    let column = 0;
    return line.split(style).flatMap((part) => {
      const codes = style.test(part) ? part.slice(2, -1) : undefined;
      if (codes !== undefined) {
        current = changed(current, codes.split(';').map(Number));
        return [];
      }
      const at = column;
      column += part.length;
      return runAt(part, at, header + margin + row * letter.height, current);
    });
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`,
    `<title>${title}</title>`,
    // Inset by half a pixel. The frame sets the window off from a dark page.
    `<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8" fill="${background}" stroke="${frame}"/>`,
    ...[0, 1, 2].map((dot) => `<circle cx="${margin + 5 + dot * 18}" cy="17" r="5" fill="${frame}"/>`),
    `<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14">`,
    ...drawn,
    '</g>',
    '</svg>',
    '',
  ].join('\n');
}

/** Renders text of one style. Each segment is fitted to the grid, independent of the font. */
function runAt(text: string, column: number, top: number, cellStyle: CellStyle): readonly string[] {
  const fillCells = cellStyle.isInverse
    ? [box(column, text.length, top, letter.height, cellStyle.colour)]
    : [];
  const fill = cellStyle.isInverse ? background : cellStyle.colour;
  const drawn = [...text.matchAll(segments)].map(({ 0: segment, index, groups }) => {
    const at = column + index;
    if (groups?.bar !== undefined) return barAt(segment, at, top + 4, fill);
    if (groups?.rule !== undefined)
      return box(at, segment.length, top + 9, 1, fill, cellStyle.isDim ? 0.6 : 1);
    const weight = cellStyle.isBold ? ' font-weight="bold"' : '';
    const faint = cellStyle.isDim ? ' opacity="0.7"' : '';
    const attributes = `x="${across(at)}" y="${top + 14}" textLength="${(segment.length * letter.width).toFixed(1)}"`;
    return `<text ${attributes} lengthAdjust="spacingAndGlyphs" fill="${fill}"${weight}${faint}>${escaped(segment)}</text>`;
  });
  return [...fillCells, ...drawn];
}

/** Renders a bar: its whole length faintly, with the filled part over it. */
function barAt(text: string, column: number, top: number, fill: string): string {
  const done = [...text].reduce((sum, part) => sum + Math.max(0, eighths.indexOf(part)) / 8, 0);
  const height = letter.height - 8;
  const fullCells = box(column, text.length, top, height, fill, 0.25);
  return done === 0 ? fullCells : `${fullCells}${box(column, done, top, height, fill)}`;
}

function box(
  column: number,
  columns: number,
  top: number,
  height: number,
  fill: string,
  opacity = 1,
): string {
  const size = `width="${(columns * letter.width).toFixed(1)}" height="${height}"`;
  const faint = opacity === 1 ? '' : ` opacity="${opacity}"`;
  return `<rect x="${across(column)}" y="${top}" ${size} fill="${fill}"${faint}/>`;
}

function across(column: number): string {
  return (margin + column * letter.width).toFixed(1);
}

/** The style after a list of SGR codes. Unsupported codes are ignored. */
function changed(cellStyle: CellStyle, codes: readonly number[]): CellStyle {
  const [code, ...rest] = codes;
  if (code === undefined) return cellStyle;
  if (code === 38 && rest[0] === 5)
    return changed({ ...cellStyle, colour: colours[rest[1] ?? 7] ?? ink }, rest.slice(2));
  return changed(afterCode(cellStyle, code), rest);
}

function afterCode(cellStyle: CellStyle, code: number): CellStyle {
  if (code === 0) return plain;
  if (code === 1) return { ...cellStyle, isBold: true };
  if (code === 2) return { ...cellStyle, isDim: true };
  if (code === 22) return { ...cellStyle, isBold: false, isDim: false };
  if (code === 7 || code === 27) return { ...cellStyle, isInverse: code === 7 };
  if (code === 39) return { ...cellStyle, colour: ink };
  if (code >= 30 && code <= 37) return { ...cellStyle, colour: colours[code - 30] ?? ink };
  return code >= 90 && code <= 97 ? { ...cellStyle, colour: colours[code - 82] ?? ink } : cellStyle;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
