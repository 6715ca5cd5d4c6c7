import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { displayProgress, displayState, etaOfJob } from '../../src/shared/states.js';

const busy = (etaMs?: number) =>
  ({ state: 'processing', ...(etaMs === undefined ? {} : { eta_in_ms: etaMs }) }) as const;
const queued = { state: 'queued' } as const;
const finished = { state: 'finished' } as const;
const failed = { state: 'failed' } as const;

const etas: readonly (readonly [string, Parameters<typeof etaOfJob>[0], number | null])[] = [
  ['no output is known', [], null],
  ['the only one is queued', [queued], null],
  ['the only one is queued, and the service reports a time', [{ ...queued, eta_in_ms: 5000 }], null],
  ['one is encoded and one is queued', [busy(4000), queued], null],
  ['one is encoded and one waits for the input', [busy(4000), { state: 'waiting' }], null],
  ['two are encoded', [busy(4000), busy(9000)], 9000],
  ['two are encoded, the longer one first', [busy(9000), busy(4000)], 9000],
  ['one is encoded and one is uploaded, which has no time', [busy(4000), busy()], null],
  ['one is encoded and one is finished', [busy(4000), finished], 4000],
  ['one is encoded and one has failed', [failed, busy(4000)], 4000],
  ['all are finished', [finished, finished], null],
];

for (const [situation, outputs, etaMs] of etas) {
  test(`if ${situation}, a job has ${etaMs === null ? 'no time left' : `${etaMs} ms left`}`, () => {
    assert.is(etaOfJob(outputs), etaMs);
  });
}

const states: readonly (readonly [string, string, readonly string[], string])[] = [
  ['waiting', 'waiting', ['waiting'], 'waiting'],
  ['processing', 'processing', ['waiting'], 'processing'],
  ['processing', 'processing', ['queued'], 'processing'],
  ['processing', 'finished', ['queued'], 'queued'],
  ['processing', 'finished', ['queued', 'queued'], 'queued'],
  ['processing', 'finished', ['finished', 'queued'], 'queued'],
  ['processing', 'finished', ['processing', 'queued'], 'processing'],
  ['processing', 'finished', ['finished'], 'processing'],
  ['processing', 'finished', [], 'processing'],
  ['failed', 'finished', ['queued'], 'failed'],
  ['Transmogrifying', 'finished', ['queued'], 'Transmogrifying'],
];

for (const [job, input, outputs, shown] of states) {
  test(`a job that is ${job}, its input ${input} and its outputs ${outputs.join(', ') || 'none'}, is shown as ${shown}`, () => {
    const states = outputs.map((state) => ({ state }));
    assert.is(displayState({ state: job, input: { state: input }, outputs: states }), shown);
  });
}

test('a job of which no output has been started is at 0 percent, though its input has been read', () => {
  const shown = (...outputs: readonly { readonly state: string }[]) =>
    displayProgress({ state: 'processing', progress: 1, input: finished, outputs });
  assert.equal([shown(queued), shown(finished, queued), shown(queued, busy())], [0, 1, 1]);
});

test.run();
