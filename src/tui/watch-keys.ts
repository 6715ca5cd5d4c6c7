import type { Command, Footer, WatchKey, WatchState } from './watch-types.js';
import { isOver } from './watched-job.js';

/** What ink says of a key press, as far as it matters here. */
export interface PressedKey {
  readonly upArrow: boolean;
  readonly downArrow: boolean;
  readonly pageUp: boolean;
  readonly pageDown: boolean;
  readonly home: boolean;
  readonly end: boolean;
  readonly return: boolean;
  readonly escape: boolean;
  readonly ctrl: boolean;
}

const letters: Readonly<Record<string, WatchKey>> = {
  k: 'up',
  j: 'down',
  c: 'cancel',
  r: 'resubmit',
  y: 'yes',
  n: 'no',
  q: 'quit',
  '?': 'help',
  h: 'help',
  g: 'first',
  ' ': 'open',
  '\r': 'open',
};

const pageJobs = 10;

// What arrives in one piece and is longer than this was pasted, not typed: it must not cancel anything.
const maxInputLength = 4;

// Ctrl-C and Ctrl-D as bytes: pressed twice, they come in one piece, in which nobody has told them apart.
const quitKeys = ['\u0003', '\u0004'] as const;

/** The keys that a press stands for: more than one where a slow line delivers several letters at once. */
export function keysOf(input: string, key: PressedKey): readonly WatchKey[] {
  if (quitKeys.some((byte) => input.includes(byte))) return ['quit'];
  if (key.ctrl) return input === 'c' || input === 'd' ? ['quit'] : [];
  if (key.upArrow) return ['up'];
  if (key.downArrow) return ['down'];
  if (key.pageUp) return ['page up'];
  if (key.pageDown) return ['page down'];
  if (key.home) return ['first'];
  if (key.end) return ['last'];
  if (key.return) return ['open'];
  if (key.escape) return ['close'];
  if (input.length > maxInputLength) return [];
  return [...input.toLowerCase()].flatMap((letter) => letters[letter] ?? []);
}

/** What a key does to the screen. */
export function pressKey(state: WatchState, key: WatchKey): WatchState {
  if (key === 'quit') return { ...state, hasLeft: true };
  const { footer } = state;
  if (key === 'help') return { ...state, isHelp: !state.isHelp };
  // While the help is open, no key may act.
  if (state.isHelp) return key === 'open' || key === 'close' ? { ...state, isHelp: false } : state;
  if (footer.kind === 'question') return answerQuestion(state, footer.command, key);
  if (key === 'cancel' || key === 'resubmit') {
    return footer.kind === 'sending' ? state : { ...state, footer: askConfirmation(state, key) };
  }
  const withKeysFooter = footer.kind === 'remark' ? { ...state, footer: keysFooter } : state;
  return browse(withKeysFooter, key);
}

/** The footer that names the keys. */
export const keysFooter: Footer = { kind: 'keys' };

function answerQuestion(state: WatchState, command: Command, key: WatchKey): WatchState {
  if (key === 'yes') return { ...state, footer: { kind: 'sending', command } };
  if (key === 'no' || key === 'close') return { ...state, footer: keysFooter };
  return state;
}

function askConfirmation(state: WatchState, verb: Command['verb']): Footer {
  const job = state.jobs[state.selected];
  if (job === undefined) return keysFooter;
  if (verb === 'cancel' && isOver(job))
    return showMessage(`Job ${job.id} is over: there is nothing to cancel.`);
  if (verb === 'resubmit' && job.state === 'finished') {
    return showMessage(`Job ${job.id} is finished: it cannot be resubmitted.`);
  }
  return { kind: 'question', command: { verb, jobId: job.id } };
}

function showMessage(text: string): Footer {
  return { kind: 'remark', text };
}

function browse(state: WatchState, key: WatchKey): WatchState {
  const last = Math.max(0, state.jobs.length - 1);
  switch (key) {
    case 'up':
      return { ...state, selected: Math.max(0, state.selected - 1) };
    case 'down':
      return { ...state, selected: Math.min(last, state.selected + 1) };
    case 'page up':
      return { ...state, selected: Math.max(0, state.selected - pageJobs) };
    case 'page down':
      return { ...state, selected: Math.min(last, state.selected + pageJobs) };
    case 'first':
      return { ...state, selected: 0 };
    case 'last':
      return { ...state, selected: last };
    case 'open':
      return { ...state, isOpen: !state.isOpen };
    case 'close':
      return { ...state, isOpen: false };
    default:
      return state;
  }
}
