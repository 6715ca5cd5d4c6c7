/** How a run of letters looks. */
interface Look {
  readonly colour: string;
  readonly isBold: boolean;
  readonly isDim: boolean;
  readonly isInverse: boolean;
}

const paper = '#16181d';
const ink = '#d5d9e0';
const plain: Look = { colour: ink, isBold: false, isDim: false, isInverse: false };
/** Black, red, green, yellow, blue, magenta, cyan, white; then the same, bright. */
const colours = [
  ...['#3b4048', '#e06c75', '#98c379', '#e5c07b', '#61afef', '#c678dd', '#56b6c2', '#d5d9e0'],
  ...['#7f8794', '#ef8891', '#b1d898', '#f0d394', '#84c3f7', '#d69be8', '#7fcfd9', '#ffffff'],
] as const;
const letter = { width: 8.4, height: 18 } as const;
const margin = 14;
/** An SGR sequence; kept by a split. */
const style = new RegExp(`(${String.fromCharCode(27)}\\[[\\d;]*m)`);

/**
 * A screen of a terminal, as `tmux capture-pane -e` gives it, as an SVG that scales and needs no font of its own. `title` is read to those
 * who do not see it, and holds no markup.
 */
export function terminalPicture(screen: string, columns: number, title: string): string {
  const lines = screen.trimEnd().split('\n');
  const width = Math.ceil(columns * letter.width + 2 * margin);
  const height = lines.length * letter.height + 2 * margin;
  let look = plain;
  const texts = lines.flatMap((line, row) => {
    let column = 0;
    return line.split(style).flatMap((part) => {
      const codes = style.test(part) ? part.slice(2, -1) : undefined;
      if (codes !== undefined) {
        look = changed(look, codes.split(';').map(Number));
        return [];
      }
      const at = column;
      column += [...part].length;
      return part === '' ? [] : [textAt(part, at, row, look)];
    });
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">`,
    `<title>${title}</title>`,
    `<rect width="100%" height="100%" rx="8" fill="${paper}"/>`,
    `<g font-family="ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace" font-size="14" xml:space="preserve">`,
    ...texts,
    '</g>',
    '</svg>',
    '',
  ].join('\n');
}

function textAt(text: string, column: number, row: number, look: Look): string {
  const x = (margin + column * letter.width).toFixed(1);
  const y = margin + row * letter.height;
  const width = ([...text].length * letter.width).toFixed(1);
  const back = look.isInverse
    ? `<rect x="${x}" y="${y}" width="${width}" height="${letter.height}" fill="${look.colour}"/>`
    : '';
  if (text.trim() === '') return back;
  const weight = look.isBold ? ' font-weight="bold"' : '';
  const faint = look.isDim ? ' opacity="0.6"' : '';
  // Letters are held to the grid, whatever font there is.
  const place = `x="${x}" y="${y + 14}" textLength="${width}" lengthAdjust="spacingAndGlyphs"`;
  return `${back}<text ${place} fill="${look.isInverse ? paper : look.colour}"${weight}${faint}>${escaped(text)}</text>`;
}

/** The look after a list of SGR codes; those that nothing here uses are passed over. */
function changed(look: Look, codes: readonly number[]): Look {
  const [code, ...rest] = codes;
  if (code === undefined) return look;
  if (code === 38 && rest[0] === 5)
    return changed({ ...look, colour: colours[rest[1] ?? 7] ?? ink }, rest.slice(2));
  return changed(afterCode(look, code), rest);
}

function afterCode(look: Look, code: number): Look {
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
