/** Functions that colour text; without colours they return it unchanged. */
export interface TextColours {
  red(text: string): string;
  green(text: string): string;
  yellow(text: string): string;
  blue(text: string): string;
  dim(text: string): string;
  bold(text: string): string;
}

/** Creates the functions, with the 16 colours that every terminal has. */
export function createTextColours(hasColour: boolean): TextColours {
  const style = (on: number, off: number) => (text: string) =>
    hasColour && text !== '' ? `\u001b[${on}m${text}\u001b[${off}m` : text;
  return {
    red: style(31, 39),
    green: style(32, 39),
    yellow: style(33, 39),
    blue: style(34, 39),
    dim: style(2, 22),
    bold: style(1, 22),
  };
}

/** Colours a state. Unknown states stay plain. */
export function colourState(paint: TextColours, state: string, text: string = state): string {
  switch (state) {
    case 'finished':
      return paint.green(text);
    case 'failed':
    case 'no input':
      return paint.red(text);
    case 'cancelled':
    case 'skipped':
      return paint.yellow(text);
    case 'processing':
    case 'assigning':
      return paint.blue(text);
    default:
      return text;
  }
}
