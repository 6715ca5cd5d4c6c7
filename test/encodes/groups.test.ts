import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Ffmpeg } from '../../daemon/ffmpeg/index.js';
import type { MediaFacts } from '../../daemon/jobs/media.js';
import { plan } from '../../daemon/plan/plan.js';
import type { OutputSettings } from '../../src/shared/settings/index.js';
import { film, makeMedia } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';
import { encoders, frames } from '../plan/encoded.js';

type RequestedOutput = OutputSettings & { readonly filename?: string };

interface Made {
  readonly path: string;
  readonly facts: MediaFacts;
}

const folder = tempFolder();
const source = join(folder, 'source.mp4');
test.before(() => makeMedia(source, film('320x180', 2)));

/** Encodes outputs and checks the number of ffmpeg runs that the plan needs. */
async function made(
  ffmpeg: Ffmpeg,
  input: string,
  requested: readonly RequestedOutput[],
  runs: number,
): Promise<readonly Made[]> {
  const scratch = tempFolder();
  const outputs = requested.map(({ filename = 'film.mp4', ...settings }, index) => ({
    id: index + 1,
    settings: { speed: 5, quality: 5, ...settings },
    filename,
    isTest: false,
  }));
  const { steps, products } = plan(
    outputs,
    await ffmpeg.probe(input),
    { input, scratch },
    ffmpeg.capabilities,
  );
  assert.is(steps.length, runs);
  const { signal } = new AbortController();
  for (const { args } of steps) await ffmpeg.run(args, { signal, scratch, onProgress: () => {} });
  return Promise.all(products.map(async ({ path }) => ({ path, facts: await ffmpeg.probe(path) })));
}

/** Mean absolute difference of two videos in luma steps, over all pixels of all frames. Checks that they have equally many frames. */
async function difference(ffmpeg: Ffmpeg, one: Made, other: Made): Promise<number> {
  const pixels = (one.facts.video?.width ?? 0) * (one.facts.video?.height ?? 0);
  const [ones, others] = [await frames(ffmpeg, one.path, pixels), await frames(ffmpeg, other.path, pixels)];
  assert.is(ones.length, others.length);
  let sum = 0;
  for (const [at, frame] of ones.entries())
    for (const [pixel, luma] of frame.entries()) sum += Math.abs(luma - (others[at]?.[pixel] ?? 0));
  return sum / (pixels * ones.length);
}

const ladders: readonly (readonly [string, readonly RequestedOutput[], number])[] = [
  ['sizes', [{ height: 90 }, {}, { width: 80 }, { width: 100, height: 100, aspect_mode: 'pad' }], 1],
  [
    'containers',
    [{ filename: 'a.mkv', width: 160 }, { filename: 'a.webm', width: 160 }, { filename: 'a.mov' }],
    1,
  ],
  [
    'clips',
    [
      { start_clip: 0.6, clip_length: 1.2 },
      { start_clip: 0.6, clip_length: 1.2, width: 160 },
    ],
    1,
  ],
  ['frame rates', [{ frame_rate: 10 }, { frame_rate: 10, width: 160 }], 1],
  ['turns', [{ rotate: 90 }, { rotate: 90, width: 120 }], 1],
  ['audio', [{ audio_channels: 1 }, { skip_audio: true, width: 160 }, { audio_sample_rate: 22_050 }], 1],
  [
    'two passes',
    [
      { video_bitrate: 300, width: 160 },
      { video_bitrate: 150, width: 120, skip_audio: true },
      { video_bitrate: 200, width: 240 },
    ],
    2,
  ],
];

for (const [build, ffmpeg] of await encoders()) {
  for (const [what, requested, runs] of ladders) {
    test(`${build}: ${what} encoded together equal those encoded separately`, async () => {
      const together = await made(ffmpeg, source, requested, runs);
      for (const [index, settings] of requested.entries()) {
        const [separate] = await made(ffmpeg, source, [settings], runs);
        const one = together[index];
        if (separate === undefined || one === undefined) throw new Error('nothing was encoded');
        const form = ({ facts: { format, video, audio } }: Made) => [
          [format, video?.codec, video?.width, video?.height, video?.frameRate],
          [audio?.codec, audio?.channels, audio?.sampleRate],
        ];
        assert.equal(form(one), form(separate));
        const lengths = [one.facts.durationSeconds, separate.facts.durationSeconds];
        assert.ok(Math.abs((lengths[0] ?? 0) - (lengths[1] ?? 9)) < 0.03, lengths.join());
        const distance = await difference(ffmpeg, one, separate);
        // The tolerance covers double scaling and encoder differences; a misplaced frame or pixel would differ several times as much.
        assert.ok(distance < 2.5, `${JSON.stringify(settings)}: ${distance} steps of luma`);
      }
    });
  }
}

test.run();
