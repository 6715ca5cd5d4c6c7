import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type WaitingJob, WaitingJobs } from '../../daemon/queue/waiting-jobs.js';
import { randomNumbers } from '../helpers/random.js';
import { printClosingLine, suiteOptions } from '../helpers/suite-options.js';
import { NaiveWaitingJobs } from './naive-waiting-jobs.js';

type Accepts = (job: WaitingJob) => boolean;

const all: Accepts = () => true;

function jobOf(id: number, edit: Partial<WaitingJob> = {}): WaitingJob {
  return { id, accountId: 'a', priority: 0, requires: [], needsKey: '', ...edit };
}

function waiting(...jobs: readonly WaitingJob[]): WaitingJobs {
  const line = new WaitingJobs();
  for (const job of jobs) line.push(job);
  return line;
}

/** Runs all jobs, each until the end, and returns the order. With `slots`, as many run at a time, and the oldest ends first. */
function drain(line: WaitingJobs, { accepts = all, slots = 1 } = {}): readonly number[] {
  const order: number[] = [];
  const running: WaitingJob[] = [];
  for (let left = line.size; left > 0; left--) {
    const active = new Map<string, number>();
    for (const { accountId } of running) active.set(accountId, (active.get(accountId) ?? 0) + 1);
    const job = line.next(accepts, active);
    if (job === null) break;
    line.remove(job.id);
    order.push(job.id);
    running.push(job);
    if (running.length >= slots) running.shift();
  }
  return order;
}

const gpu = { requires: ['gpu'] };
const withoutGpu: Accepts = ({ requires }) => !requires.includes('gpu');

const orders: readonly (readonly [
  name: string,
  jobs: readonly WaitingJob[],
  order: readonly number[],
  options?: { readonly accepts?: Accepts; readonly slots?: number },
])[] = [
  ['jobs of one account begin in the order of arrival', [jobOf(3), jobOf(1), jobOf(2)], [3, 1, 2]],
  [
    'a greater priority goes first, also a negative one',
    [jobOf(1, { priority: -1 }), jobOf(2), jobOf(3, { priority: 10 }), jobOf(4, { priority: 10 })],
    [3, 4, 2, 1],
  ],
  [
    'classes of labels and needs do not change the order',
    [jobOf(1, gpu), jobOf(2), jobOf(3, { needsKey: 'av1' }), jobOf(4, gpu)],
    [1, 2, 3, 4],
  ],
  ['jobs that are not accepted are passed over', [jobOf(1, gpu), jobOf(2)], [2], { accepts: withoutGpu }],
  [
    'accounts with equally many running jobs go by priority, then by arrival',
    [
      jobOf(1),
      jobOf(2, { accountId: 'b' }),
      jobOf(3, { accountId: 'c', priority: 1 }),
      jobOf(4, { accountId: 'b' }),
    ],
    [3, 1, 2, 4],
  ],
  [
    'the account with fewer running jobs goes first, whatever the priority of the other',
    [
      jobOf(1, { priority: 9 }),
      jobOf(2, { priority: 9 }),
      jobOf(3, { priority: 9 }),
      jobOf(4, { accountId: 'b', priority: -10 }),
    ],
    [1, 4, 2, 3],
    { slots: 10 },
  ],
  [
    'an account whose jobs are not accepted does not keep others waiting',
    [jobOf(1), jobOf(2), jobOf(3, { accountId: 'b', ...gpu })],
    [1, 2],
    { accepts: withoutGpu, slots: 10 },
  ],
  [
    'what counts is the priority of the job that is accepted',
    [jobOf(1, { priority: 9, ...gpu }), jobOf(2), jobOf(3, { accountId: 'b', priority: 1 })],
    [3, 2],
    { accepts: withoutGpu },
  ],
];

for (const [name, jobs, order, options] of orders) {
  test(name, () => {
    assert.equal(drain(waiting(...jobs), options), order);
  });
}

test('a job that waits already keeps its position, and one with another priority is moved', () => {
  const line = waiting(jobOf(1), jobOf(2), jobOf(3));
  line.push(jobOf(1));
  line.push(jobOf(3, { priority: 1 }));
  assert.is(line.size, 3);
  assert.equal(drain(line), [3, 1, 2]);
});

test('jobs that have begun come before the others of their account and priority, in the order of arrival', () => {
  const line = waiting(jobOf(1), jobOf(2, { priority: 1 }), jobOf(3, { priority: -1 }));
  for (const job of [jobOf(4), jobOf(5), jobOf(6, { priority: -1 })]) line.push(job, { hasBegun: true });
  line.push(jobOf(4));
  assert.equal(drain(line), [2, 4, 5, 1, 6, 3]);
});

test('an account whose jobs have begun does not delay another account', () => {
  const line = waiting(jobOf(1, { accountId: 'b' }));
  for (const id of [2, 3, 4]) line.push(jobOf(id), { hasBegun: true });
  assert.equal(drain(line, { slots: 10 }), [2, 1, 3, 4]);
});

test('a job with other labels is added again', () => {
  const line = waiting(jobOf(1, gpu), jobOf(2));
  line.push(jobOf(1));
  assert.equal(drain(line, { accepts: withoutGpu }), [2, 1]);
});

test('a job that was put back is before all others, also those of accounts with fewer running jobs', () => {
  const line = waiting(jobOf(1, { accountId: 'b', priority: 10 }), jobOf(2), jobOf(3));
  line.unshift(jobOf(4, { priority: -10 }));
  line.unshift(jobOf(3));
  assert.is(line.next(all, new Map([['a', 5]]))?.id, 3);
  line.push(jobOf(4, { priority: -10 }));
  assert.equal(drain(line), [3, 4, 1, 2]);
});

test('the next job goes on waiting until it is removed', () => {
  const line = waiting(jobOf(1, { priority: 3, ...gpu, needsKey: 'av1' }));
  assert.equal(line.next(all, new Map()), jobOf(1, { priority: 3, ...gpu, needsKey: 'av1' }));
  assert.equal([line.has(1), line.size], [true, 1]);
  line.remove(1);
  line.remove(1);
  assert.equal([line.has(1), line.size, line.next(all, new Map())], [false, 0, null]);
});

test('nothing waits after clear', () => {
  const line = waiting(jobOf(1), jobOf(2));
  line.unshift(jobOf(3));
  line.clear();
  assert.equal([line.size, line.has(3), line.next(all, new Map())], [0, false, null]);
  line.push(jobOf(4));
  assert.equal(drain(line), [4]);
});

test('each class is asked for once, also if one of its jobs was put back', () => {
  const line = new WaitingJobs();
  for (let id = 0; id < 1000; id++) line.push(jobOf(id, { priority: id % 3, needsKey: String(id % 5) }));
  line.unshift(jobOf(7, { needsKey: '2' }));
  let count = 0;
  const none: Accepts = () => {
    count += 1;
    return false;
  };
  assert.is(line.next(none, new Map([['a', 1]])), null);
  assert.is(count, 5);
});

test('an account with 10,000 waiting jobs does not delay the only job of another account', () => {
  const line = new WaitingJobs();
  for (let id = 0; id < 10_000; id++) line.push(jobOf(id, { priority: 10 }));
  line.push(jobOf(10_000, { accountId: 'b' }));
  // All slots are taken by the first account; the next slot that becomes free is for the second one.
  assert.is(line.next(all, new Map([['a', 3]]))?.id, 10_000);
});

test('accounts with many waiting jobs share the slots evenly', () => {
  const line = new WaitingJobs();
  for (let id = 0; id < 3000; id++)
    line.push(jobOf(id, { accountId: id < 2000 ? 'a' : id < 2990 ? 'b' : 'c' }));
  const order = drain(line, { slots: 6 }).slice(0, 30);
  const countOf = (from: number, to: number) => order.filter((id) => id >= from && id < to).length;
  assert.equal([countOf(0, 2000), countOf(2000, 2990), countOf(2990, 3000)], [10, 10, 10]);
});

test('random operations give the same order as a search through all jobs', () => {
  const { seed, isLong } = suiteOptions();
  const random = randomNumbers(seed);
  const pick = (count: number): number => Math.floor(random() * count);
  const steps = isLong ? 1_000_000 : 20_000;
  let found = 0;
  let line = new WaitingJobs();
  let naive = new NaiveWaitingJobs();
  for (let step = 0; step < steps; step++) {
    // A new pair at times, so that short and long queues occur.
    if (pick(2000) === 0) [line, naive] = [new WaitingJobs(), new NaiveWaitingJobs()];
    const job = jobOf(pick(60), {
      accountId: `account ${pick(4)}`,
      priority: pick(4) - 2,
      requires: [[], ['gpu'], ['av1', 'gpu']][pick(3)] ?? [],
      needsKey: `needs ${pick(2)}`,
    });
    const operation = pick(20);
    if (operation < 9) for (const one of [line, naive]) one.push(job);
    else if (operation < 11) for (const one of [line, naive]) one.unshift(job);
    else if (operation < 13) for (const one of [line, naive]) one.remove(job.id);
    else if (operation === 13 && pick(100) === 0) for (const one of [line, naive]) one.clear();
    else {
      const mask = pick(2 ** 24);
      const accepts: Accepts = ({ accountId, requires, needsKey }) =>
        ((mask >> ((Number(accountId.at(-1)) * 3 + requires.length) * 2 + Number(needsKey.at(-1)))) & 1) ===
        1;
      const active = new Map(
        [0, 1, 2, 3].flatMap((one) => (pick(2) ? [] : [[`account ${one}`, pick(3)] as const])),
      );
      const next = line.next(accepts, active);
      assert.equal(next, naive.next(accepts, active), `step ${step} of seed ${seed}`);
      if (next === null) continue;
      found += 1;
      for (const one of [line, naive]) one.remove(next.id);
    }
    assert.equal(
      [line.size, line.has(job.id)],
      [naive.size, naive.has(job.id)],
      `step ${step} of seed ${seed}`,
    );
  }
  assert.ok(found > steps / 10);
  printClosingLine('waiting jobs', [`${steps} operations`, `${found} jobs taken`]);
});

test.run();
