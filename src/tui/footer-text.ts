import { columnGap } from './fit-columns.js';
import type { Command, Tone, WatchState } from './watch-types.js';

// From the most to the least needed: a narrow terminal shows the first of them.
const hints = ['q quit', '? help', 'c cancel', 'r resubmit', 'enter details', '↑↓ move'] as const;
const separator = ' '.repeat(columnGap + 1);

/** The last line of the screen, for a terminal of `width` cells. */
export function footerText(state: WatchState, width: number): { readonly text: string; readonly tone: Tone } {
  const { footer } = state;
  if (state.isHelp) return { text: '? back  q quit', tone: 'quiet' };
  switch (footer.kind) {
    case 'question':
      return { text: `${verbs[footer.command.verb].ask} job ${footer.command.jobId}? y/n`, tone: 'busy' };
    case 'sending':
      return { text: `${verbs[footer.command.verb].doing} job ${footer.command.jobId} ...`, tone: 'quiet' };
    case 'remark':
      return { text: footer.text, tone: 'bad' };
    case 'keys':
      return { text: fittingHints(width), tone: 'quiet' };
  }
}

const verbs = {
  cancel: { ask: 'Cancel', doing: 'Cancelling' },
  resubmit: { ask: 'Resubmit', doing: 'Resubmitting' },
} as const satisfies Record<Command['verb'], { readonly ask: string; readonly doing: string }>;

function fittingHints(width: number): string {
  let shown: readonly string[] = hints;
  while (shown.length > 1 && shown.join(separator).length > width) shown = shown.slice(0, -1);
  return shown.join(separator);
}
