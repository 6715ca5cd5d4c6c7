import type { Tone } from './watch-types.js';

/** Applies a style to a text, or returns it unchanged if colours are not allowed. */
export type StyleText = (style: TextStyle, text: string) => string;

/** The style of a text. */
interface TextStyle {
  readonly tone: Tone;
  readonly isBold?: boolean;
}

/** A text with its style. */
export interface StyledText extends TextStyle {
  readonly text: string;
}

/** Creates the function for a terminal with or without colours. */
export function createStyler(isColoured: boolean): StyleText {
  return isColoured ? styleWithAnsi : (_style, text) => text;
}

function styleWithAnsi({ tone, isBold = false }: TextStyle, text: string): string {
  const codes = [...(isBold ? ['1'] : []), ...escapes[tone]];
  return codes.length === 0 || text.trim() === '' ? text : `\u001b[${codes.join(';')}m${text}\u001b[0m`;
}

const escapes = {
  plain: [],
  good: ['32'],
  bad: ['31'],
  busy: ['36'],
  quiet: ['2'],
} as const satisfies Record<Tone, readonly string[]>;

/** The tone of a state. */
export function toneOf(state: string | null): Tone {
  if (state === 'finished') return 'good';
  if (state === 'failed' || state === 'no input') return 'bad';
  if (state === 'processing' || state === 'assigning') return 'busy';
  return state === null || state === 'cancelled' || state === 'skipped' ? 'quiet' : 'plain';
}
