import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeMedia, testFfmpeg, testTone } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';
import { imageSubtitle, subtitleStreams } from './captions-harness.js';
import { buildPaths, lumaOf, startShipped, warningsOf } from './shipped-run.js';

const [width, height] = [160, 120];

/** Black films of 3 s at 10 frames per second, with images from 1 to 2 s: in PGS, and in the forms of DVD and DVB. */
async function makeFilms(folder: string): Promise<void> {
  const { ffmpeg } = await testFfmpeg();
  const at = (name: string) => join(folder, name);
  const black = ['-f', 'lavfi', '-i', `color=black:size=${width}x${height}:rate=10:duration=3`];
  await makeMedia(at('black.mkv'), [
    ...black,
    ...testTone(3),
    '-c:v',
    'libx264',
    '-g',
    '5',
    '-bf',
    '0',
    '-c:a',
    'flac',
  ]);
  await writeFile(at('a.sup'), imageSubtitle(1000, 2000, { x: 20, y: 100, imageWidth: 24, imageHeight: 8 }));
  // On a canvas of twice the size.
  await writeFile(
    at('b.sup'),
    imageSubtitle(1000, 2000, { width: 320, height: 240, x: 40, y: 20, imageWidth: 48, imageHeight: 16 }),
  );
  const make = async (...args: readonly string[]) =>
    promisify(execFile)(ffmpeg.path, ['-v', 'error', ...args]);
  // The times of a file with subtitles count from its first one.
  const sources = ['a.sup', 'b.sup'].flatMap((name) => ['-itsoffset', '1', '-i', at(name)]);
  const tracks = ['-map', '0', '-map', '1', '-map', '2', '-c', 'copy'];
  const labels = ['-metadata:s:s:0', 'language=ger', '-metadata:s:s:1', 'language=eng'];
  const flags = ['-disposition:s:0', '0', '-disposition:s:1', 'forced'];
  await make('-i', at('black.mkv'), ...sources, ...tracks, ...labels, ...flags, at('pgs.mkv'));
  const first = ['-fix_sub_duration', '-i', at('pgs.mkv'), '-map', '0:v', '-map', '0:a', '-map', '0:s:0'];
  await make(...first, '-c', 'copy', '-c:s', 'dvdsub', at('dvd.mkv'));
  await make(...first, '-c:v', 'copy', '-c:a', 'aac', '-c:s', 'dvbsub', at('dvb.ts'));
}

/** Where something bright is, as `left,top`, and the frames that show it there. */
async function brightFrames(
  path: string,
  size = { width, height },
): Promise<Readonly<Record<string, string>>> {
  const found: Record<string, number[]> = {};
  for (const [index, frame] of (await lumaOf(path, size.width * size.height)).entries()) {
    const bright = [...frame.keys()].filter((at) => (frame[at] ?? 0) > 120);
    if (bright.length === 0) continue;
    const left = Math.min(...bright.map((at) => at % size.width));
    const place = `${left},${Math.floor((bright[0] ?? 0) / size.width)}`;
    found[place] = [...(found[place] ?? []), index];
  }
  return Object.fromEntries(
    Object.entries(found).map(([place, frames]) => [place, `${frames[0]}-${frames.at(-1)}`]),
  );
}

for (const [build, path] of await buildPaths()) {
  test(`images are burned where and while they are displayed (${build})`, async () => {
    const folder = tempFolder();
    await makeFilms(folder);
    const encoder = await startShipped(path);
    // ffmpeg 7 draws an image a frame late, and more with frames that refer to later ones.
    const late = Number(/^ffmpeg (\d+)/.exec(build)?.[1] ?? 0) >= 7 ? 1 : 0;
    const range = (from: number, to: number) => `${from + late}-${to + late}`;
    const burn = { subtitles: 'burn', quality: 5, speed: 5 } as const;
    const half = { width: width / 2, height: height / 2 };
    try {
      for (const [input, name, settings, expected, size] of [
        ['pgs.mkv', 'out.mp4', burn, { '20,100': range(10, 19) }, undefined],
        ['pgs.mkv', 'out.ts', burn, { '20,100': range(10, 19) }, undefined],
        [
          'pgs.mkv',
          'en.mp4',
          { ...burn, subtitle_tracks: ['forced'] },
          { '20,10': range(10, 19) },
          undefined,
        ],
        ['pgs.mkv', 'small.mp4', { ...burn, ...half }, { '10,50': range(10, 19) }, half],
        [
          'pgs.mkv',
          'clip.mp4',
          { ...burn, start_clip: 0.5, clip_length: 1 },
          { '20,100': `${5 + late}-9` },
          undefined,
        ],
        [
          'pgs.mkv',
          'two.mp4',
          { ...burn, video_bitrate: 200, onepass: false },
          { '20,100': range(10, 19) },
          undefined,
        ],
        ['dvd.mkv', 'dvd.mp4', burn, { '20,100': `${10 + late}-19` }, undefined],
        ['dvb.ts', 'dvb.mp4', burn, { '20,100': range(10, 19) }, undefined],
      ] as const) {
        const made = await encoder.encoded(join(folder, input), settings, name);
        assert.equal(warningsOf(made), [], name);
        assert.equal(await brightFrames(made.path, size), expected, `${input} ${name}`);
        assert.equal(await subtitleStreams(made.path), [], name);
      }
      const kept = await encoder.encoded(
        join(folder, 'pgs.mkv'),
        { subtitle_tracks: ['eng', 'deu'] },
        'kept.mkv',
      );
      assert.equal(warningsOf(kept), []);
      assert.equal(
        (await subtitleStreams(kept.path)).map(({ codec, language, dispositions }) => [
          codec,
          language,
          dispositions,
        ]),
        [
          ['hdmv_pgs_subtitle', 'eng', ['forced']],
          ['hdmv_pgs_subtitle', 'deu', []],
        ],
      );
    } finally {
      await encoder.end();
    }
  });
}

test.run();
