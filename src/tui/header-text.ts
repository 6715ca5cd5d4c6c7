import { clock } from './format.js';
import type { Tone, WatchState } from './watch-types.js';

/** The first line of the screen: how many jobs are in which state, and for how long they are watched. */
export function headerText(state: WatchState): { readonly text: string; readonly tone: Tone } {
  if (state.unreachableSinceMs !== null) {
    const since = clock(state.nowMs - state.unreachableSinceMs);
    return { text: `The service has not answered for ${since}, trying again ...`, tone: 'bad' };
  }
  if (state.isFindingJobs) return { text: 'Asking which jobs are active ...', tone: 'quiet' };
  const { length } = state.jobs;
  if (length === 0) {
    const text = state.watchesAllActive ? 'No job is active. New ones appear here.' : 'No job is active.';
    return { text, tone: 'plain' };
  }
  const parts = [
    `${length} ${length === 1 ? 'job' : 'jobs'}`,
    countsOf(state),
    clock(state.nowMs - state.startedAtMs),
  ];
  return { text: parts.filter((part) => part !== '').join(' · '), tone: 'plain' };
}

function countsOf(state: WatchState): string {
  const counts = new Map<string, number>();
  for (const { displayState: name, unavailable } of state.jobs) {
    const word = unavailable === null ? name : 'lost';
    if (word !== null) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return [...counts].map(([word, count]) => `${count} ${word}`).join(', ');
}
