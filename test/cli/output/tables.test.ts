import { stripVTControlCharacters } from 'node:util';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { emptyJob } from '../../../src/cli/jobs/resolve-jobs.js';
import { checkFields, parseFields, project, valueAt } from '../../../src/cli/output/fields.js';
import { type JobSnapshot, jobText } from '../../../src/cli/output/job-text.js';
import { jobsTable } from '../../../src/cli/output/jobs-table.js';
import { createTextColours } from '../../../src/cli/output/paint.js';
import { normaliseJob } from '../../../src/shared/client/normalise.js';
import { isVencError } from '../../../src/shared/errors.js';
import { displayWidth, fitText } from '../../../src/shared/text/display-width.js';
import { safeText } from '../../../src/shared/text/safe-text.js';
import { humanAge, humanDuration, humanSize } from '../../../src/shared/text/units.js';
import { matchesGolden } from '../../helpers/golden.js';

const now = new Date('2026-03-01T12:00:00Z');
const file = { state: 'finished', duration_in_ms: '63500', file_size_bytes: '862748000' };
const jobs = [
  {
    id: 1_234_567,
    state: 'processing',
    created_at: '2026-03-01T11:59:18Z',
    input_media_file: {
      ...file,
      url: 'https://user:secret@media.example.com/a/long/way/down/to/the/film-in-4k.mov',
    },
    output_media_files: [
      { ...file, id: 3, label: 'web' },
      { id: 4, state: 'processing' },
    ],
  },
  {
    id: 1002,
    state: 'failed',
    test: true,
    created_at: '2026-02-27T12:00:00Z',
    input_media_file: {
      id: 1003,
      state: 'failed',
      url: 's3://映画/日本語の名前\u001b[2J.mov',
      error_class: 'DownloadTimeoutError',
      error_message: 'The server stopped sending.',
    },
    output_media_files: [{ id: 1004, state: 'no input' }],
  },
  { id: 7, state: 'queued for review', created_at: 'yesterday' },
].map(normaliseJob);

for (const width of [40, 60, 80, 140]) {
  test(`the table of jobs fits ${width} columns`, () => {
    const text = jobsTable(jobs, { width, hasColour: false, now, percents: new Map() });
    for (const line of text.split('\n')) assert.ok(displayWidth(line) <= width, line);
    assert.not(text.includes('secret'));
    matchesGolden(`cli/jobs-${width}.txt`, text);
  });
}

test('RESULT has the size and the share of the input, or why a job failed in a few words', () => {
  const jobOf = (state: string, ...outputs: readonly object[]) =>
    normaliseJob({
      id: 5,
      state,
      input_media_file: { id: 6, url: 'upload://t/a.mov', file_size_bytes: 4_000_000 },
      output_media_files: outputs.map((output, index) => ({ id: 7 + index, ...output })),
    });
  const made = { state: 'finished', file_size_bytes: 500_000 };
  const failed = (error_class: string | null, error_message = 'The encoder gave up on the file, twice.') => ({
    state: 'failed',
    error_class,
    error_message,
  });
  const cases = [
    [jobOf('finished', made), '500 kB (13%)'],
    [jobOf('finished', made, made, { state: 'skipped' }), '1.0 MB (25%)'],
    [jobOf('finished', { state: 'skipped' }), 'skipped'],
    [jobOf('finished', { state: 'finished' }), ''],
    [jobOf('processing', made, { state: 'processing' }), ''],
    [jobOf('failed', made, failed('TranscodingError')), 'transcoding failed'],
    [jobOf('failed', failed('CpuTimeLimitError')), 'CPU time limit'],
    [jobOf('failed', failed('NoMediaError', 'The file is truncated: its index is missing.')), 'truncated'],
    [jobOf('failed', failed(null, 'No.')), 'No'],
    [jobOf('failed', failed(null)), 'The encoder gave up on the file, twice.'],
    [
      jobOf('failed', failed('UnsupportedInputError', 'The file is a still image, not a video.')),
      'a still image',
    ],
  ] as const;
  for (const [job, expected] of cases) {
    const text = jobsTable([job], { width: 200, hasColour: false, now, percents: new Map() });
    const [head = '', row = ''] = text.split('\n');
    const at = head.indexOf('RESULT');
    assert.is(row.slice(at, head.indexOf('OUTPUT NAMES')).trim(), expected, text);
  }
});

test('a local input is shown by its path on wide terminals, else by its name, and its outputs after it', () => {
  const token = '0123456789abcdef0123456789abcdef';
  const job = normaliseJob({
    id: 5,
    state: 'finished',
    input_name: '/home/ada/films/trailer.mov',
    input_media_file: { id: 6, url: 'upload://t/trailer.mov' },
    output_media_files: [
      { id: 7, state: 'finished', url: `http://h/hosted/${token}/${token}.mp4`, width: 640, height: 360 },
    ],
  });
  const tableOf = (width: number) => jobsTable([job], { width, hasColour: false, now, percents: new Map() });
  assert.match(tableOf(200), / \/home\/ada\/films\/trailer\.mov .* trailer\.mp4\n$/);
  assert.match(tableOf(80), / {2}trailer\.mov .* trailer\.mp4\n$/);
  assert.not.match(tableOf(200), /640x360/);
});

test('a narrow table keeps why jobs failed, and drops columns without text first', () => {
  const jobOf = (id: number, state: string, fields: object) =>
    normaliseJob({
      ...{ id, state, created_at: '2026-03-01T11:59:18Z', input_name: '/films/wedding in June.mkv' },
      input_media_file: { id: id + 1, url: 'upload://t/x.mkv', ...fields },
      output_media_files: [{ id: id + 2, state: 'finished', file_size_bytes: 12e6 }],
    });
  const running = jobOf(131, 'processing', {});
  const failed = jobOf(128, 'failed', { error_class: 'DownloadTimeoutError', error_message: 'Late.' });
  const lines = (width: number, ...all: readonly (typeof running)[]) =>
    jobsTable(all, { width, hasColour: false, now, percents: new Map() }).split('\n');
  assert.equal(lines(40, running, jobOf(125, 'finished', { file_size_bytes: 120e6 }), failed), [
    ' ID  STATE       INPUT        RESULT',
    '131  processing  wedd…ne.mkv',
    '125  finished    wedd…ne.mkv  12.0…(10%)',
    '128  failed      wedd…ne.mkv  Late',
    '',
  ]);
  assert.equal(lines(40, running), [' ID  STATE       INPUT', '131  processing  wedding in June.mkv', '']);
});

test('colour does not change the text', () => {
  const plain = jobsTable(jobs, { width: 80, hasColour: false, now, percents: new Map() });
  const coloured = jobsTable(jobs, { width: 80, hasColour: true, now, percents: new Map() });
  assert.is.not(coloured, plain);
  assert.is(stripVTControlCharacters(coloured), plain);
});

test('a job is shown with its files and advice, and without passwords', () => {
  const text = jobs.map((job) => jobText(job, createTextColours(false), { now, progress: null })).join('\n');
  assert.not(text.includes('secret'));
  matchesGolden('cli/jobs.txt', text);
});

test('show prints the time taken and the current progress, and omits addresses that cannot be used', () => {
  const url = 'http://127.0.0.1:8686/hosted/0123456789/film.mp4';
  const [at, end] = ['2026-03-01T11:58:00Z', '2026-03-01T11:59:00Z'];
  const jobWith = (state: string, ended: string | null, file: object) =>
    normaliseJob({
      id: 4,
      state,
      submitted_at: at,
      finished_at: ended,
      input_media_file: { id: 5, state: 'finished' },
      output_media_files: [{ id: 6, url, finished_at: ended, ...file }],
    });
  const show = (...[job, moment]: [ReturnType<typeof jobWith>, Partial<JobSnapshot>?]) =>
    jobText(job, createTextColours(false), { now, progress: null, ...moment });
  const finished = jobWith('finished', end, { state: 'finished' });
  assert.match(show(finished), / elapsed +1m 00s\n/);
  assert.match(show(finished), url);
  assert.not.match(show(finished, { now: new Date('2026-03-02T11:59:01Z') }), url);
  assert.not.match(show(jobWith('cancelled', end, { state: 'cancelled' })), url);
  const output = { id: 6, state: 'processing', progress: 40, eta_in_ms: 65_000 } as const;
  const input = { id: 5, state: 'finished', progress: 100 } as const;
  const progress = { state: 'processing', progress: 41, input, outputs: [output] } as const;
  const running = show(jobWith('processing', null, { state: 'processing' }), { progress });
  assert.match(running, / elapsed +2m 00s so far\n +progress +41%, 1m 05s left\n/);
  assert.match(running, /output 6 {2}processing\n +progress +40%, 1m 05s left\n/);
  assert.match(show(jobWith('processing', null, { state: 'queued' })), /^job 4 {2}queued\n/);
});

test('show prints how the endpoints of notifications answered', () => {
  const attempt = { id: 'msg_1', destination: 'https://example.com', attempted_at: '2026-03-01T11:58:00Z' };
  const error_message = 'example.com answered 503.';
  const job = normaliseJob({
    id: 4,
    state: 'finished',
    notification_attempts: [
      { ...attempt, output_id: 6, event: 'output_no_input', attempt: 1, status: 503, error_message },
      { ...attempt, output_id: 6, event: 'output_no_input', attempt: 2, status: 204, error_message: null },
      { ...attempt, event: 'job_finished', destination: 'an e-mail address', attempt: 1, status: null },
    ],
  });
  const at = '2026-03-01 11:58:00 UTC';
  assert.match(
    jobText(job, createTextColours(false), { now, progress: null }),
    [
      '\nnotifications',
      `  ${at}  output no input (6) to https://example.com: example.com answered 503.`,
      `  ${at}  output no input (6) to https://example.com, attempt 2: accepted (204)`,
      `  ${at}  job finished to an e-mail address: accepted\n`,
    ].join('\n'),
  );
});

test('show prints the tracks of a file with several, and what an output has not', () => {
  const video = { number: 1, kind: 'video', track: 1, codec: 'h264' };
  const german = { number: 2, kind: 'audio', track: 1, codec: 'aac', channels: 2, language: 'deu' };
  const comment = {
    ...german,
    number: 3,
    track: 2,
    channels: 1,
    title: 'He "said"',
    disposition: ['comment'],
  };
  const chapters = { kind: 'chapters', track: 1, count: 12 };
  const leftOut = [{ number: 3, kind: 'audio', reason: '.flv holds one audio track' }];
  const job = normaliseJob({
    id: 4,
    state: 'finished',
    input_media_file: { id: 5, state: 'finished', tracks: [video, german, comment, chapters] },
    output_media_files: [
      { id: 6, state: 'finished', tracks: [video, { ...german, from: 2 }], left_out: leftOut },
      { id: 7, state: 'finished', tracks: [video, { kind: 'subtitle', track: 1, from: 'caption_url' }] },
    ],
  });
  const text = jobText(job, createTextColours(false), { now, progress: null });
  assert.match(text, / {2}track 1 +video, h264\n +track 2 +audio, aac, 2 channels, deu\n/);
  assert.match(
    text,
    / {2}track 3 +audio, aac, 1 channel, deu, "He \\"said\\"", comment\n +track +12 chapters\n/,
  );
  assert.match(text, /output 6 {2}finished\n +left out +audio 3: \.flv holds one audio track\n/);
  assert.match(text, / +track +subtitle, from caption_url\n/);
});

test('show prints the warnings about the request and the labels of thumbnails', () => {
  const job = normaliseJob({
    id: 4,
    state: 'finished',
    input_media_file: { id: 5, state: 'finished' },
    output_media_files: [{ id: 6, state: 'skipped', warnings: ['This output was skipped.'] }],
    thumbnails: [{ id: 7, url: 'http://a/b_0000.png', group_label: 'small' }],
    warnings: [{ field: 'outputs[0].widht', message: 'is not known and was ignored' }],
  });
  const text = jobText(job, createTextColours(false), { now, progress: null });
  assert.match(text, / {2}warning +outputs\[0\]\.widht is not known and was ignored\n/);
  assert.match(text, /output 6 {2}skipped\n +warning +This output was skipped\.\n/);
  assert.match(text, 'b_0000.png  "small"\n');
});

test('wide characters take two columns, combining marks none, and cutting never exceeds the width', () => {
  assert.is(displayWidth('日本'), 4);
  assert.is(displayWidth('e\u0301'), 1);
  assert.equal(['✅', '🎬', '⭐', '🇩🇪', 'a\u200bb', '✔'].map(displayWidth), [2, 2, 2, 2, 2, 1]);
  for (const columns of [0, 1, 2, 3, 7])
    assert.ok(displayWidth(fitText('日本語の名前 and more', columns)) <= columns);
});

test('control characters and text direction marks are escaped', () => {
  assert.is(safeText('a\u001b[31m\nb\u009b\u202ec'), 'a\\x1b[31m\\x0ab\\x9b\\u202ec');
});

test('units are formatted for people', () => {
  assert.equal([0, 999, 1000, 1_500_000, null].map(humanSize), ['0 B', '999 B', '1.0 kB', '1.5 MB', '-']);
  assert.equal([0.04, 9.99, 59.6, 125, 7620, 360_000, null].map(humanDuration), [
    '0.0s',
    '10s',
    '1m 00s',
    '2m 05s',
    '2h 07m',
    '4d 4h',
    '-',
  ]);
  assert.equal(
    ['2026-03-01T11:59:59Z', '2026-02-28T12:00:00Z', '2026-01-01T00:00:00Z', 'x'].map((at) =>
      humanAge(at, now),
    ),
    ['1s', '24h', '59d', '-'],
  );
});

test('fields keep the shape of the record, and missing ones are null', () => {
  const record = { id: 1, in: { url: 'u', size: 2 }, out: [{ s: 'a', t: 1 }, { s: 'b' }] };
  assert.equal(project(record, parseFields('id,in.url,out.s,out.t,no.such')), {
    id: 1,
    in: { url: 'u' },
    out: [
      { s: 'a', t: 1 },
      { s: 'b', t: null },
    ],
    no: { such: null },
  });
  assert.equal(valueAt(record, 'out.s'), ['a', 'b']);
  assert.throws(() => parseFields('a,,b'), /comma-separated names/);
});

test('a field that neither the document nor an answer has is rejected, at any depth', () => {
  const known = emptyJob();
  const answer = { extra: 1, input_media_file: { more: { inner: 2 } }, output_media_files: [] };
  const hintOf = (path: string): string | null => {
    try {
      checkFields([path], known, [answer]);
      return null;
    } catch (error) {
      assert.ok(isVencError(error, 'UsageError'));
      assert.is(error.message, `There is no field "${path}".`);
      return error.hint;
    }
  };
  for (const path of [
    'id',
    'extra',
    'output_media_files.label',
    'thumbnails.url',
    'input_media_file.more.inner',
  ])
    assert.is(hintOf(path), null, path);
  assert.match(hintOf('stat') ?? '', /^did you mean state\? there are id, state, /);
  assert.match(hintOf('output_media_files.labl') ?? '', /^did you mean output_media_files\.label\? /);
  assert.match(hintOf('input_media_file.more.iner') ?? '', /^did you mean input_media_file\.more\.inner\? /);
  assert.is(hintOf('id.x'), 'id has no fields within');
  assert.match(hintOf('no.such') ?? '', /^there are id, /);
  // Nobody knows the fields that the service returns there.
  checkFields(['pass_through.anything'], known, [{ pass_through: null }]);
});

test('a list shows an uploaded input by the name of its file', () => {
  const job = (url: string) => normaliseJob({ id: 1, input_media_file: { url } });
  const table = jobsTable(
    [job('upload://0123456789abcdef/%E6%98%A0%E7%94%BB%20%1b%5B31m.mp4'), job('https://h/a%20b.mp4')],
    { width: 100, hasColour: false, now, percents: new Map() },
  );
  assert.match(table, / 映画 \\x1b\[31m\.mp4\n/);
  assert.match(table, / https:\/\/h\/a%20b\.mp4\n/);
});

test.run();
