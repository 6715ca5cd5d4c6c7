import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ffmpegRaw } from '../contracts/odd-input.js';
import { testFfmpeg } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';
import { probed } from './decoded-media.js';
import { type ShippedEncoder, startShipped } from './shipped-run.js';

/* The frame rate in the details of a job whose last frame is longer than the others. */

const test = suite<{ encoder: ShippedEncoder }>('frame rates in details');
test.before(async (context) => {
  context.encoder = await startShipped((await testFfmpeg()).ffmpeg.path);
});
test.after(({ encoder }) => encoder.end());

test('the frame rate of uneven frames is computed from the time between the first and the last', async ({
  encoder,
}) => {
  const input = join(tempFolder(), 'slides.mp4');
  // Frames at 0, 0.1, 0.3, 0.4, 0.6, 0.7 ... 3.7, 3.9 seconds: 26 intervals in 3.9 seconds. ffmpeg writes a wrong duration for the last one.
  const times = 'setpts=(floor(N/2)*0.3+mod(N\\,2)*0.1)/TB';
  const source = `testsrc2=size=160x120:rate=10,trim=end_frame=27,${times}`;
  const uneven = ['-vsync', 'vfr', '-enc_time_base', '1:1000'];
  await ffmpegRaw('-f', 'lavfi', '-i', source, ...uneven, '-c:v', 'libx264', input);
  const { path, job } = await encoder.encoded(input);
  assert.is(job.state, 'finished', JSON.stringify(job.output_media_files));
  for (const [file, record] of [
    [input, job.input_media_file],
    [path, job.output_media_files[0]],
  ] as const) {
    const [average] = (await probed(file, ['-show_entries', 'stream=avg_frame_rate']))[0] ?? [];
    const [frames = 0, seconds = 1] = (average ?? '').split('/').map(Number);
    assert.ok(Math.abs(frames / seconds - 6.67) > 0.1, `ffprobe's average of ${file} is ${average}`);
    assert.is(record?.frame_rate, 6.67);
  }
});

test.run();
