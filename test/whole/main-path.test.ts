import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.js';
import { ffprobe } from '../helpers/measure.js';
import { film, makeMedia } from '../helpers/media.js';
import { type FileServer, serveFolder } from '../helpers/servers/file-server.js';
import { tempFolder } from '../helpers/temp.js';
import { waitUntilScratchIsEmpty } from '../helpers/wait-until.js';

interface Context {
  readonly daemon: TestDaemon;
  readonly files: FileServer;
  readonly folder: string;
}

const test = suite<Context>('the main path');

test.before(async (context) => {
  const folder = tempFolder();
  await makeMedia(join(folder, 'wide.mp4'), film('854x480', 3, 6));
  const files = await serveFolder(folder);
  Object.assign(context, { folder, files, daemon: await startTestDaemon({ filesRoots: [folder] }) });
});
test.after(async ({ daemon, files }) => {
  await daemon.stop();
  await files.close();
});

test('a URL without outputs becomes a hosted MP4 within 640x480 with its index at the front', async ({
  daemon,
  files,
  folder,
}) => {
  const id = await daemon.create({ input: `${files.url}/wide.mp4` });
  const job = await daemon.waitForJob(id);
  const [output] = job.output_media_files;
  assert.is(job.state, 'finished', JSON.stringify(job, null, 1));
  assert.ok(output?.url?.startsWith(`${daemon.url}/hosted/`));

  const response = await fetch(output?.url ?? '');
  const bytes = Buffer.from(await response.arrayBuffer());
  assert.is(response.status, 200);
  assert.is(response.headers.get('content-type'), 'video/mp4');
  assert.is(bytes.length, output?.file_size_bytes);
  assert.is(createHash('md5').update(bytes).digest('hex'), output?.md5_checksum);
  assert.ok(bytes.indexOf('moov') < bytes.indexOf('mdat'), 'the index is before the data');

  const found = await ffprobe(bytes, tempFolder());
  assert.is(found.video?.codec_name, 'h264');
  assert.is(found.video?.pix_fmt, 'yuv420p');
  assert.equal([found.video?.width, found.video?.height], [640, 360]);
  assert.is(found.audio?.codec_name, 'aac');
  assert.is(found.audio?.channels, 2);
  assert.is(found.audio?.sample_rate, '44100');

  const source = await readFile(join(folder, 'wide.mp4'));
  assert.is(job.input_media_file.md5_checksum, createHash('md5').update(source).digest('hex'));
  assert.is(job.input_media_file.channels, '6');
  assert.is(job.input_media_file.width, 854);
  await waitUntilScratchIsEmpty(daemon.dataFolder);
});

test('a hosted file is served in ranges', async ({ daemon, files }) => {
  const id = await daemon.create({
    input: `${files.url}/wide.mp4`,
    outputs: [{ filename: 'a b.mp4', width: 64 }],
  });
  const url = (await daemon.waitForJob(id)).output_media_files[0]?.url ?? '';
  const whole = Buffer.from(await (await fetch(url)).arrayBuffer());
  const part = await fetch(url, { headers: { Range: 'bytes=100-199' } });
  assert.is(part.status, 206);
  assert.is(part.headers.get('content-range'), `bytes 100-199/${whole.length}`);
  assert.ok(Buffer.from(await part.arrayBuffer()).equals(whole.subarray(100, 200)));
  const beyond = await fetch(url, { headers: { Range: `bytes=${whole.length}-` } });
  assert.is(beyond.status, 416);
  assert.match(await beyond.text(), 'errors');
});

test('an uploaded file is encoded into a file: destination', async ({ daemon, folder }) => {
  const body = await readFile(join(folder, 'wide.mp4'));
  const uploaded = await daemon.request('/v2/uploads/my%20clip.json', { method: 'PUT', body });
  assert.is(uploaded.status, 201);
  const { url } = (await uploaded.json()) as { url: string };
  assert.match(url, /^upload:\/\//);
  const target = join(folder, 'new', 'ü #1.mp4');
  const outputs = [
    { url: `file://${encodeURI(folder)}/new/%C3%BC%20%231.mp4`, clip_length: '1', width: 128 },
  ];
  const job = await daemon.waitForJob(await daemon.create({ input: url, outputs }));
  assert.is(job.state, 'finished', JSON.stringify(job));
  const found = await ffprobe(await readFile(target), tempFolder());
  assert.is(found.video?.width, 128);
  assert.ok(Math.abs(Number(found.format.duration) - 1) < 0.1, found.format.duration);
  assert.equal(await readdir(join(folder, 'new')), ['ü #1.mp4']);
});

test('progress never falls and ends at 100', async ({ daemon, files }) => {
  const id = await daemon.create({ input: `${files.url}/wide.mp4`, outputs: [{ speed: 1, quality: 5 }] });
  const seen: number[] = [];
  await daemon.waitForProgress(id, (record) => {
    seen.push(record.progress);
    assert.ok(record.outputs.every(({ progress }) => progress >= 0 && progress <= 100));
    return record.state === 'finished';
  });
  assert.equal(
    seen,
    [...seen].sort((a, b) => a - b),
  );
  assert.is(seen.at(-1), 100);
});

test('an output that fails does not affect the others', async ({ daemon, files }) => {
  const outputs = [
    { label: 'good', width: 64, clip_length: '1' },
    { label: 'bad', start_clip: '3600' },
  ];
  const job = await daemon.waitForJob(await daemon.create({ input: `${files.url}/wide.mp4`, outputs }));
  const [good, bad] = job.output_media_files;
  assert.is(job.state, 'failed');
  assert.is(good?.state, 'finished');
  assert.is(bad?.state, 'failed');
  assert.is(bad?.error_class, 'InvalidVideoSettingsError');
  assert.is((await fetch(good?.url ?? '')).status, 200);
  const log = daemon.logLines.filter(
    (line) => line.includes(`ob ${job.id} `) || line.includes(`ob ${job.id}:`),
  );
  assert.match(
    log.join('\n'),
    /accepted.*started.*output \d+ \(bad\) failed, InvalidVideoSettingsError.*has failed/s,
  );
});

test('a cancel ends the encoder and removes its files', async ({ daemon, files }) => {
  const id = await daemon.create({
    input: `${files.url}/wide.mp4`,
    outputs: [{ speed: 1, width: 4000, upscale: true }],
  });
  await daemon.waitForProgress(id, ({ outputs }) => outputs[0]?.current_event === 'transcoding');
  const scratch = join(daemon.dataFolder, 'scratch', String(id));
  assert.ok((await readdir(scratch)).length > 0);
  assert.is((await daemon.request(`/v2/jobs/${id}/cancel`, { method: 'PUT' })).status, 204);
  assert.is((await daemon.waitForJob(id)).state, 'cancelled');
  await waitUntilScratchIsEmpty(daemon.dataFolder);
});

test('a failed job finishes after a resubmit once its input exists', async ({ daemon, files, folder }) => {
  const id = await daemon.create({ input: `${files.url}/later.mp4`, outputs: [{ width: 64 }] });
  const failed = await daemon.waitForJob(id);
  assert.is(failed.state, 'failed');
  assert.is(failed.input_media_file.error_class, 'FileNotFoundError');
  assert.is(failed.output_media_files[0]?.state, 'no input');
  await makeMedia(join(folder, 'later.mp4'), film('128x96', 1));
  assert.is((await daemon.request(`/v2/jobs/${id}/resubmit`, { method: 'PUT' })).status, 204);
  const again = await daemon.waitForJob(id);
  assert.is(again.state, 'finished', JSON.stringify(again));
  assert.is(again.input_media_file.error_class, null);
  assert.is(again.created_at, failed.created_at);
});

test('two passes meet the bitrate and test mode cuts to five seconds', async ({ daemon, folder, files }) => {
  await makeMedia(join(folder, 'long.mp4'), film('320x240', 8));
  const outputs = [{ video_bitrate: 200, skip_audio: true }];
  const job = await daemon.waitForJob(
    await daemon.create({ input: `${files.url}/long.mp4`, test: 1, outputs }),
  );
  const [output] = job.output_media_files;
  assert.is(job.test, true);
  assert.ok(Math.abs((output?.duration_in_ms ?? 0) - 5000) < 100, String(output?.duration_in_ms));
  assert.ok(
    Math.abs((output?.video_bitrate_in_kbps ?? 0) - 200) <= 20,
    String(output?.video_bitrate_in_kbps),
  );
  assert.is(output?.audio_codec, null);
});

test.run();
