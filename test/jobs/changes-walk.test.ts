import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { apply } from '../../daemon/jobs/changes.js';
import type { Job } from '../../daemon/jobs/job.js';
import type { Change } from '../../daemon/jobs/legal-changes.js';
import { isVencError } from '../../src/shared/errors.js';
import { inputStates, isFinal, jobStates, type OutputState, outputStates } from '../../src/shared/states.js';
import {
  changedAt,
  deepFreeze,
  file,
  jobIn,
  media,
  type States,
  sampleFailure,
  statesOf,
} from './sample-job.js';

const only = (outputs: readonly OutputState[], ...states: readonly OutputState[]) =>
  outputs.every((state) => states.includes(state));

/** The valid combinations of states. Every step of the walk is checked against this definition. */
function makesSense({ job, input, outputs }: States): boolean {
  switch (job) {
    case 'pending':
    case 'waiting':
      return (
        input === 'waiting' &&
        only(outputs, 'waiting', 'finished', 'failed', 'skipped') &&
        outputs.includes('waiting')
      );
    case 'processing':
      if (input === 'processing') {
        return only(outputs, 'waiting', 'finished', 'failed', 'skipped') && outputs.includes('waiting');
      }
      return (
        input === 'finished' &&
        only(outputs, 'queued', 'assigning', 'processing', 'finished', 'failed', 'skipped') &&
        !outputs.every(isFinal)
      );
    case 'finished':
      return input === 'finished' && only(outputs, 'finished', 'skipped');
    case 'failed':
      if (input === 'failed') {
        return only(outputs, 'no input', 'finished', 'failed', 'skipped') && outputs.includes('no input');
      }
      return (
        input === 'finished' && only(outputs, 'finished', 'failed', 'skipped') && outputs.includes('failed')
      );
    case 'cancelled':
      return (
        (input === 'finished' || input === 'cancelled') &&
        only(outputs, 'cancelled', 'finished', 'failed', 'skipped') &&
        outputs.includes('cancelled')
      );
  }
}

const sensible: readonly States[] = jobStates
  .flatMap((job) => inputStates.map((input) => ({ job, input })))
  .flatMap((states) => outputStates.map((first) => ({ ...states, first })))
  .flatMap(({ job, input, first }) =>
    outputStates.map((second): States => ({ job, input, outputs: [first, second] })),
  )
  .filter(makesSense);

const changes: readonly Change[] = [
  { type: 'queued' },
  { type: 'claimed', token: 'next' },
  { type: 'inspected', media, file },
  { type: 'input-failed', failure: sampleFailure },
  ...[9, 10].flatMap((id): readonly Change[] => [
    { type: 'output-assigned', id },
    { type: 'output-started', id },
    { type: 'output-finished', id, media, file },
    { type: 'output-failed', id, failure: sampleFailure },
    { type: 'output-skipped', id, reason: 'It is too short.' },
  ]),
  { type: 'released' },
  { type: 'lost' },
  { type: 'cancelled' },
  { type: 'resubmitted' },
];

const target = { url: 'http://example.com/done', format: 'json', headers: {} } as const;
/** The job with endpoints for its end and the end of each output, and with one pending notification of an output. */
function withTargets(job: Job): Job {
  const outputs = job.outputs.map((output) => ({
    ...output,
    settings: { ...output.settings, notifications: [target] },
  }));
  const [first] = outputs;
  const waits = first !== undefined && isFinal(first.state);
  const notification = { id: 'earlier', outputId: first?.id ?? 0, target, attempts: 3, dueAt: job.createdAt };
  return deepFreeze({
    ...job,
    outputs,
    notifications: [target],
    pendingNotifications: waits ? [notification] : [],
  });
}

/** Every legal step from every valid job. The jobs are frozen. */
function steps(
  edit: Partial<Job> = {},
  prepare: (job: Job) => Job = (job) => job,
): readonly { readonly from: Job; readonly change: Change; readonly to: Job }[] {
  return sensible
    .map((states) => prepare(jobIn(states, edit)))
    .flatMap((from) =>
      changes.flatMap((change) => {
        try {
          return [{ from, change, to: apply(from, change, changedAt) }];
        } catch (error) {
          assert.ok(isVencError(error), `"${change.type}" ended with ${String(error)}`);
          return [];
        }
      }),
    );
}

test('the walk visits a large number of steps', () => {
  assert.ok(sensible.length > 40);
  assert.ok(steps().length > 150);
});

test('every legal step leads to a valid job, at any number of crashes', () => {
  for (const crashes of [0, 1, 2]) {
    for (const { from, change, to } of steps({ crashes })) {
      const what = `${change.type}: ${JSON.stringify(statesOf(from))} -> ${JSON.stringify(statesOf(to))}`;
      assert.ok(makesSense(statesOf(to)), what);
    }
  }
});

test('after every step a job has an end time exactly when it is final, and a claim only while it is processing', () => {
  for (const { to } of steps()) {
    assert.is(to.finishedAt !== null, isFinal(to.state));
    assert.is(to.claim !== null, to.state === 'processing');
    for (const part of [to.input, ...to.outputs]) {
      assert.is(part.finishedAt !== null, isFinal(part.state));
      assert.is(part.failure !== null, part.state === 'failed');
      assert.is(part.file !== null, part.state === 'finished');
    }
  }
});

test('no step changes the identity of a job: ids, account, addresses, settings and creation time', () => {
  const identity = (job: Job) => ({
    ids: [job.id, job.accountId, job.createdAt, job.test, job.passThrough, job.grouping],
    input: [job.input.id, job.input.url, job.input.createdAt],
    outputs: job.outputs.map(({ id, label, settings, destination, url }) => [
      id,
      label,
      settings,
      destination,
      url,
    ]),
  });
  for (const { from, to } of steps()) {
    assert.equal(identity(to), identity(from));
    assert.is(to.updatedAt, changedAt.toISOString());
  }
});

test('a finished output stays finished and keeps its file, whatever happens to the job', () => {
  for (const { from, to } of steps()) {
    for (const [index, output] of from.outputs.entries()) {
      if (output.state === 'finished') assert.is(to.outputs[index], output);
    }
  }
});

test('only a resubmit leaves a final state', () => {
  for (const { from, change } of steps()) {
    if (isFinal(from.state)) assert.is(change.type, 'resubmitted');
  }
});

test('a step makes notifications of the parts that it ends, outputs first, and they are kept while that part is final', () => {
  let made = 0;
  for (const crashes of [0, 2]) {
    for (const { from, to } of steps({ crashes }, withTargets)) {
      const ended = from.outputs.filter(
        ({ state }, index) => !isFinal(state) && isFinal(to.outputs[index]?.state ?? state),
      );
      const fresh: readonly (number | null)[] = [
        ...ended.map(({ id }) => id),
        ...(!isFinal(from.state) && isFinal(to.state) ? [null] : []),
      ];
      const keptNotifications = from.pendingNotifications.filter(() =>
        isFinal(to.outputs[0]?.state ?? 'waiting'),
      );
      assert.equal(
        to.pendingNotifications.map(({ outputId }) => outputId),
        [...keptNotifications.map(({ outputId }) => outputId), ...fresh],
      );
      assert.equal(to.pendingNotifications.slice(0, keptNotifications.length), keptNotifications);
      assert.ok(
        to.pendingNotifications
          .slice(keptNotifications.length)
          .every(({ attempts, dueAt }) => attempts === 0 && dueAt === to.updatedAt),
      );
      assert.is(new Set(to.pendingNotifications.map(({ id }) => id)).size, to.pendingNotifications.length);
      made += fresh.length;
    }
  }
  assert.ok(made > 100);
});

test('a delivery attempt changes only the notifications, in any state of the job', () => {
  for (const states of sensible) {
    const from = withTargets(jobIn(states));
    for (const type of ['notification-delivered', 'notification-failed'] as const) {
      const answer = { destination: 'http://example.com', status: 200, failure: null };
      const to = apply(from, { type, notificationId: 'earlier', answer }, changedAt);
      const { notificationAttempts, ...others } = to;
      assert.is(notificationAttempts?.length ?? 0, Math.min(from.pendingNotifications.length, 1));
      assert.equal({ ...others, pendingNotifications: from.pendingNotifications }, from);
      assert.is(apply(from, { type, notificationId: 'another', answer }, changedAt), from);
    }
  }
});

test.run();
