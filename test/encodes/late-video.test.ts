import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ffmpegRaw } from '../contracts/odd-input.js';
import { testFfmpeg } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';
import { probed, samplesOf, strengthOf } from './decoded-media.js';
import { type ShippedEncoder, startShipped } from './shipped-run.js';

/* Videos that start after their audio, at a time between two frames. */

const folder = tempFolder();
/** Only this build, because that of 2018 rounds timestamps to whole frames. */
const { ffmpeg } = await testFfmpeg();

const starts = async (path: string) => {
  const rows = await probed(path, ['-show_entries', 'stream=codec_type,start_time']);
  const of = (type: string) => Number(rows.find(([kind]) => kind === type)?.[1]);
  return of('video') - of('audio');
};

const test = suite<{ encoder: ShippedEncoder }>('late video');
test.before(async (context) => {
  context.encoder = await startShipped(ffmpeg.path);
});
test.after(({ encoder }) => encoder.end());

for (const [rate, late] of [
  [30, 0.021],
  [1, 0.4],
] as const) {
  test(`video of ${rate} frames per second that starts ${late} s after its audio does so in the output`, async ({
    encoder,
  }) => {
    const input = join(folder, `${rate}.mp4`);
    const [video, audio] = [join(folder, `${rate}-video.mp4`), join(folder, 'audio.m4a')];
    const source = `testsrc2=size=160x120:rate=${rate}:duration=4`;
    const coder = ['-c:v', 'libx264', '-bf', '0', '-pix_fmt', 'yuv420p', '-video_track_timescale', '30000'];
    await ffmpegRaw('-f', 'lavfi', '-i', source, ...coder, video);
    await ffmpegRaw('-f', 'lavfi', '-i', 'sine=duration=4', '-c:a', 'aac', audio);
    await ffmpegRaw('-i', audio, '-itsoffset', String(late), '-i', video, '-c', 'copy', input);
    const before = await starts(input);
    const { path, job } = await encoder.encoded(input);
    assert.is(job.state, 'finished', JSON.stringify(job.output_media_files));
    const after = await starts(path);
    assert.ok(Math.abs(before - late) < 0.003, `the input's video starts ${before} s after its audio`);
    assert.ok(Math.abs(after - before) < 0.005, `${after} s, not ${before}`);
  });
}

test('a clip that begins before the video has the audio from its start', async ({ encoder }) => {
  const input = join(folder, 'much-later.mp4');
  const video = ['-itsoffset', '2', '-f', 'lavfi', '-i', 'testsrc2=size=160x120:rate=25:duration=2'];
  const coders = ['-c:v', 'libx264', '-bf', '0', '-pix_fmt', 'yuv420p', '-c:a', 'aac'];
  await ffmpegRaw(...video, '-f', 'lavfi', '-i', 'sine=frequency=300:duration=4', ...coders, input);
  for (const [name, settings] of [
    ['film.mp4', {}],
    ['audio.m4a', { skip_video: true }],
  ] as const) {
    const { path, job } = await encoder.encoded(input, { start_clip: 0.5, ...settings }, name);
    assert.is(job.state, 'finished', JSON.stringify(job.output_media_files));
    const { channels, sampleRate } = await samplesOf(path);
    for (const second of [0.2, 0.9, 2.5]) {
      const part = channels[0]?.slice(second * sampleRate, (second + 0.2) * sampleRate) ?? new Float32Array();
      assert.ok(strengthOf(300, part, sampleRate) > 0.05, `silence at ${second} s of ${path}`);
    }
  }
});

test.run();
