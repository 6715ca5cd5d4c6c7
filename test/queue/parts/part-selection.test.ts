import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Job } from '../../../daemon/jobs/job.js';
import { waitingJobOf } from '../../../daemon/queue/parts/job-parts.js';
import { selectionFor, type WorkerAbilities } from '../../../daemon/queue/parts/part-selection.js';
import type { OutputSettings } from '../../../src/shared/settings/index.js';
import { joinRequest } from '../../helpers/served-context.js';
import { jobIn } from '../../jobs/sample-job.js';

const test = suite('outputs that a machine takes');

const { capabilities } = joinRequest();
const machine = (...labels: readonly string[]): WorkerAbilities => ({
  labels: new Set(labels),
  capabilities,
});

/** A job with one output for each list of labels. */
function jobWith(...given: readonly (readonly string[] | OutputSettings)[]): Job {
  const job = jobIn({ job: 'waiting', input: 'waiting', outputs: given.map(() => 'waiting' as const) });
  const outputs = job.outputs.map((output, index) => {
    const one = given[index] ?? [];
    const settings: OutputSettings = Array.isArray(one) ? { requires: one } : (one as OutputSettings);
    return { ...output, id: index + 1, settings, destination: `hosted://token/${index}.mp4` };
  });
  return { ...job, outputs };
}

/** The outputs that a machine takes: `all`, or their ids, if it takes the job. */
function taken(job: Job, own: WorkerAbilities, ...others: readonly WorkerAbilities[]) {
  const selection = selectionFor(own, () => [own, ...others]);
  const outputs = selection.outputsOf(job);
  assert.is(selection.accepts(waitingJobOf(job)), outputs === null || outputs.length > 0);
  return outputs ?? 'all';
}

test('a machine that can make all outputs takes them, whatever others can do', () => {
  const job = jobWith(['a'], ['b'], []);
  assert.is(taken(job, machine('a', 'b'), machine('a', 'b', 'c'), machine('a')), 'all');
});

test('one that can make some takes these if no other machine can make them and more', () => {
  const job = jobWith(['a'], ['b'], ['c']);
  assert.equal(taken(job, machine('a')), [1]);
  assert.equal(taken(job, machine('a', 'b'), machine('c')), [1, 2]);
  assert.equal(taken(job, machine('a'), machine('a', 'b')), []);
  assert.equal(taken(job, machine('a', 'b'), machine('b', 'c')), [1, 2]);
  assert.equal(taken(job, machine('x')), []);
});

test('labels of the whole job are needed for each output', () => {
  const job = { ...jobWith(['a'], []), requires: ['zone'] };
  assert.equal(taken(job, machine('a')), []);
  assert.equal(taken(job, machine('zone')), [2]);
  assert.is(taken(job, machine('a', 'zone')), 'all');
});

test('only the daemon on the machine of a file that is read in place takes its job', () => {
  const job = jobWith(['a'], []);
  const inPlace = { identity: '1:2', sizeBytes: 5000, modifiedNs: '1', daemonId: 'here' };
  const local = { ...job, input: { ...job.input, inPlace } };
  assert.equal(taken(local, machine('a')), []);
  assert.equal(taken(local, machine('a', 'in-place:there')), []);
  assert.is(taken(local, machine('a', 'in-place:here'), machine('a')), 'all');
});

test('outputs that could share the decoding of another machine are left to it', () => {
  const job = jobWith(['a'], ['b'], { requires: ['c'], start_clip: 5 });
  // The other machine decodes the first clip once for both outputs.
  assert.equal(taken(job, machine('a', 'c'), machine('a', 'b')), [3]);
  assert.equal(taken(job, machine('a', 'b'), machine('a', 'c')), [1, 2]);
});

test('whatever machines there are, each output that one of them can make is taken by one', () => {
  const labels = ['a', 'b', 'c', 'd'];
  const subsets = Array.from({ length: 16 }, (_, bits) => labels.filter((_label, bit) => bits & (1 << bit)));
  const job = jobWith(['a'], ['b'], { requires: ['c'], start_clip: 5 }, { requires: ['d'], start_clip: 5 });
  let count = 0;
  for (const first of subsets)
    for (const second of subsets)
      for (const third of subsets) {
        const machines = [first, second, third].map((own) => machine(...own));
        const made = machines.flatMap((own) => {
          const one = taken(job, own, ...machines);
          return one === 'all' ? [1, 2, 3, 4] : one;
        });
        const hasMaker = [first, second, third].some((own) => own.length > 0);
        assert.is(made.length > 0, hasMaker, JSON.stringify([first, second, third]));
        count += 1;
      }
  assert.is(count, 4096);
});

test.run();
