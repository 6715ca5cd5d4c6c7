import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { verifyOutput } from '../../daemon/pipeline/verify-output.js';
import { plan } from '../../daemon/plan/plan.js';
import { ffmpegRaw } from '../contracts/odd-input.js';
import { tempFolder } from '../helpers/temp.js';
import { encodedAndProbed, encoders } from '../plan/encoded.js';

/** Silent slide shows: when each image starts, and when the last one ends, in seconds. */
const shows = [
  { begins: [0, 3, 4, 9], ends: 15 },
  { begins: [0, 1, 2], ends: 12 },
  { begins: [0, 8, 16], ends: 17 },
] as const;

async function show(path: string, begins: readonly number[], ends: number): Promise<void> {
  const chosen = begins.map((seconds) => `eq(n,${seconds})`).join('+');
  const last = `if(eq(N\\,${begins.length - 1})\\,${ends - (begins.at(-1) ?? 0)}/TB\\,1/TB)`;
  await ffmpegRaw(
    ...['-f', 'lavfi', '-i', `testsrc2=size=160x120:rate=1:duration=20,select='${chosen}'`],
    ...[
      '-vsync',
      'passthrough',
      '-enc_time_base:v',
      '1:1000',
      '-c:v',
      'libx264',
      '-bf',
      '0',
      '-pix_fmt',
      'yuv420p',
    ],
    ...[
      '-bsf:v',
      `setts=pts=PTS:dts=DTS:duration=${last}`,
      '-video_track_timescale',
      '1000',
      '-movflags',
      '+faststart',
    ],
    path,
  );
}

for (const [build, ffmpeg] of await encoders()) {
  const test = suite(`last frames, ${build}`);

  for (const { begins, ends } of shows) {
    test(`images that start at ${begins.join(', ')} and end at ${ends} are all in the output`, async () => {
      const input = join(tempFolder(), 'show.mp4');
      await show(input, begins, ends);
      const { facts, path } = await encodedAndProbed(ffmpeg, input, {});
      // Builds of 2018 cannot store the duration of the last frame: a long one is repeated twice at its end.
      const [{ hasFpsMode }, count] = [ffmpeg.capabilities, facts.video?.frameCount ?? 0];
      assert.ok(count === begins.length || (!hasFpsMode && count === begins.length + 2), `${count} frames`);
      const media = await ffmpeg.probe(input);
      const made = plan(
        [{ id: 7, settings: {}, filename: 'film.mp4', isTest: false }],
        media,
        { input, scratch: tempFolder() },
        ffmpeg.capabilities,
      );
      const [product] = made.products;
      assert.ok(product !== undefined && path !== '');
      assert.is(verifyOutput(product, facts).failure, null);
      if (hasFpsMode) assert.is(facts.durationSeconds, ends);
      else if (count > begins.length) assert.ok(Math.abs((facts.durationSeconds ?? 0) - ends) < 0.05);
    });
  }

  test.run();
}
