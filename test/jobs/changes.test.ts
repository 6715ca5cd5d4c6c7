import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { apply, applyAsHolder } from '../../daemon/jobs/changes.js';
import { crashLimit } from '../../daemon/jobs/end-of-claim.js';
import { type Job, toJobFailure } from '../../daemon/jobs/job.js';
import { type Change, resubmitLimit } from '../../daemon/jobs/legal-changes.js';
import { isVencError } from '../../src/shared/errors.js';
import { inputStates, jobStates, outputStates } from '../../src/shared/states.js';
import { changedAt, file, jobIn, madeAt, media, type States, sampleFailure, statesOf } from './sample-job.js';

const at = changedAt.toISOString();
const before = madeAt.toISOString();
const illegal = 'IllegalChangeError';
const conflict = 'ConflictError';

/** The resulting state of a change, or the class of its error. */
function outcomeOf(job: Job, change: Change, stateOf: (job: Job) => string): string {
  try {
    return stateOf(apply(job, change, changedAt));
  } catch (error) {
    if (isVencError(error)) return error.errorClass;
    throw error;
  }
}

const inputReady = { job: 'processing', input: 'finished' } as const;
const typical: Readonly<Record<Job['state'], States>> = {
  pending: { job: 'pending', input: 'waiting', outputs: ['waiting'] },
  waiting: { job: 'waiting', input: 'waiting', outputs: ['waiting'] },
  processing: { job: 'processing', input: 'processing', outputs: ['waiting'] },
  finished: { job: 'finished', input: 'finished', outputs: ['finished'] },
  failed: { job: 'failed', input: 'finished', outputs: ['failed'] },
  cancelled: { job: 'cancelled', input: 'cancelled', outputs: ['cancelled'] },
};

/** What happens in no state of a job. */
const never = [illegal, illegal, illegal, illegal, illegal, illegal] as const;

const byJobState: readonly (readonly [Change, ...string[]])[] = [
  // change                                      pending    waiting       processing    finished  failed    cancelled
  [{ type: 'queued' }, 'waiting', illegal, illegal, illegal, illegal, illegal],
  [{ type: 'claimed', token: 'token' }, illegal, 'processing', illegal, illegal, illegal, illegal],
  [{ type: 'inspected', media, file }, illegal, illegal, 'processing', illegal, illegal, illegal],
  [{ type: 'input-failed', failure: sampleFailure }, illegal, illegal, 'failed', illegal, illegal, illegal],
  [{ type: 'released' }, illegal, illegal, 'waiting', illegal, illegal, illegal],
  [{ type: 'lost' }, illegal, illegal, 'waiting', illegal, illegal, illegal],
  [{ type: 'cancelled' }, conflict, 'cancelled', 'cancelled', conflict, conflict, conflict],
  [{ type: 'resubmitted' }, 'waiting', 'waiting', 'waiting', conflict, 'waiting', 'waiting'],
  [{ type: 'prioritized', priority: 4 }, 'pending', 'waiting', conflict, conflict, conflict, conflict],
  [{ type: 'paused' }, 'pending', 'waiting', 'processing', conflict, conflict, conflict],
  [{ type: 'unpaused' }, 'pending', 'waiting', 'processing', conflict, conflict, conflict],
  [{ type: 'output-assigned', id: 9 }, ...never],
  [{ type: 'output-started', id: 9 }, ...never],
  [{ type: 'output-finished', id: 9, media, file }, ...never],
  [{ type: 'output-skipped', id: 9, reason: 'It is too short.' }, ...never],
  [{ type: 'output-failed', id: 9, failure: sampleFailure }, ...never],
];

for (const [change, ...outcomes] of byJobState) {
  for (const [index, state] of jobStates.entries()) {
    test(`"${change.type}" of a ${state} job: ${outcomes[index]}`, () => {
      assert.is(
        outcomeOf(jobIn(typical[state]), change, (job) => job.state),
        outcomes[index],
      );
    });
  }
}

const byInputState: readonly (readonly [Change, ...string[]])[] = [
  // change                            pending  waiting  processing  finished failed   cancelled
  [{ type: 'inspected', media, file }, illegal, illegal, 'finished', illegal, illegal, illegal],
  [{ type: 'input-failed', failure: sampleFailure }, illegal, illegal, 'failed', illegal, illegal, illegal],
];

for (const [change, ...outcomes] of byInputState) {
  for (const [index, state] of inputStates.entries()) {
    test(`"${change.type}" of a job whose input is ${state}: ${outcomes[index]}`, () => {
      const job = jobIn({ job: 'processing', input: state, outputs: ['waiting'] });
      assert.is(
        outcomeOf(job, change, ({ input }) => input.state),
        outcomes[index],
      );
    });
  }
}

const byOutputState: readonly (readonly [Change, Readonly<Record<string, string>>])[] = [
  [{ type: 'output-assigned', id: 9 }, { queued: 'assigning' }],
  [
    { type: 'output-started', id: 9 },
    { queued: 'processing', assigning: 'processing' },
  ],
  [{ type: 'output-finished', id: 9, media, file }, { processing: 'finished' }],
  [
    { type: 'output-failed', id: 9, failure: sampleFailure },
    { queued: 'failed', assigning: 'failed', processing: 'failed' },
  ],
  [
    { type: 'output-skipped', id: 9, reason: 'It is too short.' },
    { queued: 'skipped', processing: 'skipped' },
  ],
];

for (const [change, legal] of byOutputState) {
  for (const state of outputStates) {
    test(`"${change.type}" of an output that is ${state}: ${legal[state] ?? illegal}`, () => {
      const job = jobIn({ ...inputReady, outputs: [state, 'processing'] });
      assert.is(
        outcomeOf(job, change, ({ outputs }) => outputs[0]?.state ?? ''),
        legal[state] ?? illegal,
      );
    });
  }
}

test('a change of an unknown output is rejected', () => {
  const job = jobIn({ ...inputReady, outputs: ['queued'] });
  for (const id of [7, 8, 10]) {
    assert.throws(
      () => apply(job, { type: 'output-started', id }, changedAt),
      (error: unknown) => isVencError(error, illegal) && error.message.includes(`no output ${id}`),
    );
  }
});

test('an inspected input unblocks the outputs that wait for it, and no others', () => {
  const job = jobIn({ job: 'processing', input: 'processing', outputs: ['waiting', 'finished', 'waiting'] });
  const next = apply(job, { type: 'inspected', media, file }, changedAt);
  assert.equal(statesOf(next), { ...inputReady, outputs: ['queued', 'finished', 'queued'] });
  assert.equal([next.input.media, next.input.file, next.input.finishedAt], [media, file, at]);
  assert.is(next.outputs[1]?.updatedAt, before);
});

test('a failed input fails its outputs and the job', () => {
  const job = jobIn({ job: 'processing', input: 'processing', outputs: ['waiting', 'finished'] });
  const next = apply(job, { type: 'input-failed', failure: sampleFailure }, changedAt);
  assert.equal(statesOf(next), { job: 'failed', input: 'failed', outputs: ['no input', 'finished'] });
  assert.equal([next.input.failure, next.finishedAt, next.claim], [sampleFailure, at, null]);
});

test('a stored failure is one line without control codes of terminals', () => {
  const failure = { ...sampleFailure, message: 'The film\u001b]0;x\u0007\u001b[31m is\r\nbad\u009b.' };
  const message = String.raw`The film\x1b]0;x\x07\x1b[31m is bad\x9b.`;
  const ofInput = apply(
    jobIn({ job: 'processing', input: 'processing', outputs: ['waiting'] }),
    { type: 'input-failed', failure },
    changedAt,
  );
  assert.is(ofInput.input.failure?.message, message);
  const encoding = jobIn({ job: 'processing', input: 'finished', outputs: ['processing'] });
  const ofOutput = apply(encoding, { type: 'output-failed', id: 9, failure }, changedAt);
  assert.is(ofOutput.outputs[0]?.failure?.message, message);
  assert.equal(toJobFailure(new Error(failure.message), 'TranscodingError'), { ...failure, message });
});

test('a job continues while one of its outputs is not final, and a failed output does not affect the others', () => {
  const job = jobIn({ ...inputReady, outputs: ['processing', 'queued'] });
  const oneFailed = apply(job, { type: 'output-failed', id: 9, failure: sampleFailure }, changedAt);
  assert.equal(statesOf(oneFailed), { ...inputReady, outputs: ['failed', 'queued'] });
  assert.is(oneFailed.claim, 'token');
  const started = apply(oneFailed, { type: 'output-started', id: 10 }, changedAt);
  const ended = apply(started, { type: 'output-finished', id: 10, media, file }, changedAt);
  assert.equal(statesOf(ended), { job: 'failed', input: 'finished', outputs: ['failed', 'finished'] });
  assert.equal([ended.claim, ended.finishedAt, ended.outputs[1]?.media], [null, at, media]);
});

test('a job is finished once all its outputs are', () => {
  const job = jobIn({ ...inputReady, outputs: ['finished', 'processing'] });
  const next = apply(job, { type: 'output-finished', id: 10, media, file }, changedAt);
  assert.is(next.state, 'finished');
});

test('an output that was delivered to its secondary destination shows it as its own', () => {
  const secondary = { destination: 'ftp://a:b@example.com/film.mp4', url: 'ftp://a@example.com/film.mp4' };
  const job = jobIn({ ...inputReady, outputs: ['finished', 'processing'] });
  const outputs = job.outputs.map((one) => ({ ...one, secondary }));
  const change = { type: 'output-finished', id: 10, media, file } as const;
  const next = apply({ ...job, outputs }, { ...change, primaryUploadError: 'It is away.' }, changedAt);
  const [, output] = next.outputs;
  assert.equal([output?.destination, output?.url], [secondary.destination, secondary.url]);
  assert.is(output?.primaryUploadError, 'It is away.');
  assert.equal(next.outputs[0], outputs[0]);
  const alone = apply({ ...job, outputs }, change, changedAt).outputs[1];
  assert.equal([alone?.url, alone?.primaryUploadError], [job.outputs[1]?.url, undefined]);
});

test('a cancel keeps final outputs and ends everything else at once', () => {
  const job = jobIn({ ...inputReady, outputs: ['finished', 'failed', 'processing', 'queued'] });
  const next = apply(job, { type: 'cancelled' }, changedAt);
  assert.equal(statesOf(next), {
    job: 'cancelled',
    input: 'finished',
    outputs: ['finished', 'failed', 'cancelled', 'cancelled'],
  });
  assert.equal([next.claim, next.finishedAt], [null, at]);
  assert.equal(next.outputs.slice(0, 2), job.outputs.slice(0, 2));
});

test('a job keeps what is known of its input while another machine makes its other outputs', () => {
  const job = jobIn({ ...inputReady, outputs: ['processing', 'queued'] });
  const id = job.outputs[0]?.id ?? 0;
  const held = { ...job, claimedOutputs: [id] };
  const left = apply(held, { type: 'output-finished', id, media, file }, changedAt);
  assert.equal(statesOf(left), { job: 'waiting', input: 'finished', outputs: ['finished', 'waiting'] });
  assert.equal(left.input, job.input);
  const next = apply(left, { type: 'claimed', token: 'another' }, changedAt);
  assert.equal(
    [next.input.state, next.input.media, next.input.file, next.input.finishedAt],
    ['processing', job.input.media, job.input.file, null],
  );
});

test('a resubmit clears errors and times and keeps finished outputs', () => {
  const job = jobIn(
    { job: 'failed', input: 'finished', outputs: ['finished', 'failed', 'no input'] },
    { crashes: 2 },
  );
  const next = apply(job, { type: 'resubmitted' }, changedAt);
  assert.equal(statesOf(next), {
    job: 'waiting',
    input: 'waiting',
    outputs: ['finished', 'waiting', 'waiting'],
  });
  assert.is(next.outputs[0], job.outputs[0]);
  for (const part of [next.input, ...next.outputs.slice(1)]) {
    assert.equal([part.failure, part.media, part.file, part.finishedAt], [null, null, null, null]);
  }
  assert.equal(
    [next.submittedAt, next.createdAt, next.finishedAt, next.resubmits, next.crashes, next.claim],
    [at, before, null, 1, 0, null],
  );
});

test('the sixth resubmit is rejected, and the error for a finished job names its state', () => {
  let job = jobIn(typical.failed);
  for (let count = 1; count <= resubmitLimit; count += 1) {
    job = jobIn(typical.failed, { resubmits: apply(job, { type: 'resubmitted' }, changedAt).resubmits });
    assert.is(job.resubmits, count);
  }
  assert.is(resubmitLimit, 5);
  assert.is(
    outcomeOf(job, { type: 'resubmitted' }, (next) => next.state),
    'ResubmitLimitError',
  );
  const finished = jobIn(typical.finished, { resubmits: resubmitLimit });
  assert.is(
    outcomeOf(finished, { type: 'resubmitted' }, (next) => next.state),
    conflict,
  );
});

test('an orderly stop is not counted as a crash, and keeps final outputs', () => {
  const job = jobIn({ ...inputReady, outputs: ['finished', 'failed', 'processing', 'assigning'] });
  const next = apply(job, { type: 'released' }, changedAt);
  assert.equal(statesOf(next), {
    job: 'waiting',
    input: 'waiting',
    outputs: ['finished', 'failed', 'waiting', 'waiting'],
  });
  assert.equal([next.crashes, next.claim, next.resubmits, next.submittedAt], [0, null, 0, before]);
  assert.equal(next.outputs.slice(0, 2), job.outputs.slice(0, 2));
});

test('the third crash fails the job, with the reason on the input if that was not ready', () => {
  let job = jobIn(typical.processing);
  for (let count = 1; count < crashLimit; count += 1) {
    const next = apply(job, { type: 'lost' }, changedAt);
    assert.equal([next.state, next.crashes, next.claim], ['waiting', count, null]);
    job = apply(next, { type: 'claimed', token: 'another' }, changedAt);
  }
  assert.is(crashLimit, 3);
  const last = apply(job, { type: 'lost' }, changedAt);
  assert.equal(statesOf(last), { job: 'failed', input: 'failed', outputs: ['no input'] });
  assert.is(last.input.failure?.errorClass, 'WorkerLostError');
  assert.equal([last.crashes, last.claim, last.finishedAt], [3, null, at]);
});

test('the third crash during an encode fails the outputs that were not final', () => {
  const job = jobIn({ ...inputReady, outputs: ['finished', 'failed', 'processing'] }, { crashes: 2 });
  const next = apply(job, { type: 'lost' }, changedAt);
  assert.equal(statesOf(next), {
    job: 'failed',
    input: 'finished',
    outputs: ['finished', 'failed', 'failed'],
  });
  assert.is(next.outputs[2]?.failure?.errorClass, 'WorkerLostError');
  assert.is(next.outputs[1]?.failure, sampleFailure);
});

test('a run without the claim of the job changes nothing', () => {
  const processing = jobIn(typical.processing);
  const resubmitted = apply(processing, { type: 'resubmitted' }, changedAt);
  const reclaimed = apply(resubmitted, { type: 'claimed', token: 'second' }, changedAt);
  const cancelled = apply(processing, { type: 'cancelled' }, changedAt);
  for (const job of [resubmitted, reclaimed, cancelled]) {
    for (const [change] of byJobState) {
      assert.throws(
        () => applyAsHolder(job, 'token', change, changedAt),
        (error: unknown) => isVencError(error, 'ClaimLostError'),
      );
    }
  }
  const next = applyAsHolder(reclaimed, 'second', { type: 'inspected', media, file }, changedAt);
  assert.is(next.input.state, 'finished');
});

test('a pause is kept when the job waits again, and ends with the job or its resubmit', () => {
  const paused = apply(jobIn(typical.processing), { type: 'paused' }, changedAt);
  assert.is(paused.isPaused, true);
  assert.is(apply(paused, { type: 'paused' }, madeAt), paused, 'paused twice');
  assert.is(apply(paused, { type: 'released' }, changedAt).isPaused, true);
  for (const type of ['unpaused', 'cancelled', 'resubmitted'] as const)
    assert.not('isPaused' in apply(paused, { type }, changedAt), type);
  const running = jobIn(typical.processing);
  assert.is(apply(running, { type: 'unpaused' }, madeAt), running, 'nothing to resume');
});

test.run();
