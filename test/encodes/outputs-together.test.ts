import { writeFile } from 'node:fs/promises';
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
  const daemon = await startTestDaemon({ filesRoots: [folder], ffmpeg: await pickyFfmpeg(folder) });
  Object.assign(context, { folder, input: pathToFileURL(path).href, daemon });
});
test.after(async ({ daemon }) => {
  await daemon.stop();
});

const refusedWidth = 70;

/** The ffmpeg that tests use, but for one size, of which it makes nothing: no setting fails for certain once it has been checked. */
async function pickyFfmpeg(folder: string): Promise<string> {
  const { ffmpeg } = await testFfmpeg();
  const path = join(folder, 'ffmpeg');
  const refusal = `case "$*" in *scale=${refusedWidth}:*) echo 'There is no such picture' >&2; exit 1;; esac`;
  await writeFile(path, `#!/bin/sh\n${refusal}\nexec '${ffmpeg.path}' "$@"\n`, { mode: 0o755 });
  return path;
}

const to = (folder: string, name: string) => pathToFileURL(join(folder, name)).href;

test('of six outputs one that cannot be encoded fails, and five are whole', async (context) => {
  const { daemon, folder, input } = context;
  const widths = [320, 280, 240, 160, 120];
  const good = widths.map((width) => ({ url: to(folder, `${width}.mp4`), width, speed: 5 }));
  const impossible = { url: to(folder, 'refused.mp4'), width: refusedWidth };
  const outputs = [...good.slice(0, 3), impossible, ...good.slice(3)];
  const job = await daemon.finished(await daemon.create({ input, outputs }));
  const states = ['finished', 'finished', 'finished', 'failed', 'finished', 'finished'];
  assert.equal(
    job.output_media_files.map(({ state }) => state),
    states,
  );
  assert.is(job.state, 'failed');
  const { error_class, error_message } = job.output_media_files[3] ?? {};
  assert.is(error_class, 'TranscodingError');
  assert.match(error_message ?? '', /no such picture/);
  const ffmpeg = await testFfmpeg();
  for (const width of widths) {
    const { video, audio, durationSeconds } = await ffmpeg.probe(join(folder, `${width}.mp4`));
    assert.is(video?.width, width);
    assert.is(audio?.codec, 'aac');
    assert.ok(Math.abs((durationSeconds ?? 0) - 2) < 0.1);
  }
  assert.is(daemon.logLines.filter((line) => line.includes('are made one by one')).length, 1);
});

test('outputs of one run are under way together, each with progress of its own', async (context) => {
  const { daemon, folder } = context;
  const path = join(folder, 'long.mp4');
  await makeMedia(path, film('640x360', 20));
  const outputs = [
    { url: to(folder, 'a.mp4'), speed: 1 },
    { url: to(folder, 'b.mp4'), width: 320, speed: 1 },
  ];
  const id = await daemon.create({ input: pathToFileURL(path).href, outputs });
  const { outputs: files } = await daemon.progressIs(id, (progress) =>
    progress.outputs.every(({ progress: percent }) => Number(percent) > 0),
  );
  assert.equal(
    files.map(({ state }) => state),
    ['processing', 'processing'],
  );
  const cancel = await daemon.request(`/v2/jobs/${id}/cancel`, { method: 'PUT' });
  assert.is(cancel.status, 204);
  const job = await daemon.finished(id);
  assert.equal(
    job.output_media_files.map(({ state }) => state),
    ['cancelled', 'cancelled'],
  );
});

test.run();
