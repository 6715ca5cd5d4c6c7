/** How a run of letters looks. */
interface CellStyle {
  readonly colour: string;
  readonly isBold: boolean;
  readonly isDim: boolean;
  readonly isInverse: boolean;
}

const paper = '#16181d';
const ink = '#d5d9e0';
const plain: CellStyle = { colour: ink, isBold: false, isDim: false, isInverse: false };
/** Black, red, green, yellow, blue, magenta, cyan, white; then the same, bright. */
const colours = [
  ...['#3b4048', '#e06c75', '#98c379', '#e5c07b', '#61afef', '#c678dd', '#56b6c2', '#d5d9e0'],
  ...['#7f8794', '#ef8891', '#b1d898', '#f0d394', '#84c3f7', '#d69be8', '#7fcfd9', '#ffffff'],
] as const;
const letter = { width: 8.4, height: 18 } as const;
const margin = 14;
/** Room for the frame of a window on top, which tells a picture of a terminal from a piece of the page. */
const header = 22;
const frame = '#444c56';
/** The part of a bar that is done, in eighths of a letter, and then the part that is not. */
const eighths = ' ▏▎▍▌▋▊▉█';
/** What is drawn, since a font that a reader happens to have may tear it; words, which may have single blanks in them. */
const segments = /(?<bar>[▏▎▍▌▋▊▉█]+░*|░+)|(?<rule>─+)|[^\s▏▎▍▌▋▊▉█░─]+(?: [^\s▏▎▍▌▋▊▉█░─]+)*/g;
/** An SGR sequence; kept by a split. */
const style = new RegExp(`(${String.fromCharCode(27)}\\[[\\d;]*m)`);

/**
 * A screen of a terminal, as `tmux capture-pane -e` gives it, as an SVG that scales and needs no font of its own. `title` is read to those
 * who do not see it, and holds no markup.
 */
export function renderTerminalSvg(screen: string, columns: number, title: string): string {
  const lines = screen.trimEnd().split('\n');
  const width = Math.ceil(columns * letter.width + 2 * margin);
  const height = header + lines.length * letter.height + 2 * margin;
  let look = plain;
  const drawn = lines.flatMap((line, row) => {
    let column = 0;
    return line.split(style).flatMap((part) => {
      const codes = style.test(part) ? part.slice(2, -1) : undefined;
      if (codes !== undefined) {
        look = changed(look, codes.split(';').map(Number));
        return [];
      }
      const at = column;
      column += part.length;
      return runAt(part, at, header + margin + row * letter.height, look);
    });
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`,
    `<title>${title}</title>`,
    // Drawn half a pixel inside: the frame is what sets the window off from a dark page.
    `<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8" fill="${paper}" stroke="${frame}"/>`,
    ...[0, 1, 2].map((dot) => `<circle cx="${margin + 5 + dot * 18}" cy="17" r="5" fill="${frame}"/>`),
    `<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14">`,
    ...drawn,
    '</g>',
    '</svg>',
    '',
  ].join('\n');
}

/** Letters of one look in their places: each piece is held to the grid, whatever font there is. */
function runAt(text: string, column: number, top: number, look: CellStyle): readonly string[] {
  const ground = look.isInverse ? [box(column, text.length, top, letter.height, look.colour)] : [];
  const fill = look.isInverse ? paper : look.colour;
  const drawn = [...text.matchAll(segments)].map(({ 0: segment, index, groups }) => {
    const at = column + index;
    if (groups?.bar !== undefined) return barAt(segment, at, top + 4, fill);
    if (groups?.rule !== undefined) return box(at, segment.length, top + 9, 1, fill, look.isDim ? 0.6 : 1);
    const weight = look.isBold ? ' font-weight="bold"' : '';
    const faint = look.isDim ? ' opacity="0.7"' : '';
    const place = `x="${across(at)}" y="${top + 14}" textLength="${(segment.length * letter.width).toFixed(1)}"`;
    return `<text ${place} lengthAdjust="spacingAndGlyphs" fill="${fill}"${weight}${faint}>${escaped(segment)}</text>`;
  });
  return [...ground, ...drawn];
}

/** A bar: its whole length faintly, and what is done of it over that. */
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

/** The look after a list of SGR codes; those that nothing here uses are passed over. */
function changed(look: CellStyle, codes: readonly number[]): CellStyle {
  const [code, ...rest] = codes;
  if (code === undefined) return look;
  if (code === 38 && rest[0] === 5)
    return changed({ ...look, colour: colours[rest[1] ?? 7] ?? ink }, rest.slice(2));
  return changed(afterCode(look, code), rest);
}

function afterCode(look: CellStyle, code: number): CellStyle {
  if (code === 0) return plain;
  if (code === 1) return { ...look, isBold: true };
  if (code === 2) return { ...look, isDim: true };
  if (code === 22) return { ...look, isBold: false, isDim: false };
  if (code === 7 || code === 27) return { ...look, isInverse: code === 7 };
  if (code === 39) return { ...look, colour: ink };
  if (code >= 30 && code <= 37) return { ...look, colour: colours[code - 30] ?? ink };
  return code >= 90 && code <= 97 ? { ...look, colour: colours[code - 82] ?? ink } : look;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
