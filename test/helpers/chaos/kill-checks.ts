import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import * as assert from 'uvu/assert';
import type { JobRecord, VodReport } from '../../../src/shared/records.js';
import { isTemporaryName } from '../../../src/shared/util/atomic-files.js';
import type { DaemonProcess } from '../daemon-process.js';
import { waitUntil } from '../wait-until.js';
import { ask, type KillLoad, noteState } from './kill-load.js';
import { existingJobs, type ModelJob } from './kill-model.js';

const pageSize = 50;

/** Every job that the daemon lists. */
export async function listAll(daemon: DaemonProcess): Promise<readonly JobRecord[]> {
  const all: JobRecord[] = [];
  for (let page = 1; ; page += 1) {
    const records = await read<{ job: JobRecord }[]>(daemon, `/v2/jobs?page=${page}&per_page=${pageSize}`);
    all.push(...records.map(({ job }) => job));
    if (records.length < pageSize) return all;
  }
}

async function read<T>(daemon: DaemonProcess, path: string): Promise<T> {
  const answer = await ask(daemon, path);
  assert.is(answer?.status, 200, `${path}: ${answer?.body}`);
  return JSON.parse(answer?.body ?? '') as T;
}

/**
 * Checks after a restart that every acknowledged job exists once and in its state, that removed jobs are gone, and that unanswered creates
 * made at most one job, whose id is noted.
 */
export async function checkJobs(daemon: DaemonProcess, { model, choices }: KillLoad): Promise<void> {
  const records = await listAll(daemon);
  const byTag = new Map<string, JobRecord>();
  for (const record of records) {
    const tag = record.pass_through ?? '';
    assert.not.ok(byTag.has(tag), `${tag} exists twice: ${byTag.get(tag)?.id} and ${record.id}`);
    byTag.set(tag, record);
  }
  for (const job of model.jobs) {
    const record = byTag.get(job.tag);
    byTag.delete(job.tag);
    if (job.removed === 'maybe') job.removed = record === undefined ? 'yes' : 'no';
    if (job.removed === 'yes') {
      assert.is(record, undefined, `${job.tag} was removed and exists again`);
      continue;
    }
    if (job.id !== null) assert.is(record?.id, job.id, `${job.tag} (job ${job.id}) is lost`);
    if (record === undefined) continue;
    job.id = record.id;
    noteState(job, record);
  }
  assert.equal([...byTag.keys()], [], 'jobs that nobody created');
  const removed = model.jobs.filter((job) => job.removed === 'yes');
  for (const { id, tag } of choices.sample(removed, 5))
    assert.is((await ask(daemon, `/v2/jobs/${id}`))?.status, 404, `${tag} was removed and can be read`);
}

/** Checks that the outputs of finished jobs are whole at their destinations, and that uploads are whole. */
export async function checkFiles(
  daemon: DaemonProcess,
  { model, choices, fixture }: KillLoad,
): Promise<number> {
  const finished = existingJobs(model).filter(({ settled }) => settled === 'finished');
  let count = 0;
  for (const job of choices.sample(finished, 20)) {
    const { job: record } = await read<{ job: JobRecord }>(daemon, `/v2/jobs/${job.id}`);
    for (const output of record.output_media_files) {
      const url = output.url ?? '';
      const bytes = await contentOf(daemon, url, fixture.bucketFolder);
      const md5 = createHash('md5').update(bytes).digest('hex');
      const expected = { size: output.file_size_bytes, md5: output.md5_checksum };
      assert.equal({ size: bytes.length, md5 }, expected, `${job.tag} finished, and ${url} is not whole`);
      count += 1;
    }
  }
  for (const { url, bytes } of choices.sample(model.uploads, 5)) {
    const path = join(fixture.dataFolder, 'uploads', url.slice('upload://'.length));
    assert.ok(existsSync(path) && readFileSync(path).equals(bytes), `the upload ${url} is not whole`);
  }
  return count;
}

async function contentOf(daemon: DaemonProcess, url: string, bucketFolder: string): Promise<Buffer> {
  if (url.startsWith('file://')) return readFileSync(new URL(url));
  if (url.startsWith('s3://')) return readFileSync(objectPath(bucketFolder, basename(url)));
  // Each daemon has another port; the URL has that of the daemon which created the job.
  const response = await fetch(new URL(new URL(url).pathname, daemon.url));
  assert.is(response.status, 200, url);
  return Buffer.from(await response.arrayBuffer());
}

const objectSuffix = '._S3rver_object';

function objectPath(bucketFolder: string, name: string): string {
  return join(bucketFolder, `${name}${objectSuffix}`);
}

/**
 * Checks a daemon that runs no jobs: every file at a destination and every hosted file belongs to a finished output, and the data folder
 * has no temporary files, no scratch and no journal entries.
 */
export async function checkLeftovers(daemon: DaemonProcess, { model, fixture }: KillLoad): Promise<void> {
  const { dataFolder, deliveryFolder, bucketFolder } = fixture;
  const records = await listAll(daemon);
  const ofExisting = records.flatMap(({ output_media_files: outputs }) =>
    outputs.filter(({ state }) => state === 'finished').map(({ url }) => url ?? ''),
  );
  // The removal of a job removes its hosted files, and no file that it delivered to others.
  const ofRemoved = model.jobs
    .filter(({ removed }) => removed === 'yes')
    .flatMap(({ finishedUrls }) => finishedUrls.filter((url) => !url.startsWith('http')));
  const urls = new Set([...ofExisting, ...ofRemoved]);
  const strays = () => [
    ...readdirSync(deliveryFolder)
      .map((name) => `file://${deliveryFolder}/${name}`)
      .filter((url) => !urls.has(url)),
    ...readdirSync(bucketFolder)
      .filter((name) => name.endsWith(objectSuffix))
      .map((name) => `s3://films/${name.slice(0, -objectSuffix.length)}`)
      // The server may store an object after the kill of the daemon that sent it. It is whole, and a later delivery replaces it.
      .filter((url) => !urls.has(url) && !isWholeFilm(readFileSync(objectPath(bucketFolder, basename(url))))),
    ...hostedFiles(dataFolder).filter((path) => ![...urls].some((url) => url.endsWith(path))),
    ...['scratch', 'leftovers', 'hosted/.unfinished', 'uploads/.unfinished'].flatMap((name) =>
      namesIn(join(dataFolder, name)).map((left) => `${name}/${left}`),
    ),
    ...namesIn(join(dataFolder, 'jobs/active')).filter(isTemporaryName),
    ...namesIn(join(dataFolder, 'jobs/done')).flatMap((folder) =>
      namesIn(join(dataFolder, 'jobs/done', folder)).filter(isTemporaryName),
    ),
  ];
  // The daemon removes some of them while it already answers.
  let left: readonly string[] = [];
  const isClean = () => {
    left = strays();
    return left.length === 0;
  };
  await waitUntil('nothing is left', isClean).catch(() => {});
  // Not listed again: it writes the outcomes of notifications.
  assert.equal(left, [], 'left behind by killed daemons');
}

/** Whether the boxes of an MP4 file fill it exactly. */
function isWholeFilm(bytes: Buffer): boolean {
  let at = 0;
  while (at + 8 <= bytes.length) at += Math.max(8, bytes.readUInt32BE(at));
  return bytes.length > 0 && at === bytes.length;
}

/** The hosted files of a data folder, as the ends of their URLs. */
export function hostedFiles(dataFolder: string): readonly string[] {
  const tokens = namesIn(join(dataFolder, 'hosted')).filter((name) => !name.startsWith('.'));
  return tokens.flatMap((token) =>
    namesIn(join(dataFolder, 'hosted', token)).map((name) => `/${token}/${name}`),
  );
}

function namesIn(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}

/** Checks that usage has every finished output once, those of removed jobs included. */
export async function checkUsage(daemon: DaemonProcess, { model }: KillLoad): Promise<void> {
  const expectedMs = model.jobs.reduce((sum, { id, usageMs }) => sum + (id === null ? 0 : usageMs), 0);
  const day = (offset: number) => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10);
  const { total } = await read<VodReport>(daemon, `/v2/reports/vod?from=${day(-1)}&to=${day(1)}`);
  const actualMs = total.encoded_minutes * 60_000;
  assert.ok(Math.abs(actualMs - expectedMs) < 50, `usage is ${actualMs} ms instead of ${expectedMs} ms`);
}

/**
 * Checks the notifications: each existing job's at least once and with its final state, none repeated by the daemon that delivered it, and
 * none from a daemon that started after the removal of its job.
 */
export function checkNotifications({ model, fixture }: KillLoad): void {
  const accepted = new Set<string>();
  const byTag = new Map<string, ModelJob>(model.jobs.map((job) => [job.tag, job]));
  for (const { id, tag, generation, isAccepted } of fixture.notifications) {
    const delivery = `${id} from daemon ${generation}`;
    assert.not.ok(accepted.has(delivery), `notification ${delivery} came twice`);
    if (isAccepted) accepted.add(delivery);
    const job = byTag.get(tag);
    if (job?.removed === 'yes' && job.removedIn > 0)
      assert.ok(generation <= job.removedIn, `notification ${delivery} came after the removal of ${tag}`);
  }
  const delivered = new Set(
    fixture.notifications.filter((one) => one.isAccepted).map((one) => `${one.tag} ${one.state}`),
  );
  for (const { tag, settled } of existingJobs(model))
    assert.ok(delivered.has(`${tag} ${settled}`), `no notification that ${tag} is ${settled}`);
}
