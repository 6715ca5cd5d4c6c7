import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { displayWidth } from '../../src/shared/text/display-width.js';
import { reduceWatch, startWatch } from '../../src/tui/watch-state.js';
import type { WatchEvent, WatchState } from '../../src/tui/watch-types.js';
import { matchesGolden } from '../helpers/golden.js';
import { jobRecord, progressRecord } from './records.js';
import { renderText } from './render-text.js';

const start = Date.UTC(2024, 4, 1, 10, 0, 0);

function play(ids: readonly number[], ...events: readonly WatchEvent[]): WatchState {
  return events.reduce(
    (state, event, index) => reduceWatch(state, event, start + (index + 1) * 3000),
    startWatch(ids, start),
  );
}

const encoding: WatchEvent = {
  type: 'progress',
  job: progressRecord(1201, {
    progress: 43.75,
    outputs: [
      {
        id: 1203,
        state: 'processing',
        current_event: 'transcoding',
        current_event_progress: 61.2,
        progress: 58.14,
        fps: 71.4,
        speed: 2.97,
        eta_in_ms: 12_400,
      },
      { id: 1204, state: 'queued', progress: 0 },
    ],
  }),
};
const named: WatchEvent = {
  type: 'details',
  job: {
    ...jobRecord(1201, { state: 'processing' }),
    output_media_files: jobRecord(1201).output_media_files.flatMap((output) => [
      { ...output, id: 1203, label: 'web' },
      { ...output, id: 1204, label: '視聴用の小さい出力' },
    ]),
  },
};
const failed: WatchEvent = {
  type: 'final',
  job: jobRecord(
    1301,
    { state: 'failed' },
    { url: 'http://example.com/list.mp4' },
    {
      state: 'failed',
      error_class: 'TranscodingError',
      error_message: 'The file ends in the middle of a frame.',
    },
  ),
};
const waiting: WatchEvent = {
  type: 'progress',
  job: progressRecord(1401, {
    state: 'waiting',
    input: { id: 1402, state: 'waiting', progress: 0 },
    outputs: [{ id: 1403, state: 'waiting', progress: 0 }],
  }),
};
const lost: WatchEvent = {
  type: 'lost',
  id: 1501,
  unavailable: { message: 'There is no job 1501.', exitCode: 5 },
};
const press = (key: 'down' | 'open' | 'cancel'): WatchEvent => ({ type: 'key', key });

const found: WatchEvent = {
  type: 'found',
  jobs: [1101, 1201, 1301].map((id) =>
    jobRecord(id, { state: 'waiting' }, { state: 'waiting' }, { state: 'waiting' }),
  ),
};

const all = [1201, 1301, 1401, 1501];
const scenarios = {
  'first-frame': startWatch([1201], start),
  listing: startWatch([], start),
  'one-job': play([1201], named, encoding),
  'four-jobs': play(all, named, encoding, failed, waiting, lost),
  'failed-open': play(all, named, encoding, failed, waiting, lost, press('down'), press('open')),
  question: play(all, named, encoding, failed, waiting, lost, press('cancel')),
  morning: play(
    [],
    found,
    ...[1101, 1201].map((id): WatchEvent => ({ type: 'final', job: jobRecord(id) })),
    failed,
    ...Array.from({ length: 10 }, (): WatchEvent => ({ type: 'tick' })),
  ),
  unreachable: play([1201], named, encoding, { type: 'unreachable' }, { type: 'tick' }),
} as const satisfies Record<string, WatchState>;

for (const columns of [40, 60, 80, 140]) {
  for (const [name, state] of Object.entries(scenarios)) {
    test(`the screen "${name}" fits ${columns} columns`, () => {
      const text = renderText(state, { columns, rows: 24 });
      for (const line of text.split('\n')) assert.ok([...line].length <= columns, line);
      matchesGolden(`tui/${name}-${columns}.txt`, text);
    });
  }
}

const many = Array.from({ length: 40 }, (_, index) => 100 + index * 10);

for (const rows of [4, 6, 10, 24]) {
  test(`forty jobs leave a line free on a terminal of ${rows} rows, and the selected one is visible`, () => {
    const downs = Array.from({ length: 25 }, () => press('down'));
    const text = renderText(play(many, waiting, ...downs, press('open')), { columns: 80, rows });
    assert.ok(text.trimEnd().split('\n').length < rows, text);
    assert.match(text, '› 350');
  });
}

test('a skipped output is named by its state while its job runs, and does not make the job a failed one', () => {
  const outputs = [
    { id: 1203, state: 'skipped', progress: 0 },
    { id: 1204, state: 'processing', current_event: 'transcoding', progress: 40 },
  ] as const;
  const running: WatchEvent = { type: 'progress', job: progressRecord(1201, { progress: 43, outputs }) };
  const screen = (state: WatchState) => renderText(state, { columns: 80, rows: 24 });
  assert.match(screen(play([1201], running)), /1203[^\n]* skipped/);
  const ended: WatchEvent = {
    type: 'final',
    job: jobRecord(1201, { state: 'finished' }, {}, { state: 'skipped', finished_at: null }),
  };
  const text = screen(play([1201], running, ended));
  assert.match(text, /1201[^\n]* finished/);
  assert.match(text, / skipped/);
  assert.not.match(text.replace('f only failed', ''), /failed/);
});

test('a very narrow terminal still shows id and state', () => {
  const text = renderText(scenarios['four-jobs'], { columns: 20, rows: 24 });
  assert.match(text, /1201 processing/);
  for (const line of text.split('\n')) assert.ok([...line].length <= 20, line);
});

test('wide characters take two cells in every column', () => {
  const name = '夏の夜の港と花火🎆.mov';
  const wide: WatchEvent = {
    type: 'details',
    job: jobRecord(1201, { state: 'processing' }, { url: `http://example.com/${name}` }),
  };
  const rowsOf = (columns: number) =>
    renderText(play([1201], wide, encoding), { columns, rows: 24 })
      .split('\n')
      .slice(1, 3);
  for (const row of rowsOf(140)) assert.match(row, name);
  for (const columns of [5, 20, 40, 60, 80, 140]) {
    const rows = rowsOf(columns);
    for (const row of rows) assert.ok(displayWidth(row) <= columns, `${columns}: ${row}`);
    const [job, input] = rows
      .map((row) => row.search(/processing|finished/))
      .map((at, index) => displayWidth(rows[index]?.slice(0, Math.max(0, at)) ?? ''));
    if (columns >= 40) assert.is(job, input);
  }
});

test.run();
