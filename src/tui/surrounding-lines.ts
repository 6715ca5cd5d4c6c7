import { footerText } from './footer-text.js';
import { timeOfDay } from './format.js';
import { type FrameSize, otherRows, planFrame } from './frame-plan.js';
import { headerText } from './header-text.js';
import { helpLines } from './help-lines.js';
import type { StyledText } from './tones.js';
import type { WatchState } from './watch-types.js';

/** The lines that stand around the table: the first one above it, the others below. The last frame is without what can be done. */
export function surroundingLinesOf(
  state: WatchState,
  size: FrameSize,
  isLast: boolean,
): readonly StyledText[] {
  const footer = footerText(state, size.columns);
  if (state.isHelp && !isLast) {
    const keys = helpLines.slice(0, Math.max(1, size.rows - otherRows));
    return [{ text: 'Keys', tone: 'plain', isBold: true }, ...keys.map(plain), footer];
  }
  const { rows, from, to } = planFrame(state, size);
  const { text, tone } = headerText(state);
  const part = to - from < state.jobs.length ? ` · ${from + 1}-${to} shown` : '';
  const entries = state.log.slice(Math.max(0, state.log.length - rows.log));
  return [
    { text: text + part, tone, isBold: true },
    ...(rows.log > 0 ? [{ text: logRule(size.columns), tone: 'quiet' } as const] : []),
    ...entries.map((line) => ({ text: `${timeOfDay(line.atMs)} ${line.text}`, tone: line.tone })),
    ...(isLast ? [] : [footer]),
  ];
}

/** The line above the log. It names the time zone once for all lines below. */
function logRule(columns: number): string {
  return `── UTC ${'─'.repeat(columns)}`.slice(0, columns);
}

function plain(text: string): StyledText {
  return { text, tone: 'plain' };
}
