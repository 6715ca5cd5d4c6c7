import type { Tone } from './watch-types.js';

/** Puts a text into the colour of its tone, or leaves it as it is where no colours are allowed. */
export type Paint = (look: Look, text: string) => string;

/** How a text looks. */
export interface Look {
  readonly tone: Tone;
  readonly isBold?: boolean;
}

/** A text and how it looks. */
export interface TintedText extends Look {
  readonly text: string;
}

/** The paint of a terminal with colours, or without. */
export function paintOf(isColoured: boolean): Paint {
  return isColoured ? painted : (_look, text) => text;
}

function painted({ tone, isBold = false }: Look, text: string): string {
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
