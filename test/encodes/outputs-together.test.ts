import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.js';
import { film, makeMedia, testFfmpeg } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';

interface Context {
  readonly daemon: TestDaemon;
  readonly folder: string;
  readonly input: string;
}

const test = suite<Context>('outputs together');

test.before(async (context) => {
  const folder = tempFolder();
  const path = join(folder, 'film.mp4');
  await makeMedia(path, film('320x180', 2));
  const daemon = await startTestDaemon({ filesRoots: [folder], ffmpeg: await selectiveFfmpeg(folder) });
  Object.assign(context, { folder, input: pathToFileURL(path).href, daemon });
});
test.after(async ({ daemon }) => {
  await daemon.stop();
});

const rejectedWidth = 70;

/** Rejected like the other one while a file `failing` exists next to the ffmpeg. */
const unreliableWidths = [74, 78] as const;

/**
 * The ffmpeg that tests use, except that it fails for some sizes, because no setting that passed validation fails reliably. It appends
 * each call to `runs`.
 */
async function selectiveFfmpeg(folder: string): Promise<string> {
  const { ffmpeg } = await testFfmpeg();
  const path = join(folder, 'ffmpeg');
  const reject = `echo 'injected failure' >&2; exit 1`;
  const unreliable = unreliableWidths.map((width) => `*scale=${width}:*`).join('|');
  const lines = [
    '#!/bin/sh',
    `echo "$*" >> '${join(folder, 'runs')}'`,
    `case "$*" in *scale=${rejectedWidth}:*) ${reject};; esac`,
    `case "$*" in ${unreliable}) if [ -e '${join(folder, 'failing')}' ]; then ${reject}; fi;; esac`,
    `exec '${ffmpeg.path}' "$@"`,
  ];
  await writeFile(path, `${lines.join('\n')}\n`, { mode: 0o755 });
  return path;
}

/** The widths that each run so far scaled to, one run after the other. */
async function scaledTo(folder: string): Promise<readonly (readonly number[])[]> {
  const runs = (await readFile(join(folder, 'runs'), 'utf8')).split('\n');
  return runs
    .map((run) => [...run.matchAll(/scale=(\d+):/g)].map(([, width]) => Number(width)))
    .filter((widths) => widths.length > 0);
}

const to = (folder: string, name: string) => pathToFileURL(join(folder, name)).href;

test('of six outputs one that cannot be encoded fails, and five are complete', async (context) => {
  const { daemon, folder, input } = context;
  const widths = [320, 280, 240, 160, 120];
  const good = widths.map((width) => ({ url: to(folder, `${width}.mp4`), width, speed: 5 }));
  const impossible = { url: to(folder, 'rejected.mp4'), width: rejectedWidth };
  const outputs = [...good.slice(0, 3), impossible, ...good.slice(3)];
  const job = await daemon.waitForJob(await daemon.create({ input, outputs }));
  const states = ['finished', 'finished', 'finished', 'failed', 'finished', 'finished'];
  assert.equal(
    job.output_media_files.map(({ state }) => state),
    states,
  );
  assert.is(job.state, 'failed');
  const { error_class, error_message } = job.output_media_files[3] ?? {};
  assert.is(error_class, 'TranscodingError');
  assert.match(error_message ?? '', /injected failure/);
  const ffmpeg = await testFfmpeg();
  for (const width of widths) {
    const { video, audio, durationSeconds } = await ffmpeg.probe(join(folder, `${width}.mp4`));
    assert.is(video?.width, width);
    assert.is(audio?.codec, 'aac');
    assert.ok(Math.abs((durationSeconds ?? 0) - 2) < 0.1);
  }
  assert.is(daemon.logLines.filter((line) => line.includes('are encoded one by one')).length, 1);
});

test('outputs of one run are encoded concurrently, each with its own progress', async (context) => {
  const { daemon, folder } = context;
  const path = join(folder, 'long.mp4');
  await makeMedia(path, film('640x360', 20));
  const outputs = [
    { url: to(folder, 'a.mp4'), speed: 1 },
    { url: to(folder, 'b.mp4'), width: 320, speed: 1 },
  ];
  const id = await daemon.create({ input: pathToFileURL(path).href, outputs });
  const { outputs: files } = await daemon.waitForProgress(id, (progress) =>
    progress.outputs.every(({ progress: percent }) => Number(percent) > 0),
  );
  assert.equal(
    files.map(({ state }) => state),
    ['processing', 'processing'],
  );
  const cancel = await daemon.request(`/v2/jobs/${id}/cancel`, { method: 'PUT' });
  assert.is(cancel.status, 204);
  const job = await daemon.waitForJob(id);
  assert.equal(
    job.output_media_files.map(({ state }) => state),
    ['cancelled', 'cancelled'],
  );
});

test('a resubmit encodes failed outputs together and leaves finished ones unchanged', async (context) => {
  const { daemon, folder, input } = context;
  await writeFile(join(folder, 'failing'), '');
  const widths = [200, ...unreliableWidths];
  const outputs = widths.map((width) => ({ url: to(folder, `again-${width}.mp4`), width, speed: 5 }));
  const id = await daemon.create({ input, outputs });
  const states = async () => (await daemon.waitForJob(id)).output_media_files.map(({ state }) => state);
  assert.equal(await states(), ['finished', 'failed', 'failed']);
  const before = await stat(join(folder, 'again-200.mp4'));
  const runsBefore = (await scaledTo(folder)).length;
  await rm(join(folder, 'failing'));
  assert.is((await daemon.request(`/v2/jobs/${id}/resubmit`, { method: 'PUT' })).status, 204);
  assert.equal(await states(), ['finished', 'finished', 'finished']);
  const runs = (await scaledTo(folder)).slice(runsBefore);
  assert.equal(
    runs.map((made) => made.toSorted((a, b) => a - b)),
    [unreliableWidths],
  );
  assert.is((await stat(join(folder, 'again-200.mp4'))).mtimeMs, before.mtimeMs);
  const ffmpeg = await testFfmpeg();
  for (const width of widths) {
    const { video, durationSeconds } = await ffmpeg.probe(join(folder, `again-${width}.mp4`));
    assert.is(video?.width, width);
    assert.ok(Math.abs((durationSeconds ?? 0) - 2) < 0.1);
  }
});

test('a resubmit while outputs are encoded together ends that run and encodes them together again', async (context) => {
  const { daemon, folder } = context;
  const path = join(folder, 'under-way.mp4');
  // Long enough that the encode goes on until the resubmit, also on a busy machine.
  await makeMedia(path, film('320x180', 20));
  const widths = [302, 198];
  const outputs = widths.map((width) => ({ url: to(folder, `restarted-${width}.mp4`), width, speed: 1 }));
  const id = await daemon.create({ input: pathToFileURL(path).href, outputs });
  await daemon.waitForProgress(id, (progress) =>
    progress.outputs.every(({ progress: percent }) => Number(percent) > 0),
  );
  assert.is((await daemon.request(`/v2/jobs/${id}/resubmit`, { method: 'PUT' })).status, 204);
  const job = await daemon.waitForJob(id);
  assert.equal(
    job.output_media_files.map(({ state }) => state),
    ['finished', 'finished'],
  );
  assert.equal(
    (await scaledTo(folder)).filter((made) => made.includes(302)),
    [widths, widths],
  );
  const ffmpeg = await testFfmpeg();
  for (const width of widths) {
    const { video, durationSeconds } = await ffmpeg.probe(join(folder, `restarted-${width}.mp4`));
    assert.is(video?.width, width);
    assert.ok(Math.abs((durationSeconds ?? 0) - 20) < 0.1);
  }
});

test.run();
