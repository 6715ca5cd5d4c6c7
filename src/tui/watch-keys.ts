import { selectedJob, shownJobs } from './shown-jobs.js';
import type { Command, Footer, WatchKey, WatchState } from './watch-types.js';
import { isOver } from './watched-job.js';

/** The fields of a key press in ink that are used here. */
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
  f: 'failed',
  d: 'dismiss',
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

// Longer input in one chunk was pasted, not typed, and must not cancel anything.
const maxInputLength = 4;

// Ctrl-C and Ctrl-D as bytes. If pressed twice, they can arrive in one chunk, which ink does not parse as keys.
const quitKeys = ['\u0003', '\u0004'] as const;

/** The actions of a key press: several if a slow connection delivers several letters at once. */
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

/** Applies a key to the state. */
export function pressKey(state: WatchState, key: WatchKey): WatchState {
  if (key === 'quit') return { ...state, hasLeft: true };
  const { footer } = state;
  if (key === 'help') return { ...state, isHelp: !state.isHelp };
  // Ignore other keys while the help is open.
  if (state.isHelp) return key === 'open' || key === 'close' ? { ...state, isHelp: false } : state;
  if (footer.kind === 'question') return answerQuestion(state, footer.command, key);
  if (key === 'cancel' || key === 'resubmit') {
    return footer.kind === 'sending' ? state : { ...state, footer: askConfirmation(state, key) };
  }
  const withKeysFooter = footer.kind === 'message' ? { ...state, footer: keysFooter } : state;
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
  const job = selectedJob(state);
  if (job === undefined) return keysFooter;
  if (verb === 'cancel' && isOver(job))
    return showMessage(`Job ${job.id} has ended and cannot be cancelled.`);
  if (verb === 'resubmit' && job.state === 'finished') {
    return showMessage(`Job ${job.id} is finished and cannot be resubmitted.`);
  }
  return { kind: 'question', command: { verb, jobId: job.id } };
}

function showMessage(text: string): Footer {
  return { kind: 'message', text };
}

function browse(state: WatchState, key: WatchKey): WatchState {
  const last = Math.max(0, shownJobs(state).length - 1);
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
    case 'failed':
      return { ...state, showsOnlyFailed: !state.showsOnlyFailed, selected: 0, isOpen: false };
    case 'close':
      return { ...state, isOpen: false };
    default:
      return state;
  }
}
