import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  readChapters,
  readLabels,
  readTags,
  readTimecode,
  unreadableTags,
} from '../../daemon/ffmpeg/probe/read-tags.js';
import { readUnused } from '../../daemon/ffmpeg/probe/read-unused.js';

const read = (tags: object, format = 'mov,mp4') =>
  readTags({ format: { format_name: format, tags } }).tags.map(({ name, value }) => `${name}=${value}`);

test('tags of people and cameras are read, and those of programs are not', () => {
  const tags = {
    TITLE: 'Film',
    encoder: 'Lavf',
    major_brand: 'isom',
    creation_time: '2020',
    HANDLER_NAME: 'x',
  };
  assert.equal(read(tags), ['title=Film', 'creation_time=2020']);
});

test('a name is read once: without its language, and without the prefix of a program', () => {
  assert.equal(read({ 'title-deu': 'Ferien', title: 'Ferien' }), ['title=Ferien']);
  assert.equal(read({ 'location-eng': '+1+2/' }), ['location=+1+2/']);
  assert.equal(
    read({
      ...{ 'com.apple.quicktime.make': 'Apple', 'com.apple.quicktime.location.ISO6709': '+1+2/', make: '' },
      ...{ 'com.apple.quicktime.creationdate': '2020', 'com.apple.quicktime.camera.lens_model': 'back' },
      ...{ 'com.apple.quicktime.software': '17.1', 'com.android.model': 'P', 'com.android.version': '9' },
    }),
    ['make=Apple', 'location=+1+2/', 'date=2020', 'camera.lens_model=back', 'model=P'],
  );
  const targets = { 'COLLECTION/TITLE': 'All', 'MOVIE/TITLE': 'One', 'ALBUM/TITLE': 'Songs' };
  assert.equal(read(targets, 'matroska,webm'), ['collection/title=All', 'title=One', 'album=Songs']);
});

test('another value for a name keeps its language or prefix', () => {
  const languages = { 'TITLE-fre': 'Vacances', 'TITLE-ger': 'Ferien', TITLE: 'Ferien' };
  assert.equal(read(languages, 'matroska,webm'), ['title=Ferien', 'title-fre=Vacances']);
  assert.equal(read({ 'com.apple.quicktime.make': 'A', make: 'B' }), [
    'make=B',
    'com.apple.quicktime.make=A',
  ]);
  const lyrics = { 'lyrics-eng': 'One', 'lyrics-deu': 'Eins', 'x-eng': 'y' };
  assert.equal(read(lyrics, 'mp3'), ['x-eng=y', 'lyrics=One', 'lyrics-deu=Eins']);
  const others = { 'rip-log': 'a', 'rip-crc': 'b', 'part-one': 'c' };
  assert.equal(read(others, 'matroska,webm'), ['rip-log=a', 'rip-crc=b', 'part-one=c']);
});

test('names that begin or end like technical ones are read', () => {
  const names = ['lastname', 'font size', 'hashtag', 'total discs', 'software', 'language', 'coding_history'];
  assert.equal(
    read(Object.fromEntries(names.map((name) => [name, 'x'])), 'wav'),
    names.map((name) => `${name}=x`),
  );
  const technical = [
    'lasttimestamp',
    'hasKeyframes',
    'BPS-eng',
    '_STATISTICS_TAGS',
    'operational_pattern_ul',
  ];
  assert.equal(read(Object.fromEntries(technical.map((name) => [name, 'x'])), 'matroska,webm'), []);
});

test('names of ID3, WAV and Windows Media files keep their case', () => {
  assert.equal(read({ TBPM: '120', TITLE: 'a' }, 'mp3'), ['TBPM=120', 'title=a']);
  assert.equal(read({ 'WM/ParentalRating': '6' }, 'asf'), ['WM/ParentalRating=6']);
  assert.equal(read({ TOOL: 'x' }, 'matroska,webm'), ['tool=x']);
});

test('Ogg has its tags in its streams', () => {
  const stream = (index: number, tags: object) => ({ index, codec_type: 'audio', tags });
  const json = {
    format: { format_name: 'ogg' },
    streams: [stream(0, { ARTIST: 'Me', LANGUAGE: 'eng' }), stream(1, { ARTIST: 'B' })],
  };
  assert.equal(readTags(json), {
    tags: [{ name: 'artist', value: 'Me' }],
    tooLong: [],
    ofTracks: [{ streamIndex: 1, name: 'artist' }],
  });
});

test('tags of tracks and chapters are named, except titles, languages and statistics', () => {
  const tags = { title: 'A', language: 'eng', MOOD: 'x', 'BPS-eng': '1', HANDLER_NAME: 'y', ENCODER: 'z' };
  const json = {
    format: { format_name: 'matroska,webm' },
    streams: ['video', 'attachment'].map((codec_type, index) => ({ index, codec_type, tags })),
    chapters: [{ tags: { title: 'One' } }, { tags: { title: 'Two', ARTIST: 'Me' } }],
  };
  assert.equal(readTags(json).ofTracks, [
    { streamIndex: 0, name: 'mood' },
    { chapter: 2, name: 'artist' },
  ]);
});

test('control characters and what could not be a name are removed', () => {
  assert.equal(read({ 'a=b;\u0000[x': 'one\r\ntwo\u0000\u001b[31m\ud800' }), ['ab[x=one\ntwo[31m']);
  assert.equal(read({ '\u0000': 'x', b: '\u0000' }), []);
});

test('tags that are too long or too many are named', () => {
  const many = Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`t${index}`, 'x']));
  assert.equal(readTags({ format: { tags: { ...many, a: 'x'.repeat(20_000) } } }).tooLong, ['t100', 'a']);
});

test('tags that ffmpeg skipped are named', () => {
  const line = (frame: string) => `Incorrect BOM value\nError reading frame ${frame}, skipped\n`;
  assert.equal(unreadableTags({}, ['TIT2', 'TSSE', 'TIT2', 'TXXX'].map(line).join('')), ['title', 'txxx']);
});

test('a language is a code, also if the file declares it in another form, and others are named', () => {
  const streams = ['en_US', 'German', 'Klingonese', 'und'].map((language, index) => ({
    ...{ index, codec_type: 'audio', codec_name: 'aac', channels: 2, sample_rate: '48000' },
    tags: { language },
  }));
  assert.equal(streams.map(readLabels), [{ language: 'en-US' }, { language: 'deu' }, {}, {}]);
  const used = { used: new Set([0, 1, 2, 3]), longTags: [], unreadable: [], trackTags: [] };
  const measured = { stills: new Set<number>(), empty: new Set<number>() };
  assert.equal(readUnused({}, { streams, programs: null }, { ...used, ...measured }), {
    languages: [{ streamIndex: 2, text: 'Klingonese' }],
  });
});

test('chapters are in the order of their times, which count from the start of the file', () => {
  const chapters = [
    { start_time: '12.5', end_time: '20', tags: { title: 'B\u0000' } },
    { start_time: '2.5', end_time: '12.5', tags: { title: 'A' } },
    { start_time: 'N/A', end_time: '1' },
    { start_time: '20' },
  ];
  assert.equal(readChapters({ format: { start_time: '2.5' }, chapters }), [
    { startSeconds: 0, endSeconds: 10, title: 'A' },
    { startSeconds: 10, endSeconds: 17.5, title: 'B' },
    { startSeconds: 17.5, endSeconds: 17.5 },
  ]);
});

test('a timecode is that of a track, or of the file', () => {
  const tags = (timecode: string) => ({ tags: { TIMECODE: timecode } });
  assert.is(readTimecode({ streams: [{}, tags('01:00:00;00')], format: tags('02:00:00:00') }), '01:00:00;00');
  assert.is(readTimecode({ streams: [tags('-i')], format: tags('02:00:00:00') }), '02:00:00:00');
  assert.is(readTimecode({ streams: [{}] }), null);
});

test.run();
