import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestDaemon } from '../helpers/daemon.js';
import { makeMedia, testTone } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';
import { subtitleStreams } from './captions-harness.js';
import { buildPaths, lumaOf, startShipped } from './shipped-run.js';

const captions = `1
00:00:01,000 --> 00:00:02,000
WWWWWWWWWW
`;

const styled = `[Script Info]
ScriptType: v4.00+

[V4+ Styles]
Format: Name, Fontname, Fontsize, PrimaryColour, SecondaryColour, OutlineColour, BackColour, Bold, Italic, Underline, StrikeOut, ScaleX, ScaleY, Spacing, Angle, BorderStyle, Outline, Shadow, Alignment, MarginL, MarginR, MarginV, Encoding
Style: Top,DejaVu Sans,40,&HFFFFFF,&Hffffff,&H0,&H0,0,0,0,0,100,100,0,0,1,1,0,8,10,10,10,0

[Events]
Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text
Dialogue: 0,0:00:01.00,0:00:02.00,Top,,0,0,0,,WWWW
`;

const [width, height, rate] = [160, 120, 10];

/** A black film of 3 s with a tone. */
async function blackFilm(path: string): Promise<void> {
  const black = ['-f', 'lavfi', '-i', `color=black:size=${width}x${height}:rate=${rate}:duration=3`];
  await makeMedia(path, [...black, ...testTone(3), '-c:v', 'libx264', '-g', '20', '-c:a', 'aac']);
}

/** The frames that show something bright, in the upper and in the lower half. */
async function brightFrames(
  path: string,
): Promise<{ readonly upper: readonly number[]; readonly lower: readonly number[] }> {
  const frames = await lumaOf(path, width * height);
  const half = (width * height) / 2;
  const bright = (from: number) =>
    frames.flatMap((frame, index) =>
      frame.subarray(from, from + half).some((value) => value > 150) ? [index] : [],
    );
  return { upper: bright(0), lower: bright(half) };
}

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index);

for (const [build, path] of await buildPaths()) {
  test(`captions are drawn into the frames of their times (${build})`, async () => {
    const folder = tempFolder();
    const at = (name: string) => `file://${folder}/${name}`;
    for (const name of ['in.mp4', 'in.ts']) await blackFilm(join(folder, name));
    await writeFile(join(folder, 'a.srt'), captions);
    await writeFile(join(folder, 'b.ass'), styled);
    const encoder = await startShipped(path);
    const burnt = { subtitles: 'burn', caption_url: at('a.srt'), quality: 5 };
    try {
      for (const [input, name, settings, upper, lower] of [
        ['in.mp4', 'out.mp4', burnt, [], range(10, 20)],
        ['in.mp4', 'out.ts', burnt, [], range(10, 20)],
        ['in.mp4', 'styled.mp4', { ...burnt, caption_url: at('b.ass') }, range(10, 20), []],
        ['in.mp4', 'clip.mp4', { ...burnt, start_clip: 0.5, clip_length: 1 }, [], range(5, 10)],
        // Reading a transport stream starts before the clip.
        ['in.ts', 'clip.mp4', { ...burnt, start_clip: 1.5 }, [], range(0, 5)],
        ['in.mp4', 'two.mp4', { ...burnt, video_bitrate: 200, onepass: false }, [], range(10, 20)],
      ] as const) {
        const made = await encoder.encoded(join(folder, input), settings, name);
        assert.is(made.job.state, 'finished', made.job.output_media_files[0]?.error_message ?? '');
        assert.equal(await brightFrames(made.path), { upper, lower }, `${input} ${name}`);
        assert.equal(await subtitleStreams(made.path), []);
      }
    } finally {
      await encoder.end();
    }
  });
}

test('subtitles of the input are drawn, each output that is encoded together has its own, and none is a warning', async () => {
  const folder = tempFolder();
  const at = (name: string) => `file://${folder}/${name}`;
  await blackFilm(join(folder, 'in.mp4'));
  await writeFile(join(folder, 'a.srt'), captions);
  await writeFile(join(folder, 'b.ass'), styled);
  const daemon = await startTestDaemon({ filesRoots: [folder] });
  const burn = { subtitles: 'burn', quality: 5 };
  try {
    const outputs = [
      { url: at('track.mkv'), label: 'track', caption_url: at('a.srt') },
      { url: at('drawn.mp4'), ...burn, source: 'track' },
      { url: at('top.mp4'), ...burn, caption_url: [at('a.srt'), { url: at('b.ass'), default: true }] },
      { url: at('bottom.mp4'), ...burn, caption_url: at('a.srt') },
      { url: at('none.mp4'), ...burn },
      { url: at('copied.mp4'), ...burn, copy_video: true },
    ];
    const id = await daemon.create({ input: at('in.mp4'), outputs });
    const { state, output_media_files: made } = await daemon.waitForJob(id);
    assert.is(state, 'finished', JSON.stringify(made.map(({ error_message }) => error_message)));
    const [top, bottom] = [
      { upper: range(10, 20), lower: [] },
      { upper: [], lower: range(10, 20) },
    ];
    assert.equal(await brightFrames(join(folder, 'drawn.mp4')), bottom);
    assert.equal(await brightFrames(join(folder, 'top.mp4')), top);
    assert.equal(await brightFrames(join(folder, 'bottom.mp4')), bottom);
    assert.equal(made[4]?.warnings, ['There are no subtitles that can be burned into the video.']);
  } finally {
    await daemon.stop();
  }
});

test.run();
