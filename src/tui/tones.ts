import type { Tone } from './watch-types.js';

/** Puts a text into the colour of its tone, or leaves it as it is where no colours are allowed. */
export type StyleText = (style: TextStyle, text: string) => string;

/** How a text looks. */
export interface TextStyle {
  readonly tone: Tone;
  readonly isBold?: boolean;
}

/** A text and how it looks. */
export interface StyledText extends TextStyle {
  readonly text: string;
}

/** The paint of a terminal with colours, or without. */
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

/** The tone in which a state is shown. */
export function toneOf(state: string | null): Tone {
  if (state === 'finished') return 'good';
  if (state === 'failed' || state === 'no input') return 'bad';
  if (state === 'processing' || state === 'assigning') return 'busy';
  return state === null || state === 'cancelled' || state === 'skipped' ? 'quiet' : 'plain';
}
