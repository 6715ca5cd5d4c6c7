import { existsSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { apply } from '../../daemon/jobs/changes.js';
import { dataLayout } from '../../daemon/store/data-folder/layout.js';
import { openJobStore } from '../../daemon/store/jobs/json-job-store.js';
import type { AllReport, ErrorsRecord, LiveReport, VodReport } from '../../src/shared/records.js';
import { daemonSuite, startTestDaemon, type TestDaemon } from '../helpers/daemon.js';
import { film, makeMedia } from '../helpers/media.js';
import { sampleFile, sampleMedia } from '../helpers/sample-job.js';
import { tempFolder } from '../helpers/temp.js';

const dayMs = 24 * 60 * 60 * 1000;
const began = Date.now();
/** The UTC day a number of days ago, fixed at the start of these tests so that midnight does not matter. */
const daysAgo = (count: number) => new Date(began - count * dayMs).toISOString().slice(0, 10);
const [first, second, third] = [daysAgo(5), daysAgo(4), daysAgo(3)] as const;

interface Past {
  readonly grouping?: string;
  readonly test?: 1;
  /** When each output finished, day and time, and its duration. */
  readonly finished: readonly (readonly [string, string, number])[];
}

/** Jobs that ended on three days, under two groupings and none. */
const past: readonly Past[] = [
  {
    finished: [
      [first, '00:00:00.000', 60],
      [first, '23:59:59.999', 30],
    ],
  },
  { finished: [[second, '00:00:00.000', 0.5]], test: 1 },
  {
    finished: [
      [first, '12:00:00.000', 6],
      [second, '12:00:00.000', 12],
    ],
    grouping: 'films',
  },
  { finished: [[third, '12:00:00.000', 120]], grouping: 'films', test: 1 },
  { finished: [[third, '13:00:00.000', 1.002]], grouping: 'adverts' },
];

const expected = [
  [first, null, 1.5, 1.5],
  [first, 'films', 0.1, 0.1],
  [second, null, 0.0083, 0],
  [second, 'films', 0.2, 0.2],
  [third, null, 0, 0],
  [third, 'adverts', 0.0167, 0.0167],
  [third, 'films', 2, 0],
] as const;

const test = daemonSuite<{ daemon: TestDaemon; dataFolder: string; folder: string }>(
  'usage reports',
  async (context) => {
    context.folder = tempFolder();
    context.dataFolder = join(context.folder, 'data');
    const { dataFolder } = context;
    const daemon = await startTestDaemon({ jobs: 0, dataFolder });
    const ids: number[] = [];
    for (const { finished, grouping, test: isTest } of past) {
      const outputs = finished.map((_, index) => ({ label: `output ${index}` }));
      const request = { input: 'http://127.0.0.1:9/a.mp4', grouping, test: isTest, outputs };
      ids.push(await daemon.create(request));
    }
    await daemon.stop();
    await endInThePast(dataFolder, ids);
    return { dataFolder, filesRoots: [context.folder] };
  },
);

/** Ends the jobs on the days of `past`, with the changes of a real run. */
async function endInThePast(dataFolder: string, ids: readonly number[]): Promise<void> {
  const store = await openJobStore(dataFolder, { log: () => undefined });
  for (const [index, id] of ids.entries()) {
    const began = new Date(`${first}T00:00:00Z`);
    await store.update(id, (job) => {
      const claimed = apply(job, { type: 'claimed', token: 'run' }, began);
      return apply(claimed, { type: 'inspected', media: sampleMedia, file: sampleFile }, began);
    });
    for (const [position, [day, time, durationSeconds]] of (past[index]?.finished ?? []).entries()) {
      await store.update(id, (job) => {
        const now = new Date(`${day}T${time}Z`);
        const output = { id: job.outputs[position]?.id ?? 0 };
        const media = { ...sampleMedia, durationSeconds };
        const started = apply(job, { type: 'output-started', ...output }, now);
        return apply(started, { type: 'output-finished', ...output, media, file: sampleFile }, now);
      });
    }
  }
  await store.close();
}

const threeDays = `from=${first}&to=${third}`;
const rows = ({ statistics }: VodReport) =>
  statistics.map((record) => [
    record.collected_on,
    record.grouping,
    record.encoded_minutes,
    record.billable_minutes,
  ]);

test('a report has minutes by UTC day and grouping, with totals that count nothing twice', async ({
  daemon,
}) => {
  const report = await daemon.read<VodReport>(`/v2/reports/vod.json?${threeDays}`);
  assert.equal(rows(report), expected);
  assert.equal(report.total, { encoded_minutes: 3.825, billable_minutes: 1.8167 });
});

test('the old name of the file report returns the same, and the report for all contains both', async ({
  daemon,
}) => {
  const [all, live, vod, old] = await Promise.all([
    daemon.read<AllReport>(`/v2/reports/all?${threeDays}`),
    daemon.read<LiveReport>(`/v2/reports/live?${threeDays}`),
    daemon.read<VodReport>(`/api/v2/reports/vod?${threeDays}`),
    daemon.read<VodReport>(`/v2/reports/minutes?${threeDays}`),
  ]);
  assert.equal(old, vod);
  assert.equal(all.total, { live: live.total, vod: vod.total });
  assert.equal(all.statistics, { live: live.statistics, vod: vod.statistics });
  assert.equal(
    live.statistics.map((record) => record.collected_on),
    [first, second, third],
  );
});

test('a report for one grouping contains only that', async ({ daemon }) => {
  const report = await daemon.read<VodReport>(`/v2/reports/vod?${threeDays}&grouping=adverts`);
  assert.equal(rows(report), [
    [first, 'adverts', 0, 0],
    [second, 'adverts', 0, 0],
    [third, 'adverts', 0.0167, 0.0167],
  ]);
  const unknown = await daemon.read<VodReport>(`/v2/reports/vod?${threeDays}&grouping=none+such`);
  assert.equal(unknown.total, { encoded_minutes: 0, billable_minutes: 0 });
});

test('without dates a report has the 30 days before today', async ({ daemon }) => {
  const { total, statistics } = await daemon.read<AllReport>('/v2/reports/all?from=&to=&grouping=');
  assert.is(statistics.live.length, 30);
  assert.is(new Set(statistics.vod.map((record) => record.collected_on)).size, 30);
  assert.equal(total.vod, { encoded_minutes: 3.825, billable_minutes: 1.8167 });
});

test('invalid dates are rejected with all validation errors at once', async ({ daemon }) => {
  for (const name of ['all', 'live', 'vod', 'minutes']) {
    const response = await daemon.request(`/v2/reports/${name}?from=2026-02-30&to=today`);
    assert.is(response.status, 422, name);
    assert.equal(((await response.json()) as ErrorsRecord).errors, [
      'from must be a date that exists',
      'to must be a date in the form YYYY-MM-DD',
    ]);
    const tooLong = await daemon.request(`/v2/reports/${name}.xml?from=2026-01-01&to=2026-03-02`);
    assert.is(tooLong.status, 422, name);
    assert.match(await tooLong.text(), '<errors type="array"><error>from and to must span at most 60 days');
  }
});

test('a report in XML has the same figures', async ({ daemon }) => {
  const response = await daemon.request(`/v2/reports/vod.xml?from=${third}&to=${third}`);
  assert.is(response.status, 200);
  const day = (grouping: string, encoded: number, billable: number) =>
    `<statistic>${grouping}<collected_on>${third}</collected_on>` +
    `<encoded_minutes type="float">${encoded}</encoded_minutes>` +
    `<billable_minutes type="float">${billable}</billable_minutes></statistic>`;
  const text = (await response.text()).replace(/>\s+</g, '><');
  assert.match(
    text,
    `<statistics type="array">${day('<grouping nil="true"/>', 0, 0)}${day(
      '<grouping>adverts</grouping>',
      0.0167,
      0.0167,
    )}${day('<grouping>films</grouping>', 2, 0)}</statistics>`,
  );
});

test('a job is in the report once it is finished, under its grouping, with the duration of its outputs', async ({
  daemon,
  folder,
}) => {
  const path = join(folder, 'clip.mp4');
  await makeMedia(path, film('64x48', 2));
  const outputs = [{ label: 'whole' }, { label: 'half', clip_length: 1 }];
  const job = await daemon.waitForJob(
    await daemon.create({ input: `file://${path}`, grouping: 'clips', outputs }),
  );
  assert.is(job.state, 'finished');
  const lengthMs = job.output_media_files.reduce((sum, file) => sum + (file.duration_in_ms ?? 0), 0);
  assert.ok(Math.abs(lengthMs - 3000) < 200, String(lengthMs));
  const report = await daemon.read<VodReport>(`/v2/reports/vod?to=${daysAgo(-1)}&grouping=clips`);
  const minutes = Math.round(lengthMs / 6) / 10_000;
  assert.equal(
    rows(report).filter(([, , encoded]) => encoded !== 0),
    [[job.finished_at?.slice(0, 10), 'clips', minutes, minutes]],
  );
});

test('a report needs a valid key with full access', async ({ daemon }) => {
  assert.is((await fetch(`${daemon.url}/v2/reports/all`)).status, 401);
  assert.is((await fetch(`${daemon.url}/v2/reports/all?api_key=${daemon.key}`)).status, 200);
});

test('a report is the same after a restart, without the index, and after --rebuild-usage', async (context) => {
  const { dataFolder } = context;
  const { index, done } = dataLayout(dataFolder);
  const path = `/v2/reports/all?${threeDays}`;
  const before = await context.daemon.read<AllReport>(path);
  const restarts = [
    {},
    { isUsageRebuilt: true },
    { isIndexRemoved: true },
    { isUsageRebuilt: true, isIndexRemoved: true },
  ];
  for (const { isIndexRemoved = false, isUsageRebuilt = false } of restarts) {
    settle(done);
    await context.daemon.stop();
    assert.ok(existsSync(index));
    if (isIndexRemoved) rmSync(index);
    context.daemon = await startTestDaemon({ jobs: 0, dataFolder, isUsageRebuilt });
    assert.equal(await context.daemon.read<AllReport>(path), before);
  }
});

test('a job file that was edited by hand is reported after --rebuild-usage', async (context) => {
  const { dataFolder } = context;
  const { done } = dataLayout(dataFolder);
  const path = `/v2/reports/vod?from=${third}&to=${third}&grouping=adverts`;
  const minutes = async () => (await context.daemon.read<VodReport>(path)).total.encoded_minutes;
  settle(done);
  await context.daemon.stop();
  const folder = join(done, '0');
  const files = readdirSync(folder).map((name) => join(folder, name));
  const file = files.find((name) => readFileSync(name, 'utf8').includes('"adverts"')) ?? '';
  const text = readFileSync(file, 'utf8');
  // In place, so that the modification time of the folder does not change.
  writeFileSync(file, text.replaceAll(/"durationSeconds":\s*1\.002/g, '"durationSeconds":90'));
  context.daemon = await startTestDaemon({ jobs: 0, dataFolder });
  assert.is(await minutes(), 0.0167);
  await context.daemon.stop();
  context.daemon = await startTestDaemon({ jobs: 0, dataFolder, isUsageRebuilt: true });
  assert.is(await minutes(), 1.5);
  await context.daemon.stop();
  context.daemon = await startTestDaemon({ jobs: 0, dataFolder });
  assert.is(await minutes(), 1.5);
});

/** Makes the folders of final jobs look long unchanged: the index trusts no folder that changed recently. */
function settle(done: string): void {
  const at = new Date(began - dayMs);
  for (const name of readdirSync(done)) utimesSync(join(done, name), at, at);
}

test.run();
