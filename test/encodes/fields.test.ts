import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ffmpegRaw } from '../contracts/odd-input.js';
import { tempFolder } from '../helpers/temp.js';
import { buildPaths, difference, lumaOf, type ShippedEncoder, startShipped } from './shipped-run.js';

/*
 * A video of 50 frames per second is interlaced into 25 frames of two fields, in both field orders, in files that declare the order in
 * different ways or not. The expected output is every second frame of the original. Frames deinterlaced in the wrong order differ from it
 * twice as much.
 */

const [width, height] = [720, 576];
// The pattern moves by nine pixels from field to field.
const source = `testsrc2=size=${width * 2}x${height}:rate=50:duration=0.4,crop=${width}:${height}:9*n:0`;
const h264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-qp', '8', '-pix_fmt', 'yuv420p'] as const;

const kinds = [
  ['H.264 in MKV', 'h264.mkv', h264],
  ['ProRes in MOV', 'prores.mov', ['-c:v', 'prores_ks', '-pix_fmt', 'yuv422p10le']],
  ['DV in MOV', 'dv.mov', ['-c:v', 'dvvideo', '-pix_fmt', 'yuv420p']],
  ['DV in AVI', 'dv.avi', ['-c:v', 'dvvideo', '-pix_fmt', 'yuv420p']],
  ['MPEG-4 in AVI', 'mpeg4.avi', ['-c:v', 'mpeg4', '-q:v', '2']],
] as const;
const orders = [
  ['top', 'tff'],
  ['bottom', 'bff'],
] as const;

const folder = tempFolder();
const plain = join(folder, 'plain.mkv');
await ffmpegRaw('-f', 'lavfi', '-i', source, '-vf', 'framestep=2', ...h264, plain);
const target = await lumaOf(plain, width * height);

async function interlaced(name: string, first: 'top' | 'bottom', codec: readonly string[]): Promise<string> {
  const path = join(folder, `${first}-${name}`);
  const flag = first === 'top' ? 'tff' : 'bff';
  const weave = `tinterlace=interleave_${first},setfield=${flag}`;
  const x264 = codec.includes('libx264') ? ['-x264opts', `${flag}=1`] : [];
  const flags = ['-flags', '+ilme+ildct'];
  await ffmpegRaw('-f', 'lavfi', '-i', source, '-vf', weave, ...codec, ...flags, ...x264, path);
  return path;
}

for (const [build, ffmpeg] of await buildPaths()) {
  const test = suite<{ encoder: ShippedEncoder }>(`fields, ${build}`);
  test.before(async (context) => {
    context.encoder = await startShipped(ffmpeg);
  });
  test.after(({ encoder }) => encoder.end());

  for (const [what, name, codec] of kinds) {
    for (const [first] of orders) {
      test(`${what} with the ${first} field first is deinterlaced, and so is its thumbnail`, async ({
        encoder,
      }) => {
        const input = await interlaced(name, first, codec);
        const { path, job } = await encoder.encoded(input, {
          quality: 5,
          speed: 5,
          thumbnails: { number: 1 },
        });
        assert.is(job.state, 'finished', JSON.stringify(job.output_media_files));
        const luma = await lumaOf(path, width * height);
        assert.is(luma.length, target.length);
        const off = difference(luma[5], target[5]);
        assert.ok(off < 2.2, `off by ${off}`);
        const [thumbnail] = await lumaOf(path.replace('.mp4', '_0000.png'), width * height);
        const thumbnailOff = difference(thumbnail, luma[5]);
        assert.ok(thumbnailOff < 2, `the thumbnail is off by ${thumbnailOff}`);
      });
    }
  }

  test('a clip of interlaced H.264 in MKV is deinterlaced', async ({ encoder }) => {
    const input = await interlaced('clip.mkv', 'top', h264);
    const { path } = await encoder.encoded(input, { quality: 5, speed: 5, start_clip: '0.2' });
    const off = difference((await lumaOf(path, width * height))[2], target[7]);
    assert.ok(off < 2.2, `off by ${off}`);
  });

  test.run();
}
