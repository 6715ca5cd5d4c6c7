import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { film, media, testFfmpeg, testTone } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';
import { probed } from './decoded-media.js';
import { makerIn, type ShippedEncoder, startShipped, warningsOf } from './shipped-run.js';

/* Still images next to a video, and what an input has and its output has not. */

const folder = tempFolder();
const { ffmpeg } = await testFfmpeg();

const made = makerIn(folder);

const videoOf = async (path: string) => {
  const args = ['-select_streams', 'v', '-count_frames', '-show_entries', 'stream=width,nb_read_frames'];
  return (await probed(path, args)).map((row) => row.join(' '));
};

const test = suite<{ encoder: ShippedEncoder }>('left out of field inputs');
test.before(async (context) => {
  context.encoder = await startShipped(ffmpeg.path);
});
test.after(({ encoder }) => encoder.end());

const still = ['-f', 'lavfi', '-i', 'testsrc=size=320x240:rate=1:duration=1'] as const;
const frames = ['-f', 'lavfi', '-i', 'testsrc2=size=64x48:rate=10:duration=2'] as const;
const x264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p'] as const;

for (const [name, args] of [
  [
    'first.mkv',
    [
      ...still,
      ...frames,
      '-map',
      '0',
      '-map',
      '1',
      ...x264,
      '-c:v:0',
      'mjpeg',
      '-pix_fmt:v:0',
      'yuvj420p',
      '-disposition:v:0',
      'default',
    ],
  ],
  ['last.mkv', [...still, ...frames, '-map', '1', '-map', '0', ...x264, '-disposition:v:1', 'default']],
  ['first.mp4', [...still, ...frames, '-map', '0', '-map', '1', ...x264, '-disposition:v:0', 'default']],
  ['first.ts', [...still, ...frames, '-map', '0', '-map', '1', ...x264]],
] as const) {
  test(`a still image next to a video is not the video: ${name}`, async ({ encoder }) => {
    const result = await encoder.encoded(await made(name, ...args));
    assert.match(
      warningsOf(result).join(' '),
      /^The video in stream \d \(\w+\) of the input was left out: it is a still image\.$/,
    );
    assert.equal(await videoOf(result.path), ['64 20']);
  });
}

test('a file whose only video is a single frame is encoded', async ({ encoder }) => {
  const result = await encoder.encoded(await made('still.mkv', ...still, ...testTone(1), ...x264));
  assert.equal(warningsOf(result), []);
  assert.equal(await videoOf(result.path), ['320 1']);
});

test('an animated PNG is a video', async ({ encoder }) => {
  const result = await encoder.encoded(await made('five.png', ...frames, '-frames:v', '5', '-f', 'apng'));
  assert.equal(warningsOf(result), []);
  assert.equal(await videoOf(result.path), ['64 5']);
  const { job } = await encoder.encoded(await made('one.png', ...frames, '-frames:v', '1', '-f', 'apng'));
  assert.match(JSON.stringify(job), /The file is a still image/);
});

for (const name of ['clip.mp4', 'clip.mkv', 'clip.ts', 'clip.webm', 'audio.mp3'] as const) {
  test(`nothing of an ordinary file is left out: ${name}`, async ({ encoder }) => {
    const output = name === 'audio.mp3' ? 'out.m4a' : 'out.mp4';
    assert.equal(warningsOf(await encoder.encoded(await media(name), {}, output)), []);
  });
}

const chapters = async () => {
  const path = join(folder, 'chapters.txt');
  const chapter = (start: number) =>
    `[CHAPTER]\nTIMEBASE=1/1\nSTART=${start}\nEND=${start + 1}\ntitle=Part\n`;
  await writeFile(path, `;FFMETADATA1\ntitle=Holidays\nartist=Me\n${chapter(0)}${chapter(1)}`);
  return ['-i', path, '-map_metadata', '1', '-map_chapters', '1'];
};

for (const [settings, output, expected] of [
  [{}, 'out.mp4', []],
  [{ copy_video: true, copy_audio: true }, 'out.mkv', []],
  [
    { type: 'segmented' },
    'out.m3u8',
    [
      'The tags of the input were left out: title, artist (segments have no place for them).',
      'The 2 chapters of the input were left out: segments have no chapters.',
    ],
  ],
  [{ thumbnails: { number: 1 } }, 'out.webm', []],
  [
    {},
    'out.aac',
    [
      'The tags of the input were left out: title, artist (.aac files have no place for them).',
      'The 2 chapters of the input were left out: .aac files have no chapters.',
    ],
  ],
] as const) {
  test(`chapters and tags are named if ${JSON.stringify(settings)} leaves them out of ${output}`, async ({
    encoder,
  }) => {
    const source = ['-i', await media('clip.mp4')];
    const input = await made('tagged.mp4', ...source, ...(await chapters()), '-map', '0', '-c', 'copy');
    const warnings = warningsOf(await encoder.encoded(input, settings, output));
    assert.equal(
      warnings.filter((text) => /chapter|tags/.test(text)),
      expected,
    );
  });
}

test('cover images, attached files, timecode and other audio are named, one sentence for each kind', async ({
  encoder,
}) => {
  const font = join(folder, 'font.ttf');
  await writeFile(font, 'font');
  const attached = await made(
    'attached.mkv',
    ...[
      '-i',
      await media('clip.mkv'),
      '-attach',
      font,
      '-metadata:s:t',
      'mimetype=application/x-truetype-font',
    ],
    ...['-map', '0', '-map', '0:a', '-c', 'copy', '-metadata:s:a:1', 'language=deu'],
  );
  assert.equal(warningsOf(await encoder.encoded(attached)), [
    'Audio track 2 (deu) of the input was left out: an output has one audio track unless audio_tracks names others.',
    'The file attached to the input was left out: font.ttf (.mp4 has no place for it).',
  ]);
  assert.equal(warningsOf(await encoder.encoded(attached, { skip_audio: true })), [
    'The file attached to the input was left out: font.ttf (.mp4 has no place for it).',
  ]);
  const timecode = await made('timecode.mov', ...film('64x48', 1), '-timecode', '01:00:00:00');
  assert.equal(warningsOf(await encoder.encoded(timecode)), []);
  assert.equal(warningsOf(await encoder.encoded(timecode, {}, 'out.webm')), [
    'The data track of the input was left out: stream 2 (tmcd: timecode).',
  ]);
  const cover = await made(
    'cover.mp3',
    ...['-i', await media('audio.mp3'), ...still, '-map', '0', '-map', '1', '-c:a', 'copy', '-c:v', 'mjpeg'],
  );
  assert.equal(warningsOf(await encoder.encoded(cover, {}, 'out.oga')), [
    'The cover image of the input was left out: .oga has no place for it.',
  ]);
});

test.run();
