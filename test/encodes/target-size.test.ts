import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { OutputSettings } from '../../src/shared/settings/index.js';
import { startTestDaemon } from '../helpers/daemon.js';
import { makeMedia } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';
import { encoders, writableName } from '../plan/encoded.js';

const folder = tempFolder();
const noisy = join(folder, 'noisy.mkv');
const noise = 'testsrc2=size=160x120:rate=25:duration=4,noise=alls=40:allf=t,format=yuv420p';
const tone = ['-f', 'lavfi', '-i', 'sine=frequency=440:duration=4', '-c:a', 'pcm_s16le'];
await makeMedia(noisy, ['-f', 'lavfi', '-i', noise, ...tone, '-c:v', 'ffv1']);
const grey = join(folder, 'grey.mkv');
await makeMedia(grey, ['-f', 'lavfi', '-i', 'color=gray:size=160x120:rate=25:duration=4', '-c:v', 'ffv1']);

/** Sizes in bytes that the noise needs and can be reduced to. */
const cases: readonly (readonly [string, OutputSettings, number])[] = [
  ['a.mp4', { target_size: 400_000 }, 400_000],
  ['b.mkv', { target_size: 200_000, video_codec: 'hevc', audio_codec: 'aac', audio_bitrate: 64 }, 200_000],
  ['c.webm', { target_size: 250_000, video_codec: 'vp9', speed: 5 }, 250_000],
  ['d.mkv', { target_size: 500_000, audio_codec: 'mp3', audio_quality: 5 }, 500_000],
  ['e.mp4', { target_size: 300_000, onepass: true, skip_audio: true }, 300_000],
  ['f.mp4', { target_size: 300_000, start_clip: 1, clip_length: 2 }, 300_000],
];

for (const [build, ffmpeg] of await encoders()) {
  const daemon = await startTestDaemon({ filesRoots: [folder], ffmpeg: ffmpeg.ffmpeg.path });
  test.after(() => daemon.stop());
  const run = async (input: string, outputs: readonly OutputSettings[]) =>
    daemon.waitForJob(
      await daemon.create({
        input: pathToFileURL(input).href,
        outputs: outputs.map((output) => ({ ...output, overwrite: true })),
      }),
    );
  const urlOf = (name: string) =>
    pathToFileURL(join(folder, `${ffmpeg.ffmpeg.version}-${writableName(ffmpeg, name)}`)).href;

  test(`${build}: files have 98 to 100 % of target_size`, async () => {
    const job = await run(
      noisy,
      cases.map(([name, settings]) => ({ ...settings, url: urlOf(name) })),
    );
    assert.is(job.state, 'finished');
    for (const [name, , target] of cases) {
      const { size } = await stat(fileURLToPath(urlOf(name)));
      assert.ok(size <= target && size >= target * 0.98, `${name}: ${size} of ${target}`);
    }
  });

  test(`${build}: audio that alone exceeds target_size fails the output with both figures`, async () => {
    const job = await run(noisy, [{ target_size: 30_000, url: urlOf('small.mp4'), audio_bitrate: 128 }]);
    const [output] = job.output_media_files;
    assert.is(output?.error_class, 'InvalidVideoSettingsError');
    assert.match(
      output?.error_message ?? '',
      /target_size is 30000 bytes, and the audio alone needs about 6\d{4}/,
    );
  });

  test(`${build}: a video that needs less than target_size is smaller, with a warning`, async () => {
    const job = await run(grey, [{ target_size: 1_000_000, url: urlOf('grey.mp4') }]);
    const [output] = job.output_media_files;
    assert.is(output?.state, 'finished');
    assert.match(String(output?.warnings), /of the 1000000 of target_size: the encoder uses no more/);
  });
}

test.run();
