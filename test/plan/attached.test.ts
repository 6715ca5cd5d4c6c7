import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { MediaFacts } from '../../daemon/jobs/media.js';
import { plan } from '../../daemon/plan/plan.js';
import type { CoverImage } from '../../daemon/plan/plan-types.js';
import type { OutputSettings } from '../../src/shared/settings/index.js';
import { mediaFacts, newCapabilities, output, paths } from './facts.js';

const image = (path: string, over: Partial<CoverImage> = {}): CoverImage => ({
  ...{
    path,
    sizeBytes: 1000,
    format: 'jpg',
    streamIndex: null,
    fileName: 'cover.jpg',
    title: null,
    shows: null,
  },
  ...over,
});
const images = [
  image('/scratch/cover-1.jpg', { streamIndex: 2, title: 'Band', shows: 'Artist' }),
  image('/scratch/cover-2.png', { format: 'png', streamIndex: 3, fileName: 'back.png' }),
];
const song = mediaFacts({
  covers: [
    { streamIndex: 2, codec: 'mjpeg' },
    { streamIndex: 3, codec: 'png' },
  ],
});
const font = { streamIndex: 4, codec: 'ttf', fileName: '-i x.ttf', mimeType: 'font/ttf' };
const fonts = mediaFacts({ attachments: [font, { streamIndex: 5, codec: 'otf' }] });

const planned = (settings: OutputSettings, filename: string, media: MediaFacts = song) =>
  plan([{ ...output(settings, filename), covers: { images, warnings: [] } }], media, paths, newCapabilities);
const lineOf = (settings: OutputSettings, filename: string, media?: MediaFacts) =>
  planned(settings, filename, media).steps.at(-1)?.args.join(' ') ?? '';
const warningsOf = (settings: OutputSettings, filename: string, media?: MediaFacts) =>
  planned(settings, filename, media).products[0]?.warnings;

const inputs =
  '-protocol_whitelist file,pipe -format_whitelist image2 -f image2 -pattern_type none -i file:/scratch/cover-1.jpg ' +
  '-protocol_whitelist file,pipe -format_whitelist image2 -f image2 -pattern_type none -i file:/scratch/cover-2.png';

test('cover images follow the tracks of a film, whose options are those of its video only', () => {
  const line = lineOf({}, 'film.mp4');
  assert.ok(line.includes(inputs), line);
  assert.ok(line.includes('-map 1:0 -map 2:0'), line);
  assert.ok(line.includes('-c:v:0 libx264'), line);
  assert.not.match(line.slice(line.indexOf('-map')), /-[a-z_]+:v /);
  const art =
    '-c:v:1 copy -disposition:v:1 attached_pic -metadata:s:v:1 title=Band -metadata:s:v:1 comment=Artist ' +
    '-c:v:2 copy -disposition:v:2 attached_pic -metadata:s:v:2 comment=Cover (front)';
  assert.ok(line.includes(art), line);
  assert.is(planned({}, 'film.mp4').products[0]?.covers, 2);
});

test('the timecode of a film with cover images is that of its video', () => {
  const media = { ...song, timecode: '10:00:00:00' };
  const argument = '-metadata:s:v:0 timecode=10:00:00:00';
  const constant = { constant_frame_rate: true, frame_rate: 25 };
  assert.ok(lineOf(constant, 'film.mp4', media).includes(argument));
  assert.ok(lineOf({ copy: true }, 'film.mp4', media).includes(argument));
  assert.equal(planned(constant, 'film.mp4', media).files, [
    { path: '/scratch/metadata-7.txt', content: ';FFMETADATA1\n', holds: 'metadata' },
  ]);
  // ffmpeg 7.0 would lose it with these times of frames.
  assert.not.ok(lineOf({}, 'film.mp4', media).includes(argument));
  assert.not.match(lineOf({}, 'film.mkv', media), /timecode=/);
});

test('without video they are the only streams of video', () => {
  for (const name of ['song.mp3', 'song.m4a'])
    assert.match(lineOf({}, name), /-map 1:0 -map 2:0 .*-c:v:0 copy -disposition:v:0 attached_pic/);
});

test('Matroska stores them as files, with their names and types', () => {
  const line = lineOf({}, 'film.mkv');
  const files =
    '-attach file:/scratch/cover-1.jpg -attach file:/scratch/cover-2.png ' +
    '-metadata:s:t:0 filename=cover.jpg -metadata:s:t:0 mimetype=image/jpeg ' +
    '-metadata:s:t:1 filename=back.png -metadata:s:t:1 mimetype=image/png';
  assert.ok(line.includes(files), line);
  assert.not.ok(line.includes('image2'), line);
  assert.ok(line.includes('-c:v libx264'), line);
});

test('files in the input are copied into Matroska, in front of cover images', () => {
  const line = lineOf({}, 'film.mkv', { ...song, ...fonts });
  assert.ok(line.includes('-map 0:4 -map 0:5'), line);
  const files =
    '-c:t copy -attach file:/scratch/cover-1.jpg -attach file:/scratch/cover-2.png ' +
    '-metadata:s:t:0 filename=-i x.ttf -metadata:s:t:0 mimetype=font/ttf ' +
    '-metadata:s:t:1 filename=attachment-5 -metadata:s:t:1 mimetype=application/vnd.ms-opentype ' +
    '-metadata:s:t:2 filename=cover.jpg';
  assert.ok(line.includes(files), line);
  assert.is(planned({}, 'film.mkv', fonts).products[0]?.attachments, 2);
});

test('a clip delays them by what is read before it', () => {
  // A programme stream is read from its start.
  const line = lineOf({ start_clip: 10 }, 'film.mp4', { ...song, format: 'mpeg-ps' });
  assert.match(line, /-itsoffset 10 -i file:\/scratch\/cover-1\.jpg .* -ss 10 /);
  assert.not.match(lineOf({ start_clip: 10 }, 'film.mp4'), /itsoffset/);
});

test('a first pass of one output has none, and that of several has the same streams as the second', () => {
  const passes = { video_bitrate: 500, onepass: false } as const;
  assert.not.ok(planned(passes, 'film.mp4').steps[0]?.args.includes('image2'));
  const outputs = ['a.mp4', 'b.mkv', 'c.m4a'].map((filename, index) => ({
    ...output({ ...passes, width: 640 }, filename),
    ...{ id: index + 1, covers: { images, warnings: [] } },
  }));
  const { steps } = plan(outputs, { ...song, ...fonts }, paths, newCapabilities);
  const maps = steps.map(({ args }) => args.flatMap((arg, at) => (arg === '-map' ? [args[at + 1]] : [])));
  assert.is(maps.length, 2);
  assert.equal(maps[0], maps[1]);
  assert.equal(maps[1], ['[v0]', '0:1', '1:0', '2:0', '[v1]', '0:1', '0:4', '0:5', '0:1', '3:0', '4:0']);
});

test('containers without a place for them have a warning', () => {
  const two = (where: string) => [`The cover images of the input were left out: ${where} no place for them.`];
  assert.equal(warningsOf({}, 'film.mov'), two('.mov has'));
  assert.equal(warningsOf({}, 'film.webm'), two('.webm has'));
  assert.equal(warningsOf({ type: 'segmented' }, 'film.m3u8'), two('segments have'));
  assert.equal(warningsOf({ hint: true }, 'film.mp4'), two('a file with hint tracks has'));
  assert.equal(warningsOf({ cover: 'drop' }, 'film.mov'), []);
  assert.not.ok(lineOf({ hint: true }, 'film.mp4').includes('image2'));
  assert.equal(warningsOf({}, 'film.mp4', fonts), [
    'The files attached to the input were left out: -i x.ttf, otf in stream 5 (.mp4 has no place for them).',
  ]);
});

test('fonts are used for captions that are drawn, and then are no loss', () => {
  const media = mediaFacts({ ...fonts, subtitles: [{ streamIndex: 2, codec: 'ass' }] });
  const cue = { startMs: 0, endMs: 1000, spans: [{ text: 'Hello' }] };
  const captions = [
    {
      ...{ captions: { syntax: 'ass', cues: [cue], language: null, warnings: [] } as const, streamIndex: 2 },
      ...{ language: null, title: null, dispositions: [] },
    },
  ];
  const burning = { ...output({ subtitles: 'burn' }), captions, fontsFolder: 'fonts-1' };
  const filters = new Set([...newCapabilities.filters, 'ass', 'subtitles']);
  const { steps, products } = plan([burning], media, paths, { ...newCapabilities, filters });
  assert.match(steps[0]?.args.join(' ') ?? '', /ass=burned-\d+\.ass:fontsdir=fonts-1/);
  assert.not.ok(products[0]?.warnings.some((text) => text.includes('attached')));
  assert.ok(
    products[0]?.origins?.leftOut.some(
      ({ reason }) => reason === 'it is a font of the captions in the video',
    ),
  );
});

test('the plan says which cover images and files an output has, and why it lacks others', () => {
  const media = mediaFacts({ ...song, ...fonts });
  const originsOf = (settings: OutputSettings, filename: string) =>
    planned(settings, filename, media).products[0]?.origins;
  const kept = originsOf({}, 'film.mkv');
  assert.equal(kept?.covers, [2, 3]);
  assert.equal(kept?.attachments, [4, 5]);
  const reasons = (settings: OutputSettings, filename: string) =>
    originsOf(settings, filename)?.leftOut.map(({ kind, reason }) => `${kind}: ${reason}`);
  assert.equal(reasons({ cover: 'drop' }, 'film.mov'), [
    ...Array<string>(2).fill('cover: the request drops covers'),
    ...Array<string>(2).fill('attachment: .mov has no place for attached files'),
  ]);
  assert.equal(reasons({}, 'film.mov')?.[0], 'cover: .mov has no place for it');
});

test.run();
