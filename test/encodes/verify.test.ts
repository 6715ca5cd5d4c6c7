import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.js';
import { film, makeMedia, testTone, testVideo } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';
import { type FakeFfmpeg, fakeFfmpeg } from '../pipeline/fake-ffmpeg.js';

interface Context {
  readonly daemon: TestDaemon;
  readonly fake: FakeFfmpeg;
  readonly folder: string;
  readonly out: string;
}

const test = suite<Context>('an encoder that leaves a wrong file');

test.before(async (context) => {
  const folder = tempFolder();
  const out = join(folder, 'out');
  await mkdir(out);
  await makeMedia(join(folder, 'in.mp4'), film('160x120', 2));
  const fake = await fakeFfmpeg();
  const daemon = await startTestDaemon({ filesRoots: [folder], ffmpeg: fake.path });
  Object.assign(context, { folder, out, fake, daemon });
});
test.after(async ({ daemon }) => {
  await daemon.stop();
});

const h264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p'];
const small = testVideo('160x120', 25, 2);

/** What the encoder leaves where two seconds of 160x120 in H.264 with AAC were asked for, and what is said of it. */
const wrongs: readonly (readonly [string, readonly string[], RegExp])[] = [
  ['without sound', [...small, ...h264], /without audio/],
  ['without picture', [...testTone(2), '-c:a', 'aac'], /without video/],
  ['of another codec', [...small, ...testTone(2), '-c:v', 'mpeg4', '-c:a', 'aac'], /of mpeg4, not h264/],
  [
    'with another sound',
    [...small, ...testTone(2), ...h264, '-c:a', 'libmp3lame'],
    /with mp3 audio, not aac/,
  ],
  ['of another size', film('128x120', 2), /of 128x120 pixels, not 160x120/],
  ['in mono', film('160x120', 2, 1), /with 1 audio channels, not 2/],
  ['that ends early', film('160x120', 0.6), /Only 0\.6 of 2\.0 seconds/],
  ['that does not end', film('160x120', 12), /of 12\.\d seconds instead of 2\.0/],
];

async function runWith({ daemon, out }: Context, name: string) {
  const input = pathToFileURL(join(out, '..', 'in.mp4')).href;
  const url = pathToFileURL(join(out, name)).href;
  const job = await daemon.waitForJob(await daemon.create({ input, outputs: [{ url }] }));
  return { state: job.state, output: job.output_media_files[0] };
}

for (const [index, [what, args, said]] of wrongs.entries()) {
  test(`a file ${what} is not delivered`, async (context) => {
    const wrong = join(context.folder, `wrong-${index}.mp4`);
    await makeMedia(wrong, args);
    await context.fake.does(`cp '${wrong}' "$product"`);
    const { state, output } = await runWith(context, 'wrong.mp4');
    assert.equal([state, output?.error_class], ['failed', 'TranscodingError']);
    assert.match(output?.error_message ?? '', said);
    assert.equal(await readdir(context.out), []);
  });
}

test('a file that is none, is cut off or is missing is not delivered', async (context) => {
  const broken = join(context.folder, 'broken');
  await writeFile(broken, (await readFile(join(context.folder, 'in.mp4'))).subarray(0, 3000));
  for (const act of [`echo nothing > "$product"`, `: > "$product"`, `cp '${broken}' "$product"`, ':']) {
    await context.fake.does(act);
    const { state, output } = await runWith(context, 'wrong.mp4');
    assert.equal([state, output?.error_class], ['failed', 'TranscodingError'], act);
    assert.match(output?.error_message ?? '', /cannot be read/);
    assert.equal(await readdir(context.out), []);
  }
});

test('a correct file is delivered, whichever encoder made it', async (context) => {
  await context.fake.does(`cp '${join(context.folder, 'in.mp4')}' "$product"`);
  const { state, output } = await runWith(context, 'right.mp4');
  assert.is(state, 'finished', JSON.stringify(output));
  assert.equal(await readdir(context.out), ['right.mp4']);
});

test('no request starts ffmpeg', async ({ daemon, fake, folder }) => {
  const before = await fake.starts();
  const input = pathToFileURL(join(folder, 'in.mp4')).href;
  const outputs = [{}, { video_codec: 'vp9', filename: 'a.webm' }, { filename: 'a.mp3' }];
  const post = { method: 'POST', body: JSON.stringify({ input, outputs, mock: true }) };
  assert.is((await daemon.request('/v2/jobs', post)).status, 201);
  const wrong = { method: 'POST', body: JSON.stringify({ input, outputs: [{ video_codec: 'vp6' }] }) };
  assert.is((await daemon.request('/v2/jobs', wrong)).status, 422);
  for (const path of ['/v2/jobs', '/health', '/version', '/openapi.json']) await daemon.read(path);
  assert.is(await fake.starts(), before);
});

test.run();
