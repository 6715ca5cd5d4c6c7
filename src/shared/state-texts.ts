/**
 * What the states of jobs, inputs and outputs mean, as commands show them, in the order of a job's life. The first
 * column is at most 11 characters wide, and a line fits a terminal of 80 columns.
 */
export const stateTexts = [
  ['waiting', 'it has not begun; its turn comes by priority, then by age'],
  ['processing', 'its input is fetched and read, or an output is made or delivered'],
  ['queued', 'its input is ready; it waits for a free slot to encode'],
  ['queued 1%', 'the same; the percent is work done, such as the download'],
  ['finished', 'all outputs are made and delivered'],
  ['failed', 'the input or an output failed; venc show has the reason'],
  ['cancelled', 'someone stopped it; venc resubmit starts it again'],
  ['no input', 'an output that was not made, because the input failed'],
  ['skipped', 'an output that the request left out for this input (skip)'],
  ['lost', 'watch can no longer read it: it was removed, or the key rejected'],
] as const satisfies readonly (readonly [state: string, meaning: string])[];

/** The states as lines for a terminal: the state, and its meaning. */
export function stateLines(): readonly string[] {
  return stateTexts.map(([state, meaning]) => `${state.padEnd(11)} ${meaning}`);
}
