import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readChapters, readTags, readTimecode, unreadableTags } from '../../daemon/ffmpeg/probe/read-tags.js';

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

test('a name is read once: without its language, and without the prefix of QuickTime', () => {
  assert.equal(read({ 'title-deu': 'Ferien', title: 'Holidays' }), ['title=Holidays']);
  assert.equal(read({ 'location-eng': '+1+2/' }), ['location=+1+2/']);
  assert.equal(
    read({ 'com.apple.quicktime.make': 'Apple', 'com.apple.quicktime.location.ISO6709': '+1+2/', make: '' }),
    ['make=Apple', 'location=+1+2/'],
  );
});

test('Ogg has its tags in its streams', () => {
  const json = {
    format: { format_name: 'ogg' },
    streams: [{ tags: { ARTIST: 'Me' } }, { tags: { ARTIST: 'B' } }],
  };
  assert.equal(readTags(json).tags, [{ name: 'artist', value: 'Me' }]);
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
  assert.equal(unreadableTags(['TIT2', 'TSSE', 'TIT2', 'TXXX'].map(line).join('')), ['title', 'txxx']);
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
