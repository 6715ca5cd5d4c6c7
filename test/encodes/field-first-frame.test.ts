import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ffmpegRaw } from '../contracts/odd-input.js';
import { tempFolder } from '../helpers/temp.js';
import { measure, runShipped, shippedBuilds } from './shipped.js';

/* Containers without display times, whose video has B-frames: ffmpeg displays its first frame late. */

const folder = tempFolder();
const frames = ['-f', 'lavfi', '-i', 'testsrc2=s=64x48:r=25:d=1', '-pix_fmt', 'yuv420p'] as const;
const inputs = [
  ['mpeg4.avi', '-c:v', 'mpeg4', '-bf', '2'],
  ['h264.avi', '-c:v', 'libx264', '-bf', '3', '-b_strategy', '0'],
  ['mpeg2.m2v', '-c:v', 'mpeg2video', '-bf', '2'],
] as const;
for (const [name, ...args] of inputs) await ffmpegRaw(...frames, ...args, join(folder, name));

for (const build of await shippedBuilds()) {
  test(`an output whose only track is video with B-frames from AVI or MPEG starts at 0, with ${build.name}`, async () => {
    for (const [name] of inputs) {
      const path = await runShipped(build, join(folder, name), 'out.mp4');
      // -copyts keeps the time of the first frame, which an edit list would delay.
      const { out } = await measure(
        ...['-v', 'error', '-copyts', '-i', path, '-map', '0:v', '-vsync', 'passthrough'],
        ...['-f', 'framecrc', '-'],
      );
      const times = out
        .toString()
        .split('\n')
        .flatMap((line) => (/^\d/.test(line) ? [Number(line.split(',')[2])] : []));
      assert.equal([times.length, times[0]], [25, 0], name);
    }
  });
}

test.run();
