import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { initialSseState, parseSse } from '../../src/shared/client/sse.js';
import type { JobProgressRecord } from '../../src/shared/records.js';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.js';
import { media } from '../helpers/media.js';
import { type FakeFfmpeg, fakeFfmpeg } from './fake-ffmpeg.js';

const test = suite<{ daemon: TestDaemon; fake: FakeFfmpeg }>('the progress of unfinished files');

test.before(async (context) => {
  const fake = await fakeFfmpeg();
  const filesRoots = [join(await media('clip.mp4'), '..')];
  Object.assign(context, { fake, daemon: await startTestDaemon({ filesRoots, ffmpeg: fake.path }) });
});
test.after(async ({ daemon }) => {
  await daemon.stop();
});

/** Makes ffmpeg report one of two seconds, and then run the given script. */
const half = (then: string) =>
  `printf 'frame=25\\nout_time_us=1000000\\nspeed=1x\\nprogress=continue\\n'; ${then}`;

async function events(daemon: TestDaemon, id: number): Promise<readonly JobProgressRecord[]> {
  const text = await (await daemon.request(`/v2/jobs/${id}/events`)).text();
  return parseSse(initialSseState, text).messages.map(({ data }) => JSON.parse(data) as JobProgressRecord);
}

async function checkKept(
  daemon: TestDaemon,
  id: number,
  reported: readonly JobProgressRecord[],
): Promise<void> {
  for (const [index, { progress }] of reported.entries()) {
    assert.ok(
      progress >= (reported[index - 1]?.progress ?? 0),
      `${progress} after ${reported[index - 1]?.progress}`,
    );
  }
  const last = reported.at(-1);
  const read = await daemon.waitForProgress(id, () => true);
  assert.equal(read, last);
  assert.ok(Math.abs((read.outputs[0]?.progress ?? 0) - 49.5) < 1, JSON.stringify(read));
  assert.ok(read.progress > 45 && read.progress < 55, JSON.stringify(read));
  const output = await daemon.read<{ progress: number }>(`/v2/outputs/${read.outputs[0]?.id}/progress.json`);
  assert.is(output.progress, read.outputs[0]?.progress);
  for (const path of [
    `/v1/outputs/${read.outputs[0]?.id}/progress.json`,
    `/outputs/${read.outputs[0]?.id}/progress`,
  ])
    assert.is((await daemon.read<{ progress: number }>(path)).progress, output.progress, path);
}

test('a failed job keeps its progress', async ({ daemon, fake }) => {
  await fake.does(half('sleep 0.3; exit 1'));
  const id = await daemon.create({ input: pathToFileURL(await media('clip.mp4')).href });
  const reported = await events(daemon, id);
  assert.is(reported.at(-1)?.state, 'failed');
  await checkKept(daemon, id, reported);
});

test('a cancelled job keeps its progress after its run has ended, and starts again from zero after a resubmit', async ({
  daemon,
  fake,
}) => {
  await fake.does(half('exec sleep 20'));
  const id = await daemon.create({ input: pathToFileURL(await media('clip.mp4')).href });
  const listening = events(daemon, id);
  await daemon.waitForProgress(id, ({ outputs }) => (outputs[0]?.progress ?? 0) > 40);
  assert.is((await daemon.request(`/v2/jobs/${id}/cancel`, { method: 'PUT' })).status, 204);
  const reported = await listening;
  assert.is(reported.at(-1)?.state, 'cancelled');
  await checkKept(daemon, id, reported);
  await fake.does('exec sleep 20');
  assert.is((await daemon.request(`/v2/jobs/${id}/resubmit`, { method: 'PUT' })).status, 204);
  assert.ok((await daemon.waitForProgress(id, () => true)).progress <= 1);
  await daemon.request(`/v2/jobs/${id}/cancel`, { method: 'PUT' });
});

test.run();
