import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestDaemon } from '../helpers/daemon.js';
import { film, makeMedia, testFfmpeg } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';
import { cuesOf, imageSubtitle, subtitleStreams } from './captions-harness.js';
import { buildPaths, startShipped } from './shipped-run.js';

const run = promisify(execFile);

const english = `1
00:00:00,200 --> 00:00:00,900
Hello <i>world</i> & a < b

2
00:00:00,700 --> 00:00:01,600
two {x}
lines, é 日本

3
00:00:01,800 --> 00:00:02,700
last
`;

const french = `WEBVTT

00:00.300 --> 00:01.100 line:0
Bonjour &amp; salut

00:01.500 --> 00:02.500
<b>fin</b>
`;

const styled = `[Script Info]
ScriptType: v4.00+

[V4+ Styles]
Format: Name, Fontname, Fontsize, PrimaryColour, SecondaryColour, OutlineColour, BackColour, Bold, Italic, Underline, StrikeOut, ScaleX, ScaleY, Spacing, Angle, BorderStyle, Outline, Shadow, Alignment, MarginL, MarginR, MarginV, Encoding
Style: Big,Arial,40,&H0000FF,&Hffffff,&H0,&H0,0,0,0,0,100,100,0,0,1,1,0,8,10,10,10,0

[Events]
Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text
Dialogue: 0,0:00:00.50,0:00:01.50,Big,,0,0,0,,{\\i1}Red{\\i0}, top\\Nline
`;

/** A film of 3 s with three tracks of subtitles: SubRip, WebVTT and ASS. */
async function subtitledFilm(folder: string): Promise<string> {
  const plain = join(folder, 'plain.mkv');
  // FLAC starts at time 0; AAC begins earlier, and would delay the video.
  await makeMedia(plain, [...film('160x120', 3), '-c:a', 'flac']);
  const files = { 'a.srt': english, 'b.vtt': french, 'c.ass': styled };
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  const path = join(folder, 'in.mkv');
  await run((await testFfmpeg()).ffmpeg.path, [
    ...[
      '-v',
      'error',
      '-y',
      '-i',
      plain,
      ...Object.keys(files).flatMap((name) => ['-i', join(folder, name)]),
    ],
    ...['-map', '0', '-map', '1', '-map', '2', '-map', '3', '-c', 'copy'],
    ...['-metadata:s:s:0', 'language=eng', '-metadata:s:s:0', 'title=English (SDH)'],
    ...['-disposition:s:0', 'hearing_impaired', '-metadata:s:s:1', 'language=fre'],
    ...['-disposition:s:1', 'default+forced', '-disposition:s:2', '0', path],
  ]);
  return path;
}

const englishCues = [
  [200, 900, 'Hello world & a < b'],
  [700, 1600, 'two {x}\nlines, é 日本'],
  [1800, 2700, 'last'],
] as const;

for (const [build, path] of await buildPaths()) {
  test(`subtitles of the input are kept with times, texts, languages and uses (${build})`, async () => {
    const folder = tempFolder();
    const input = await subtitledFilm(folder);
    const encoder = await startShipped(path);
    try {
      for (const [name, codecs, settings] of [
        ['out.mkv', ['subrip', 'subrip', 'ass'], {}],
        ['out.mp4', ['mov_text', 'mov_text', 'mov_text'], {}],
        ['out.mov', ['mov_text', 'mov_text', 'mov_text'], {}],
        ['out.webm', ['webvtt', 'webvtt', 'webvtt'], { speed: 5, width: 64 }],
        ['two.mp4', ['mov_text', 'mov_text', 'mov_text'], { video_bitrate: 100, onepass: false }],
        ['copied.mp4', ['mov_text', 'mov_text', 'mov_text'], { copy_video: true }],
      ] as const) {
        const made = await encoder.encoded(input, settings, name);
        assert.is(made.job.state, 'finished', made.job.output_media_files[0]?.error_message ?? '');
        const streams = await subtitleStreams(made.path);
        assert.equal(
          streams.map(({ codec }) => codec),
          codecs,
          name,
        );
        assert.equal(
          streams.map(({ dispositions }) => dispositions.includes('default')),
          [false, true, false],
        );
        const hasLanguages = !name.endsWith('.mov');
        if (hasLanguages)
          assert.equal(
            streams.map(({ language }) => language),
            ['eng', /webm|mkv/.test(name) ? 'fra' : 'fra', null],
            name,
          );
        if (!name.endsWith('.mov')) assert.is(streams[0]?.title, 'English (SDH)', name);
        if (name.endsWith('.mkv'))
          assert.ok(
            streams[1]?.dispositions.includes('forced') && streams[1].dispositions.includes('default'),
          );
        const cues = await cuesOf(made.path, 0);
        // The samples of MP4 do not overlap: two cues at once are one sample.
        const expected = codecs[0] === 'mov_text' ? flattened : englishCues;
        assert.equal(cues, expected, name);
        assert.equal(
          (await cuesOf(made.path, 2)).map(([, , text]) => text),
          ['Red, top\nline'],
          name,
        );
      }
    } finally {
      await encoder.end();
    }
  });
}

const kept = 'only bold, italic and underlined text is kept.';
const placeLost = (extension: string) =>
  `The captions in stream 3 of the input (fre) lost colours, fonts or places: in ${extension}, ${kept}`;
const styleLost = `The captions in stream 4 of the input lost colours, fonts or places: in .mp4, ${kept}`;

test('outputs that are encoded together keep subtitles, and those without tracks say so', async () => {
  const folder = tempFolder();
  const input = await subtitledFilm(folder);
  const daemon = await startTestDaemon({ filesRoots: [folder] });
  const to = (name: string) => ({ url: `file://${folder}/out/${name}`, speed: 5 });
  try {
    const twoPasses = { video_bitrate: 100, onepass: false };
    const id = await daemon.create({
      input: `file://${input}`,
      outputs: [
        { ...to('large.mp4'), ...twoPasses, label: 'large' },
        { ...to('small.mkv'), ...twoPasses, width: 80 },
        { ...to('other.mp4'), ...twoPasses, width: 64 },
        { ...to('again.mp4'), source: 'large', start_clip: 0.6 },
        { ...to('none.ts') },
        { ...to('skipped.mp4'), skip_captions: true },
        { ...to('dropped.mkv'), subtitles: 'drop' },
        { ...to('audio.m4a') },
      ],
    });
    const { state, output_media_files: outputs } = await daemon.waitForJob(id);
    assert.is(state, 'finished', JSON.stringify(outputs.map(({ error_message }) => error_message)));
    const counts = await Promise.all(
      ['large.mp4', 'small.mkv', 'other.mp4', 'again.mp4', 'none.ts', 'skipped.mp4', 'dropped.mkv'].map(
        async (name) => (await subtitleStreams(join(folder, 'out', name))).length,
      ),
    );
    assert.equal(counts, [3, 3, 3, 3, 0, 0, 0]);
    assert.equal(await cuesOf(join(folder, 'out', 'small.mkv'), 0), englishCues);
    assert.equal(await cuesOf(join(folder, 'out', 'other.mp4'), 0), flattened);
    assert.equal(await cuesOf(join(folder, 'out', 'again.mp4'), 0), [
      [0, 100, 'Hello world & a < b'],
      [100, 300, 'Hello world & a < b\ntwo {x}\nlines, é 日本'],
      [300, 1000, 'two {x}\nlines, é 日本'],
      [1200, 2100, 'last'],
    ]);
    assert.equal(
      outputs.map(({ warnings = [] }) => warnings.join()),
      [
        [placeLost('.mp4'), styleLost].join(),
        placeLost('.mkv'),
        [placeLost('.mp4'), styleLost].join(),
        '',
        'The subtitles of the input were left out: .ts has no tracks for them.',
        ...['', '', ''],
      ],
    );
  } finally {
    await daemon.stop();
  }
});

test('a clip cuts and shifts the subtitles of the input', async () => {
  const folder = tempFolder();
  const input = await subtitledFilm(folder);
  const daemon = await startTestDaemon({ filesRoots: [folder] });
  try {
    const id = await daemon.create({
      input: `file://${input}`,
      outputs: [{ url: `file://${folder}/clip.mkv`, start_clip: 0.8, clip_length: 1.4, speed: 5 }],
    });
    const { state } = await daemon.waitForJob(id);
    assert.is(state, 'finished');
    // A clip of Matroska starts up to 2 ms early, because the time of its first frame is rounded.
    assert.equal(await cuesOf(join(folder, 'clip.mkv'), 0), [
      [0, 102, 'Hello world & a < b'],
      [0, 802, 'two {x}\nlines, é 日本'],
      [1002, 1400, 'last'],
    ]);
    assert.equal(await cuesOf(join(folder, 'clip.mkv'), 1), [
      [0, 302, 'Bonjour & salut'],
      [702, 1400, 'fin'],
    ]);
    assert.equal(await cuesOf(join(folder, 'clip.mkv'), 2), [[0, 700, 'Red, top\nline']]);
  } finally {
    await daemon.stop();
  }
});

test('subtitles that are images are copied into Matroska and left out elsewhere', async () => {
  const folder = tempFolder();
  const [plain, input] = [join(folder, 'plain.mkv'), join(folder, 'in.mkv')];
  await makeMedia(plain, film('160x120', 2));
  await writeFile(join(folder, 'a.sup'), imageSubtitle(500, 1500));
  const { ffmpeg } = await testFfmpeg();
  const sources = ['-i', plain, '-i', join(folder, 'a.sup'), '-map', '0', '-map', '1', '-c', 'copy'];
  await run(ffmpeg.path, ['-v', 'error', ...sources, '-metadata:s:s:0', 'language=ger', input]);
  const daemon = await startTestDaemon({ filesRoots: [folder] });
  try {
    const urls = ['out.mkv', 'out.mp4'].map((name) => ({ url: `file://${folder}/${name}` }));
    const id = await daemon.create({ input: `file://${input}`, outputs: urls });
    const { state, output_media_files: outputs } = await daemon.waitForJob(id);
    assert.is(state, 'finished');
    const kept = await subtitleStreams(join(folder, 'out.mkv'));
    assert.equal(
      kept.map(({ codec, language }) => [codec, language]),
      [['hdmv_pgs_subtitle', 'deu']],
    );
    assert.equal(await subtitleStreams(join(folder, 'out.mp4')), []);
    assert.equal(
      outputs.map(({ warnings = [] }) => warnings.join()),
      [
        '',
        'The subtitles in stream 2 of the input (hdmv_pgs_subtitle) were left out: they are images, which .mp4 does not support; .mkv keeps them, and subtitles: burn draws one track.',
      ],
    );
  } finally {
    await daemon.stop();
  }
});

const flattened = [
  [200, 700, 'Hello world & a < b'],
  [700, 900, 'Hello world & a < b\ntwo {x}\nlines, é 日本'],
  [900, 1600, 'two {x}\nlines, é 日本'],
  [1800, 2700, 'last'],
];

test.run();
