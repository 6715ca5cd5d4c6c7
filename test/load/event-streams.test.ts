import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { CreatedRecord, JobProgressRecord } from '../../src/shared/records.js';
import { isFinal } from '../../src/shared/states.js';
import { killDaemons, processKey, startDaemonProcess } from '../helpers/daemon-process.js';
import { JsonClient } from '../helpers/load/json-client.js';
import { Latencies, latencyText } from '../helpers/load/latencies.js';
import { startProbe } from '../helpers/load/load-probe.js';
import { beginLoadSuite, usageText } from '../helpers/load/load-suite.js';
import {
  descriptorKinds,
  maxOpenFiles,
  usageOf,
  waitUntilDescriptorsReturn,
} from '../helpers/load/process-usage.js';
import { socketCapacityBytes } from '../helpers/load/socket-capacity.js';
import { startSteppedSource } from '../helpers/load/stepped-source.js';
import type { StreamKind, StreamPlan } from '../helpers/load/stream-client.js';
import { startStreamProcess } from '../helpers/load/stream-process.js';
import { film, makeMedia } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';
import { pollUntil, waitUntil } from '../helpers/wait-until.js';

const load = beginLoadSuite('event-streams');
const { isLong, random } = load;
const wantedStreams = isLong ? 5000 : 500;
const streamsPerJob = isLong ? 50 : 25;
const stepCount = isLong ? 100 : 56;
/** A job with so many outputs has events of 90 KB, which fill the buffers of a client that does not read. */
const wideOutputs = 1000;
const wideJobs = isLong ? 2 : 1;
const stalledPerWideJob = isLong ? 20 : 10;
/** The daemon keeps a third of its open files for connections; some are for other requests. */
const connectionsForOthers = 40;
/**
 * What the daemon's memory may grow by while the jobs progress, with a part for each stream: garbage of the events that it sends, but not
 * those that clients do not read.
 */
const maxGrowthMegabytes = 96;
const maxGrowthPerStream = 0.05;
/** Jobs whose input is completed at once. */
const endsAtOnce = 4;

/** How a job ends. */
type End = 'finished' | 'transferred' | 'failed' | 'cancelled';
const ends: readonly End[] = ['finished', 'transferred', 'failed', 'cancelled'];

interface LoadJob {
  readonly name: string;
  readonly id: number;
  readonly end: End;
  readonly isWide: boolean;
}

const test = suite('event streams under load');
test.after(killDaemons);

/** The kind of each stream: most read at once. */
function chooseKind(): StreamKind {
  const share = random();
  if (share < 0.1) return 'slow';
  if (share < 0.2) return 'leaving';
  if (share < 0.3) return 'returning';
  return share < 0.32 ? 'stalled' : 'steady';
}

function plansFor(jobs: readonly LoadJob[], count: number): readonly StreamPlan[] {
  const wide = jobs.filter(({ isWide }) => isWide);
  const narrow = jobs.filter(({ isWide }) => !isWide);
  const ofWide = wide.flatMap(({ id: jobId }): StreamPlan[] => [
    ...Array.from({ length: stalledPerWideJob }, (): StreamPlan => ({ jobId, kind: 'stalled' })),
    { jobId, kind: 'steady' },
    { jobId, kind: 'slow' },
  ]);
  const rest = Array.from({ length: Math.max(0, count - ofWide.length) }, (_, index) => ({
    jobId: narrow[index % narrow.length]?.id ?? 0,
    kind: chooseKind(),
  }));
  return [...ofWide, ...rest];
}

function outputsOf(end: End, isWide: boolean): object {
  if (isWide) return { outputs: Array.from({ length: wideOutputs }, (_, index) => ({ label: `${index}` })) };
  return { outputs: [end === 'transferred' ? { type: 'transfer-only' } : { width: 32, speed: 5 }] };
}

test('every stream shows every change of its job in order and the end, and costs nothing afterwards', async () => {
  const streamCount = Math.min(wantedStreams, Math.floor((await maxOpenFiles()) / 3) - connectionsForOthers);
  assert.ok(streamCount > 100, 'the limit of open files (ulimit -n) leaves fewer than 100 streams');
  if (streamCount < wantedStreams)
    load.print(
      `${streamCount} streams instead of ${wantedStreams}, because of the limit of open files (ulimit -n)`,
    );
  const folder = tempFolder();
  const clip = join(folder, 'clip.mp4');
  await makeMedia(clip, film('64x48', 1));
  const source = await startSteppedSource(clip, stepCount);
  const narrowJobs = Math.ceil(streamCount / streamsPerJob);
  const daemon = await startDaemonProcess(join(folder, 'data'), [
    ...['--jobs', String(narrowJobs + wideJobs), '--max-outputs', String(wideOutputs)],
    ...['--min-free', '0', '--stall-timeout', '5m', '--grace', '0s'],
  ]);
  const socketsWhenReady = (await descriptorKinds(daemon.pid)).get('socket') ?? 0;
  const client = new JsonClient(daemon.url, new Latencies(), 8);
  const streams = startStreamProcess();
  const cleanUps: (() => unknown)[] = [() => daemon.end('SIGTERM'), () => source.close()];
  cleanUps.push(
    () => streams.stop(),
    () => client.close(),
  );
  const stateOf = (id: number) => client.read<JobProgressRecord>('progress', `/v2/jobs/${id}/progress`);
  const waitForEnd = (id: number) =>
    pollUntil(
      () => stateOf(id),
      ({ state }) => isFinal(state),
    );
  const create = async (name: string, end: End, isWide: boolean): Promise<LoadJob> => {
    const input = source.url(name, end === 'failed' ? 'text' : 'film');
    const body = { input, download_connections: 1, ...outputsOf(end, isWide) };
    const answer = await client.expect(201, 'create', '/v2/jobs', { method: 'POST', body });
    return { name, id: Number(answer.json<CreatedRecord>().id), end, isWide };
  };
  try {
    // What the daemon opens for its first job stays open.
    const first = await create('first', 'finished', false);
    await pollUntil(
      async () => source.openDownloads,
      (count) => count === 1,
    );
    source.finish('first');
    await waitForEnd(first.id);
    client.close();
    const socketsOf = async () => (await descriptorKinds(daemon.pid)).get('socket') ?? 0;
    await waitUntil('the connections are closed', async () => (await socketsOf()) === socketsWhenReady);
    const descriptors = await descriptorKinds(daemon.pid);
    const atStart = await usageOf(daemon.pid);

    const jobs: LoadJob[] = [];
    for (let index = 0; index < narrowJobs; index += 1)
      jobs.push(await create(`narrow-${index}`, ends[index % ends.length] ?? 'finished', false));
    for (let index = 0; index < wideJobs; index += 1)
      jobs.push(await create(`wide-${index}`, 'cancelled', true));
    await pollUntil(
      async () => source.openDownloads,
      (count) => count === jobs.length,
    );
    const plans = plansFor(jobs, streamCount);
    const probe = await startProbe(
      daemon.url,
      ['/v2/jobs?per_page=10', `/v2/jobs/${jobs[0]?.id}/progress`, `/v2/jobs/${jobs[0]?.id}`, '/health'],
      4,
    );
    cleanUps.push(() => probe.stop().catch(() => undefined));
    await streams.open({ url: daemon.url, key: processKey, plans });
    const atOpen = await usageOf(daemon.pid);

    for (const [index, percent] of source.percents.entries()) {
      const releasedAt = await source.release();
      await streams.waitForStep({ percent, releasedAt });
      if (index === Math.floor(stepCount / 4)) await streams.disconnectLeaving();
      if (index === Math.floor(stepCount / 3) || index === Math.floor(stepCount / 2))
        await streams.reconnectReturning();
    }
    const afterSteps = await usageOf(daemon.pid);
    const wideEvent = await client.expect(200, 'progress', `/v2/jobs/${jobs.at(-1)?.id}/progress`);
    for (const { id, end } of jobs)
      if (end === 'cancelled') await client.expect(204, 'cancel', `/v2/jobs/${id}/cancel`, { method: 'PUT' });
    const completed = jobs.filter(({ end }) => end !== 'cancelled');
    for (let index = 0; index < completed.length; index += endsAtOnce) {
      const group = completed.slice(index, index + endsAtOnce);
      for (const { name } of group) source.finish(name);
      await Promise.all(group.map(({ id }) => waitForEnd(id)));
    }
    await streams.waitForEnds();
    const othersMs = await probe.stop();
    await streams.drainStalled();
    const finalData: (readonly [number, string])[] = [];
    for (const { id, end } of jobs) {
      const { body, json } = await client.expect(200, 'progress', `/v2/jobs/${id}/progress`);
      finalData.push([id, body.toString('utf8')]);
      assert.is(json<JobProgressRecord>().state, end === 'transferred' ? 'finished' : end, `job ${id}`);
    }
    const totals = await streams.totals({ finalData, percents: source.percents });
    client.close();
    await streams.stop();
    await waitUntilDescriptorsReturn(daemon.pid, descriptors);
    const atEnd = await usageOf(daemon.pid);

    const kinds = ['steady', 'slow', 'stalled', 'leaving', 'returning'].map(
      (kind) => `${plans.filter((plan) => plan.kind === kind).length} ${kind}`,
    );
    // Stalled streams of other jobs get every event: these fit into the buffers.
    const wideIds = new Set(jobs.filter(({ isWide }) => isWide).map(({ id }) => id));
    const ofWide = totals.stalledEvents.filter(([id]) => wideIds.has(id)).map(([, events]) => events);
    const mostStalled = Math.max(...ofWide);
    load.close([
      `${plans.length} streams (${kinds.join(', ')}) of ${jobs.length} jobs, ${stepCount} steps`,
      `${totals.events} events, delivery ${latencyText(totals.deliveriesMs)}`,
      `at most ${mostStalled} events for a client that does not read`,
      `other requests ${latencyText(othersMs)}`,
      usageText({ start: atStart, open: atOpen, 'after the steps': afterSteps, end: atEnd }),
    ]);
    assert.equal(totals.violations, []);
    const bufferedEvents = (await socketCapacityBytes()) / wideEvent.body.length;
    if (stepCount < 1.2 * bufferedEvents)
      load.print(
        `the kernel keeps ${bufferedEvents.toFixed(0)} events: whether the daemon keeps more is not tested`,
      );
    else
      assert.ok(
        mostStalled < stepCount,
        `a client that does not read got ${mostStalled} events of ${stepCount} steps`,
      );
    const growth = afterSteps.megabytes - atOpen.megabytes;
    assert.ok(
      growth < maxGrowthMegabytes + maxGrowthPerStream * plans.length,
      `the daemon grew by ${growth.toFixed(0)} MB while clients did not read`,
    );
    assert.ok(othersMs.length > 0);
  } finally {
    for (const cleanUp of cleanUps.reverse()) await cleanUp();
  }
});

test.run();
