import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { MediaFacts } from '../../daemon/jobs/media.js';
import { plan } from '../../daemon/plan/plan.js';
import type { OutputSettings } from '../../src/shared/settings/index.js';
import { mediaFacts, newCapabilities, output, paths } from './facts.js';

const chapter = (startSeconds: number, endSeconds: number, title?: string) => ({
  startSeconds,
  endSeconds,
  ...(title === undefined ? {} : { title }),
});
const tag = (name: string, value: string) => ({ name, value });

const tagged = mediaFacts({
  tags: [
    tag('title', 'Holi=days; #1 \\ two\nlines'),
    tag('director', 'Me'),
    tag('location', '+52.5+013.4/'),
    tag('location.accuracy.horizontal', '5'),
    tag('creation_time', '2021-02-03T04:05:06.000000Z'),
  ],
  chapters: [chapter(0, 20, 'One'), chapter(20, 40), chapter(40, 60, 'Three')],
});

const planned = (settings: OutputSettings, filename = 'film.mkv', media: MediaFacts = tagged) =>
  plan([output(settings, filename)], media, paths, newCapabilities);

/** The lines of the file with the tags and chapters; null if there is none. */
function linesOf(settings: OutputSettings, filename?: string, media?: MediaFacts): readonly string[] | null {
  const [file] = planned(settings, filename, media).files;
  return file === undefined ? null : String(file.content).split('\n').slice(1, -1);
}

const warningsOf = (settings: OutputSettings, filename?: string, media?: MediaFacts) =>
  planned(settings, filename, media).products[0]?.warnings;

const locationWarning = 'The location in the tags of the input was left out (metadata: keep-all keeps it).';
const titleLines = ['title=Holi\\=days\\; \\#1 \\\\ two\\', 'lines'];
const timeLine = 'creation_time=2021-02-03T04:05:06.000000Z';
const chapterLines = (...chapters: readonly (readonly [number, number, string?])[]) =>
  chapters.flatMap(([start, end, title]) => [
    ...['[CHAPTER]', 'TIMEBASE=1/1000', `START=${start}`, `END=${end}`],
    ...(title === undefined ? [] : [`title=${title}`]),
  ]);
const allChapters = chapterLines([0, 20_000, 'One'], [20_000, 40_000], [40_000, 60_000, 'Three']);

test('tags and chapters are kept, and the location is not', () => {
  assert.equal(linesOf({}), [...titleLines, 'director=Me', timeLine, ...allChapters]);
  assert.equal(warningsOf({}), [locationWarning]);
});

test('chapters that begin after the end of the input are named', () => {
  const chapters = [chapter(0, 20, 'One'), chapter(70, 80, 'Late'), chapter(90, 95)];
  const media = mediaFacts({ durationSeconds: 60, chapters });
  assert.equal(linesOf({}, 'a.mkv', media), chapterLines([0, 20_000, 'One']));
  assert.equal(warningsOf({}, 'a.mkv', media), [
    'Chapters that begin after the end of the input were left out: Late, 3.',
  ]);
  assert.equal(warningsOf({ chapters: 'drop' }, 'a.mkv', media), []);
});

test('only a track with another timecode than that of the output is lost', () => {
  const track = (streamIndex: number, timecode: string) =>
    ({ streamIndex, kind: 'data', codec: 'tmcd', timecode }) as const;
  const tracks = [track(2, '10:00:00:00'), track(3, '10:00:00:00'), track(4, '01:00:00:00')];
  const media = mediaFacts({ timecode: '10:00:00:00', unused: { tracks } });
  const [product] = planned({}, 'film.mp4', media).products;
  assert.equal(
    product?.origins?.leftOut.map(({ reason }) => reason),
    ['its timecode is kept as a tag', 'its timecode is kept as a tag', 'an output has one timecode'],
  );
  assert.equal(product?.warnings, ['The data track of the input was left out: stream 4 (tmcd: timecode).']);
});

test('ffmpeg reads them from a file of their own, which nothing else can be read from', () => {
  const { steps, files } = planned({});
  const args = steps[0]?.args.join(' ') ?? '';
  assert.ok(args.includes(`-format_whitelist ffmetadata -f ffmetadata -i file:${files[0]?.path}`), args);
  assert.ok(args.includes('-map_metadata 1 -map_chapters 1'), args);
});

test('outputs that are encoded together have their own tags, and the first pass has none', () => {
  const settings = { video_bitrate: 800, onepass: false };
  const outputs = [
    { ...output({ ...settings, width: 640 }, 'a.mp4'), id: 1 },
    { ...output({ ...settings, width: 640, metadata: { title: 'B' } }, 'b.mkv'), id: 2 },
    { ...output({ ...settings, width: 640, metadata: 'drop', chapters: 'drop' }, 'c.mkv'), id: 3 },
  ] as const;
  const { steps, files } = plan(outputs, tagged, paths, newCapabilities);
  assert.equal(
    files.map(({ path }) => path),
    [`${paths.scratch}/metadata-1.txt`, `${paths.scratch}/metadata-2.txt`],
  );
  const maps = steps.map(({ args }) =>
    args.flatMap((arg, at) => (arg === '-map_metadata' ? [args[at + 1]] : [])),
  );
  assert.equal(maps.at(-1), ['1', '2', '-1']);
  assert.equal(maps[0], []);
});

test('metadata drops, keeps all and sets tags', () => {
  assert.equal(linesOf({ metadata: 'drop' }), allChapters);
  assert.equal(warningsOf({ metadata: 'drop' }), []);
  assert.equal(linesOf({ metadata: 'drop', chapters: 'drop' }), null);
  assert.equal(linesOf({ metadata: 'keep-all', chapters: 'drop' }), [
    ...titleLines,
    'director=Me',
    'location=+52.5+013.4/',
    'location.accuracy.horizontal=5',
    timeLine,
  ]);
  const set = { Title: 'Mine', director: '', location: '+1+2/', mood: 'good' };
  assert.equal(linesOf({ metadata: set, chapters: 'drop' }), [
    timeLine,
    'title=Mine',
    'location=+1+2/',
    'mood=good',
  ]);
});

test('the location and the owner are left out by any of their names, and others are not', () => {
  const names = ['GPSLatitude', 'geotag', 'location-eng', 'recording_location', 'longitude', 'account_id'];
  const others = ['george', 'geology', 'ownership', 'TBPM'];
  const media = mediaFacts({ tags: [...names, ...others].map((name) => tag(name, 'x')) });
  assert.equal(
    linesOf({}, 'a.mkv', media),
    others.map((name) => `${name}=x`),
  );
  assert.equal(warningsOf({}, 'a.mkv', media), [
    locationWarning,
    'The owner in the tags of the input was left out (metadata: keep-all keeps it).',
  ]);
  assert.equal(linesOf({ metadata: { tbpm: '', TKEY: 'Am' } }, 'a.mkv', media)?.at(-1), 'TKEY=Am');
  assert.is(linesOf({ metadata: { tbpm: '', TKEY: 'Am' } }, 'a.mkv', media)?.includes('TBPM=x'), false);
});

test('tags of the tracks and chapters of an output are named', () => {
  const trackTags = [
    { streamIndex: 0, name: 'mood' },
    { streamIndex: 9, name: 'other' },
    { chapter: 2, name: 'artist' },
  ];
  const media = mediaFacts({ chapters: [chapter(0, 60, 'One')], unused: { trackTags } });
  assert.equal(warningsOf({}, 'film.mkv', media), [
    'Tags of tracks and chapters of the input were left out: mood (stream 0), artist (chapter 2).',
  ]);
  assert.equal(warningsOf({ chapters: 'drop' }, 'film.mkv', media), [
    'Tags of tracks and chapters of the input were left out: mood (stream 0).',
  ]);
  assert.equal(warningsOf({ metadata: 'drop' }, 'film.mkv', media), []);
});

test('a warning names what the container has no place for', () => {
  const inMp4 = chapterLines([0, 20_000, 'One'], [20_000, 40_000, ''], [40_000, 60_000, 'Three']);
  assert.equal(linesOf({}, 'film.mp4'), [...titleLines, timeLine, ...inMp4]);
  assert.equal(warningsOf({ metadata: { mood: 'good' } }, 'film.mp4'), [
    locationWarning,
    'The tags of the input were left out: director (.mp4 files have no place for them).',
    'The tags of metadata were left out: mood (.mp4 files have no place for them).',
  ]);
  assert.equal(linesOf({}, 'film.ts'), null);
  assert.equal(warningsOf({}, 'film.ts'), [
    'The tags of the input were left out: title, director, location, location.accuracy.horizontal (.ts files have no place for them).',
    'The 3 chapters of the input were left out: .ts files have no chapters.',
  ]);
  assert.equal(linesOf({ type: 'segmented' }, 'film.m3u8'), null);
  assert.equal(warningsOf({ type: 'segmented', metadata: 'drop' }, 'film.m3u8'), [
    'The 3 chapters of the input were left out: segments have no chapters.',
  ]);
});

test('chapters of a clip are moved and shortened, and those beyond it are left out', () => {
  const clip = { start_clip: 30, clip_length: 20, metadata: 'drop' } as const;
  assert.equal(linesOf(clip), chapterLines([0, 10_000], [10_000, 20_000, 'Three']));
  assert.equal(linesOf({ ...clip, clip_length: 5 }), chapterLines([0, 5000]));
});

test('chapters that overlap, have no length or begin after the end are put in order', () => {
  const media = mediaFacts({
    chapters: [chapter(0, 50, 'A'), chapter(10, 10, 'B'), chapter(30, 90, 'C'), chapter(70, 80, 'D')],
  });
  assert.equal(
    linesOf({}, 'film.mp4', media),
    chapterLines([0, 10_000, 'A'], [10_000, 30_000, 'B'], [30_000, 60_000, 'C']),
  );
});

test('a chapter of an MP4 file that starts late keeps its time', () => {
  const media = mediaFacts({ chapters: [chapter(10, 60, 'A')] });
  assert.equal(linesOf({}, 'film.mp4', media), chapterLines([0, 10_000, ''], [10_000, 60_000, 'A']));
  assert.equal(linesOf({}, 'film.mkv', media), chapterLines([10_000, 60_000, 'A']));
});

test('a first chapter a few milliseconds after the start is at the start', () => {
  const media = mediaFacts({ chapters: [chapter(0.007, 20, 'One'), chapter(20, 40, 'Two')] });
  assert.equal(linesOf({}, 'film.mp4', media)?.slice(2, 5), ['START=0', 'END=20000', 'title=One']);
});

test('chapters beyond the limit, and marks that a copy cannot move, are named', () => {
  const some = mediaFacts({ chapters: [chapter(0, 60, 'One')], unused: { chapters: 500 } });
  assert.equal(warningsOf({}, 'film.mkv', some), [
    'Only the first 1 chapters of the input are kept: it has 500 more.',
  ]);
  const copy = warningsOf({ copy_video: true, start_clip: 10 }, 'film.mkv') ?? [];
  assert.ok(
    copy.includes('The chapters of the copy count from the requested start, not from that keyframe.'),
  );
});

test('an audio file has the tags of its film', () => {
  assert.equal(linesOf({}, 'film.mp3')?.slice(0, 2), titleLines);
  assert.equal(linesOf({}, 'film.wav'), titleLines);
});

test.run();
