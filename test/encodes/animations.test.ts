import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runCli } from '../cli/run-cli.js';
import { makeMedia, testFfmpeg } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';
import { shippedBuilds } from './shipped.js';
import { meanColour, near } from './watermark-harness.js';

const { ffprobe } = await testFfmpeg();
const run = promisify(execFile);

/** The frames of a GIF: their number, and the length of all in seconds. */
async function gifFrames(path: string): Promise<readonly number[]> {
  const args = ['-v', 'error', '-count_frames', '-show_entries', 'stream=nb_read_frames,duration'];
  const { stdout } = await run(ffprobe.path, [...args, '-of', 'csv=p=0', path]);
  const [seconds, frames] = stdout.trim().split(',').map(Number);
  return [frames ?? 0, seconds ?? 0];
}

/** The chunks of a WebP file, read without the program: the frames with their durations, and the first image. */
async function webpFrames(path: string) {
  const bytes = await readFile(path);
  const durations: number[] = [];
  let first: Buffer | null = null;
  for (let at = 12; at < bytes.length; ) {
    const length = bytes.readUInt32LE(at + 4);
    if (bytes.toString('latin1', at, at + 4) === 'ANMF') {
      durations.push(bytes.readUIntLE(at + 20, 3));
      first ??= bytes.subarray(at + 24, at + 8 + length);
    }
    at += 8 + length + (length % 2);
  }
  assert.ok(first !== null, 'there is no frame');
  const header = Buffer.from('RIFF____WEBP');
  header.writeUInt32LE(first.length + 4, 4);
  const still = join(tempFolder(), 'still.webp');
  await writeFile(still, Buffer.concat([header, first]));
  return { durations, still };
}

for (const build of await shippedBuilds()) {
  const test = suite<{ film: string }>(`Animated images, ${build.name}`);
  test.before(async (context) => {
    context.film = join(tempFolder(), 'film.mkv');
    // The left half is red and the right half blue for two seconds, and then all is green.
    const halves = 'color=red:s=160x120:r=25:d=2,drawbox=x=80:w=80:color=blue:t=fill[a]';
    const graph = `${halves};color=lime:s=160x120:r=25:d=2[b];[a][b]concat=n=2,format=yuv420p`;
    const tone = ['-f', 'lavfi', '-i', 'sine=d=4'];
    await makeMedia(context.film, ['-f', 'lavfi', '-i', graph, ...tone, '-c:v', 'libx264', '-crf', '10']);
  });
  const make = async (input: string, name: string, ...words: readonly string[]) => {
    const output = join(tempFolder(), name);
    const result = await runCli(['run', input, '-o', output, '--progress', 'none', '--json', ...words], {
      env: build.env,
    });
    return { output, ...result };
  };

  test('a GIF has 15 frames per second, no audio, and the colours of the film', async ({ film }) => {
    const { output, code, stdout, stderr } = await make(film, 'a.gif', '--clip-length', '2');
    assert.is(code, 0, stderr);
    const [frames = 0, seconds = 0] = await gifFrames(output);
    assert.is(frames, 30);
    assert.ok(Math.abs(seconds - 2) < 0.05, String(seconds));
    near(await meanColour(output, '60:100:10:10'), [255, 0, 0], 12, 'the left half');
    near(await meanColour(output, '60:100:90:10'), [0, 0, 255], 12, 'the right half');
    const [{ job }] = JSON.parse(stdout) as [{ job: { output_media_files: Record<string, unknown>[] } }];
    const [record] = job.output_media_files;
    assert.equal([record?.format, record?.video_codec, record?.audio_codec], ['gif', 'gif', null]);
  });

  test('a GIF of a clip has the colours of the clip', async ({ film }) => {
    const { output, code, stderr } = await make(film, 'a.gif', '--start-clip', '2.5', '--quality', '1');
    assert.is(code, 0, stderr);
    near(await meanColour(output, '100:100:10:10'), [0, 255, 0], 12, 'the film');
  });

  test('a WebP has frames of the right length, and the colours of the film', async ({ film }) => {
    const { output, code, stderr } = await make(film, 'a.webp', '--frame-rate', '10');
    assert.is(code, 0, stderr);
    const { durations, still } = await webpFrames(output);
    const seconds = durations.reduce((sum, one) => sum + one, 0) / 1000;
    assert.ok(Math.abs(seconds - 4) < 0.11, durations.join());
    near(await meanColour(still, '60:100:10:10'), [255, 0, 0], 12, 'the left half');
    near(await meanColour(still, '60:100:90:10'), [0, 0, 255], 12, 'the right half');
  });

  test('an input of more than 60 seconds fails, and says which settings choose a part', async () => {
    const long = join(tempFolder(), 'long.mkv');
    await makeMedia(long, ['-f', 'lavfi', '-i', 'color=red:s=32x32:r=1:d=70', '-c:v', 'libx264']);
    const { code, stdout } = await make(long, 'a.gif');
    assert.is(code, 1);
    assert.match(stdout, /at most 60 seconds, and this one would have 70\. .*start_clip and clip_length/);
  });
  test.run();
}
