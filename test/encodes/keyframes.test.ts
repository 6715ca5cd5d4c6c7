import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { OutputSettings } from '../../src/shared/settings/index.js';
import { makeMedia } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';
import { encoders, writableName } from '../plan/encoded.js';
import { packets } from './packets.js';
import { encodedFile } from './video-harness.js';

const folder = tempFolder();
const coder = ['-c:v', 'libx264', '-preset', 'ultrafast', '-qp', '12', '-pix_fmt', 'yuv420p'];

/** Another image from frame 37 to frame 60. */
const twoCuts =
  "testsrc2=size=160x96:rate=25:duration=4[a];mandelbrot=size=160x96:rate=25[b];[a][b]overlay=enable='gte(n,37)*lt(n,61)':shortest=1";
const uneven =
  'testsrc2=size=160x96:rate=25:duration=6,select=lt(n\\,20)+not(mod(n\\,3))*(lt(n\\,50)+gt(n\\,110))';

const inputs = new Map<string, Promise<string>>();
function input(name: string, source: string): Promise<string> {
  const path = join(folder, name);
  const making =
    inputs.get(name) ??
    makeMedia(path, ['-f', 'lavfi', '-i', source, '-vsync', 'vfr', ...coder]).then(() => path);
  inputs.set(name, making);
  return making;
}

async function keyframes(path: string): Promise<readonly number[]> {
  const shown = (await packets(path)).toSorted((one, other) => one.seconds - other.seconds);
  return shown.flatMap(({ isKey }, index) => (isKey ? [index] : []));
}

const every = (frames: number, count: number) =>
  Array.from({ length: Math.ceil(count / frames) }, (_, index) => index * frames);

const codecs = [
  ['h264', 'film.mp4'],
  ['hevc', 'film.mp4'],
  ['vp8', 'film.webm'],
  ['vp9', 'film.webm'],
  ['theora', 'film.ogv'],
  ['av1', 'film.mp4'],
] as const;

/** Settings, the exact keyframes of 100 frames, and whether the encoder may add others. */
const cases: readonly (readonly [OutputSettings, readonly number[], boolean])[] = [
  [{ fixed_keyframe_interval: true, keyframe_interval: 30 }, every(30, 100), false],
  [{ fixed_keyframe_interval: true, keyframe_rate: 0.5 }, every(50, 100), false],
  [{ forced_keyframe_interval: 20 }, every(20, 100), true],
  [{ forced_keyframe_rate: 1 }, every(25, 100), true],
  [{ prepare_for_segmenting: ['dash'] }, every(50, 100), false],
  [{ prepare_for_segmenting: ['hls', 'mss'], keyframe_interval: 40 }, [0, 40, 50, 90], false],
];

for (const [build, ffmpeg] of await encoders()) {
  for (const [video_codec, name] of codecs) {
    const isCounting = video_codec === 'h264' || video_codec === 'hevc';
    // The others place those of keyframe_interval at its multiples, whatever is forced.
    for (const [settings, expected, mayHaveMore] of isCounting
      ? cases
      : cases.filter((_, at) => at % 2 === 0)) {
      test(`${build}: ${video_codec} with ${JSON.stringify(settings)} has keyframes at ${expected.join()}`, async () => {
        const path = await encodedFile(
          ffmpeg,
          await input('cuts.mp4', twoCuts),
          { speed: 5, video_codec, ...settings },
          [],
          writableName(ffmpeg, name),
        );
        const found = await keyframes(path);
        // Theora places keyframes itself, which a warning says.
        if (video_codec === 'theora') return assert.is(found[0], 0);
        // libaom adds one after each forced one.
        const isExact = !mayHaveMore && video_codec !== 'av1';
        assert.equal(isExact ? found : found.filter((at) => expected.includes(at)), expected);
      });
    }
  }

  test(`${build}: two passes place forced keyframes`, async () => {
    const source = await input('cuts.mp4', twoCuts);
    for (const [video_codec, name] of codecs.filter(([codec]) => codec !== 'theora' && codec !== 'av1')) {
      const settings = { speed: 5, video_codec, video_bitrate: 300, forced_keyframe_rate: 1 } as const;
      const found = await keyframes(await encodedFile(ffmpeg, source, settings, [], name));
      assert.equal(
        found.filter((at) => at % 25 === 0),
        every(25, 100),
        video_codec,
      );
    }
  });

  test(`${build}: of uneven frames, the first of each second is a keyframe, also after a gap`, async () => {
    const source = await input('uneven.mp4', uneven);
    const path = await encodedFile(ffmpeg, source, {
      speed: 5,
      forced_keyframe_rate: 1,
      fixed_keyframe_interval: true,
    });
    const times = (await packets(path)).toSorted((one, other) => one.seconds - other.seconds);
    const firsts = times.filter(
      ({ seconds }, at) =>
        at === 0 || Math.floor(seconds + 0.001) > Math.floor((times[at - 1]?.seconds ?? 0) + 0.001),
    );
    assert.equal(
      times.filter(({ isKey }) => isKey),
      firsts,
    );
  });

  test(`${build}: a keyframe rate is a maximum distance`, async () => {
    const source = await input('cuts.mp4', twoCuts);
    const found = await keyframes(await encodedFile(ffmpeg, source, { speed: 5, keyframe_rate: 2 }));
    const distances = [...found, 100].map((at, index, all) => (all[index + 1] ?? 100) - at);
    assert.ok(Math.max(...distances) <= 13, found.join());
  });

  test(`${build}: a clip has its grid from its own start`, async () => {
    const source = await input('cuts.mp4', twoCuts);
    const settings = { speed: 5, start_clip: 0.52, forced_keyframe_rate: 1, fixed_keyframe_interval: true };
    assert.equal(await keyframes(await encodedFile(ffmpeg, source, settings)), [0, 25, 50, 75]);
  });
}

test.run();
