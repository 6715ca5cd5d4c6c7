import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { exitCodes } from '../../src/shared/exit-codes.js';
import { selectedJob, shownJobs } from '../../src/tui/shown-jobs.js';
import { isDone, reduceWatch, startWatch, unfinishedIds, watchExitCode } from '../../src/tui/watch-state.js';
import type { WatchEvent, WatchKey, WatchState } from '../../src/tui/watch-types.js';
import { jobRecord, progressRecord } from './records.js';

const start = 1_000_000;

/** Plays events from the start on, one per second. */
function play(ids: readonly number[], ...events: readonly WatchEvent[]): WatchState {
  return events.reduce(
    (state, event, index) => reduceWatch(state, event, start + (index + 1) * 1000),
    startWatch(ids, start),
  );
}

const key = (name: WatchKey): WatchEvent => ({ type: 'key', key: name });
const progress = (...args: Parameters<typeof progressRecord>): WatchEvent => ({
  type: 'progress',
  job: progressRecord(...args),
});
const final = (...args: Parameters<typeof jobRecord>): WatchEvent => ({
  type: 'final',
  job: jobRecord(...args),
});
const logOf = (state: WatchState): readonly string[] => state.log.map((line) => line.text);

test('a single named job is opened, several are not, and a job that is named twice is watched once', () => {
  assert.is(startWatch([7], start).isOpen, true);
  const state = startWatch([7, 9, 7], start);
  assert.is(state.isOpen, false);
  assert.equal(unfinishedIds(state), [7, 9]);
});

const found = (...ids: readonly number[]): WatchEvent => ({
  type: 'found',
  jobs: ids.map((id) => jobRecord(id, { state: 'waiting' }, { state: 'waiting' }, { state: 'waiting' })),
});
const tick: WatchEvent = { type: 'tick' };
const idsOf = (state: WatchState): readonly number[] => state.jobs.map(({ id }) => id);

test('without ids the screen waits for jobs, and quitting it while none is active is no error', () => {
  assert.is(isDone(startWatch([], start)), false);
  assert.is(watchExitCode(play([], key('quit'))), exitCodes.interrupted);
  const none = play([], found());
  assert.is(isDone(none), false);
  assert.is(isDone(reduceWatch(none, key('quit'), start)), true);
  assert.is(watchExitCode(none), exitCodes.done);
});

test('jobs found at first have no log line, later ones have one, and the selected job stays selected', () => {
  const first = play([], found(30, 40), key('down'));
  assert.equal(idsOf(first), [30, 40]);
  assert.equal(logOf(first), []);
  const later = reduceWatch(first, found(10, 50), start);
  assert.equal(idsOf(later), [10, 30, 40, 50]);
  assert.is(later.jobs[later.selected]?.id, 40);
  assert.equal(logOf(later), ['job 10: new, bunny.mp4, waiting', 'job 50: new, bunny.mp4, waiting']);
});

test('a job that has ended stays for a moment, and its exit code is kept', () => {
  const ended = play([], found(10, 30), key('down'), final(10, { state: 'cancelled' }));
  assert.equal(idsOf(reduceWatch(ended, tick, start + 20_000)), [10, 30]);
  const later = reduceWatch(ended, tick, start + 23_000);
  assert.equal(idsOf(later), [30]);
  assert.is(later.jobs[later.selected]?.id, 30);
  const over = reduceWatch(later, final(30), start + 24_000);
  assert.is(watchExitCode(over), exitCodes.jobFailed);
  assert.is(logOf(later).at(-1), 'job 10: cancelled');
});

test('a failed job stays, below the others, until it is dismissed, and is counted until the end', () => {
  const failed = play([], found(10, 30), final(10, { state: 'failed' }));
  const later = reduceWatch(reduceWatch(failed, tick, start + 60_000), found(50), start + 61_000);
  assert.equal(idsOf(later), [30, 50, 10]);
  assert.is(later.jobs[later.selected]?.id, 10, 'the selected job stays selected');
  const dismissed = reduceWatch(later, key('dismiss'), start + 62_000);
  assert.equal(idsOf(dismissed), [30, 50]);
  assert.equal([...dismissed.removed.unfinished], [[10, 'failed']]);
  const over = [final(30), final(50)].reduce((state, event) => reduceWatch(state, event, start), dismissed);
  assert.is(watchExitCode(over), exitCodes.jobFailed);
  const again = reduceWatch(dismissed, found(10), start + 63_000);
  assert.equal([idsOf(again), again.removed.unfinished.size], [[10, 30, 50], 0]);
});

test('only a job that has ended can be dismissed, and never behind a question', () => {
  const running = play([], found(10), key('dismiss'));
  assert.equal(
    [idsOf(running), running.footer],
    [[10], { kind: 'message', text: 'Job 10 has not ended: only ended jobs can be dismissed.' }],
  );
  const asking = play([], found(10), final(10, { state: 'failed' }), key('resubmit'), key('dismiss'));
  assert.equal([idsOf(asking), asking.footer.kind], [[10], 'question']);
});

test('f shows only failed jobs, and all again', () => {
  const some = play([], found(10, 30, 50), final(30, { state: 'failed' }), final(50, { state: 'cancelled' }));
  const failed = reduceWatch(some, key('failed'), start);
  assert.equal(
    shownJobs(failed).map(({ id }) => id),
    [30],
  );
  assert.is(selectedJob(failed)?.id, 30);
  const more = reduceWatch(failed, final(10, { state: 'failed' }), start);
  assert.equal(
    shownJobs(more).map(({ id }) => id),
    [10, 30],
  );
  assert.is(selectedJob(more)?.id, 30, 'the selected job stays selected');
  assert.is(selectedJob(reduceWatch(more, key('dismiss'), start))?.id, 10);
  assert.is(shownJobs(reduceWatch(more, key('failed'), start)).length, 3);
});

test('a job that has ended stays while it is opened or asked about, and on a screen of named jobs', () => {
  const ended = play([], found(10, 30), final(10));
  for (const hold of [key('open'), key('resubmit')]) {
    const failed = hold === key('open') ? ended : play([], found(10, 30), final(10, { state: 'failed' }));
    const held = reduceWatch(failed, hold, start);
    assert.equal(idsOf(reduceWatch(held, tick, start + 60_000)), [10, 30]);
  }
  assert.equal(idsOf(reduceWatch(play([10, 30], final(10)), tick, start + 60_000)), [10, 30]);
});

test('a job that is found again after its end starts over', () => {
  const again = play([], found(10), final(10, { state: 'failed' }), found(10));
  assert.equal(
    again.jobs.map(({ state, endedAtMs }) => [state, endedAtMs]),
    [['waiting', null]],
  );
});

test('the help replaces the jobs, and no key sends a command behind it', () => {
  const help = play([1], progress(1), key('help'));
  assert.is(help.isHelp, true);
  assert.is(reduceWatch(help, key('cancel'), start).footer.kind, 'keys');
  assert.is(reduceWatch(help, key('close'), start).isHelp, false);
  assert.is(reduceWatch(help, key('help'), start).isHelp, false);
  assert.is(reduceWatch(help, key('quit'), start).hasLeft, true);
  assert.is(isDone(reduceWatch(help, final(1), start)), false);
});

test('file sizes are loaded with the details and stay', () => {
  const details: WatchEvent = {
    type: 'details',
    job: jobRecord(1, { state: 'processing' }, { file_size_bytes: 12_345_678 }),
  };
  const state = play([1], progress(1), details, progress(1, { progress: 50 }));
  assert.equal(
    state.jobs[0]?.files.map(({ sizeBytes }) => sizeBytes),
    [12_345_678, null],
  );
});

const codes: readonly (readonly [string, readonly WatchEvent[], number])[] = [
  ['all finished is 0', [final(1), final(5)], exitCodes.done],
  ['one failed is 1', [final(1), final(5, { state: 'failed' })], exitCodes.jobFailed],
  ['one cancelled is 1', [final(1), final(5, { state: 'cancelled' })], exitCodes.jobFailed],
  ['one still open is 130', [final(1), progress(5), key('quit')], exitCodes.interrupted],
  ['nothing heard is 130', [key('quit')], exitCodes.interrupted],
  [
    'a missing job gives its own code',
    [
      final(1),
      { type: 'lost', id: 5, unavailable: { message: 'There is no job 5.', exitCode: exitCodes.notFound } },
    ],
    exitCodes.notFound,
  ],
  [
    'the first job that failed decides',
    [
      final(1, { state: 'failed' }),
      { type: 'lost', id: 5, unavailable: { message: 'gone', exitCode: exitCodes.notFound } },
    ],
    exitCodes.jobFailed,
  ],
];
for (const [name, events, code] of codes) {
  test(`exit code: ${name}`, () => {
    const state = play([1, 5], ...events);
    assert.is(watchExitCode(state), code);
    assert.is(isDone(state), true);
  });
}

test('an unknown state is shown and does not count as final', () => {
  const state = play([1], { type: 'progress', job: { ...progressRecord(1), state: 'parked' as 'waiting' } });
  assert.is(state.jobs[0]?.state, 'parked');
  assert.is(isDone(state), false);
});

test('events of a job that is not watched change nothing', () => {
  const state = play([1], progress(99));
  assert.equal(state.jobs, startWatch([1], start).jobs);
  assert.equal(state.log, []);
});

test('the log has each event once', () => {
  const state = play(
    [1],
    progress(1, { input: { id: 2, state: 'processing', progress: 10, current_event: 'downloading' } }),
    progress(1, { input: { id: 2, state: 'processing', progress: 90, current_event: 'downloading' } }),
    { type: 'details', job: jobRecord(1, { state: 'processing' }) },
    progress(1, { outputs: [{ id: 3, state: 'processing', progress: 5, current_event: 'transcoding' }] }),
    progress(1, { outputs: [{ id: 3, state: 'processing', progress: 99, current_event: 'uploading' }] }),
    final(1),
  );
  assert.equal(logOf(state), [
    'job 1: processing',
    'job 1: input finished',
    'job 1: output 3 (web) transcoding',
    'job 1: output 3 (web) uploading',
    'job 1: output 3 (web) finished',
    'job 1: finished',
  ]);
  assert.equal(
    state.log.map((line) => line.serial),
    [1, 2, 3, 4, 5, 6],
  );
});

test('the log line of a failed job names the reason', () => {
  const failure = {
    state: 'failed',
    error_class: 'NoMediaError',
    error_message: 'It holds no video.',
  } as const;
  const state = play([1], final(1, { state: 'failed' }, failure, { state: 'no input' }));
  assert.equal(logOf(state), ['job 1: failed, input: NoMediaError: It holds no video.']);
});

test('control characters and secrets of the service never reach the screen', () => {
  const state = play(
    [1],
    final(
      1,
      { state: 'failed' },
      {},
      {
        state: 'failed',
        label: 'a\u001b[2Jb\u0007',
        error_message: 'no way to\r\nftp://me:secret@host/\u202ex',
      },
    ),
  );
  const text = JSON.stringify([state.log, state.jobs.map((job) => [...job.names, job.files])]);
  assert.not.match(text, /secret|\\u001b|\\u0007|\\r|\\n|\u202e/);
  assert.match(text, 'a\\\\x1b[2Jb');
});

test('the time left is never estimated from the percentage of the job', () => {
  const queued = { id: 3, state: 'queued', progress: 0 } as const;
  const [job] = play(
    [1],
    ...[0, 1, 2, 40].map((percent) => progress(1, { progress: percent, outputs: [queued] })),
  ).jobs;
  assert.equal([job?.state, job?.displayState, job?.etaMs], ['processing', 'queued', null]);
});

test('a queued output shows no time left, even if the service reports one', () => {
  const outputs = [{ id: 3, state: 'queued', progress: 0, eta_in_ms: 5000 } as const];
  const [job] = play([1], progress(1, { outputs })).jobs;
  assert.equal([job?.files[1]?.etaMs, job?.etaMs], [null, null]);
});

test('an unreachable service is logged once, and its return once', () => {
  const unreachable = play([1], { type: 'unreachable' }, { type: 'unreachable' });
  assert.is(unreachable.unreachableSinceMs, start + 1000);
  assert.equal(logOf(unreachable), ['the service does not answer']);
  const back = reduceWatch(reduceWatch(unreachable, { type: 'back' }, start), { type: 'back' }, start);
  assert.is(back.unreachableSinceMs, null);
  assert.is(back.log.length, 2);
});

test('a job that was resubmitted waits again, under its old names, and keeps the screen open', () => {
  const order = { verb: 'resubmit', jobId: 1 } as const;
  const state = play(
    [1, 5],
    final(1, { state: 'failed' }),
    progress(5),
    { type: 'accepted', command: order },
    final(5),
  );
  assert.is(state.jobs[0]?.state, 'waiting');
  assert.is(state.jobs[0]?.names.get(3), 'web');
  assert.is(isDone(state), false);
});

test('the screen does not close during a question or while a command is in flight', () => {
  const asking = play([1], progress(1), key('cancel'), final(1));
  assert.is(isDone(asking), false);
  assert.is(isDone(reduceWatch(asking, key('no'), start)), true);
  const sent = play([1], progress(1), key('cancel'), key('yes'), final(1, { state: 'cancelled' }));
  assert.is(isDone(sent), false);
  const accepted: WatchEvent = { type: 'accepted', command: { verb: 'cancel', jobId: 1 } };
  assert.is(isDone(reduceWatch(sent, accepted, start)), true);
});

test.run();
