import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type ProbeOutput, validateProbe } from '../../daemon/ffmpeg/probe/validate-probe.js';

const video = {
  index: 0,
  codec_type: 'video',
  codec_name: 'h264',
  codec_tag_string: 'avc1',
  width: 640,
  height: 360,
  r_frame_rate: '25/1',
  avg_frame_rate: '25/1',
};
const audioStream = { index: 1, codec_type: 'audio', codec_name: 'aac', channels: 2, sample_rate: '48000' };
const mp4 = {
  format_name: 'mov,mp4,m4a,3gp,3g2,mj2',
  duration: '10.000000',
  bit_rate: '800400',
  probe_score: 100,
};

function validate(json: object, more: Partial<ProbeOutput> = {}) {
  const output = { head: Buffer.alloc(16), sizeBytes: 1_000_000, stderr: '', json: JSON.stringify(json) };
  return validateProbe({ ...output, ...more });
}

function mediaOf(json: object, more: Partial<ProbeOutput> = {}) {
  const validation = validate(json, more);
  if ('failure' in validation) throw new Error(validation.failure.message);
  return validation.media;
}

test('a film is read with its container, duration, rate and both streams', () => {
  const media = mediaOf({ format: mp4, streams: [video, audioStream] });
  assert.is(media.format, 'mpeg4');
  assert.is(media.durationSeconds, 10);
  assert.is(media.totalBitrateKbps, 800);
  assert.is(media.video?.width, 640);
  assert.equal(media.audio, {
    streamIndex: 1,
    codec: 'aac',
    channels: 2,
    sampleRate: 48000,
    bitrateKbps: null,
    durationSeconds: null,
    startSeconds: null,
  });
});

test('the default audio track is chosen, else the first usable one', () => {
  const other = { ...audioStream, index: 2, disposition: { default: 1 } };
  const silent = { ...audioStream, index: 0, channels: 0 };
  assert.is(mediaOf({ format: mp4, streams: [audioStream, other] }).audio?.streamIndex, 2);
  assert.is(mediaOf({ format: mp4, streams: [silent, audioStream] }).audio?.streamIndex, 1);
});

for (const [what, fields, words] of [
  ['a sample rate of 1 Hz', { sample_rate: '1' }, /sample rate of 1 Hz/],
  ['a sample rate of 2 GHz', { sample_rate: '2147483647' }, /sample rate of 2147483647 Hz/],
  ['65,535 channels', { channels: 65_535 }, /65535 channels/],
] as const) {
  test(`audio with ${what} is not supported`, () => {
    const validation = validate({ format: mp4, streams: [video, { ...audioStream, ...fields }] });
    assert.ok('failure' in validation);
    assert.is(validation.failure.errorClass, 'UnsupportedInputError');
    assert.match(validation.failure.message, words);
  });
}

test('duration and bitrate come from the streams and the size if the container has none', () => {
  const format = { format_name: 'flac', probe_score: 100 };
  const media = mediaOf({ format, streams: [{ ...audioStream, duration: '8.0' }] });
  assert.is(media.durationSeconds, 8);
  assert.is(media.totalBitrateKbps, 1000);
});

const ebml = (type: string) =>
  Buffer.from(
    `1a45dfa38b4282${(0x80 + type.length).toString(16)}${Buffer.from(type).toString('hex')}`,
    'hex',
  );
const words = [
  ['matroska,webm', ebml('webm'), 'webm'],
  ['matroska,webm', ebml('matroska'), 'matroska'],
  ['avi', Buffer.alloc(0), 'avi'],
  ['mpegts', Buffer.alloc(0), 'mpeg-ts'],
  ['asf', Buffer.alloc(0), 'asf'],
] as const;
for (const [name, head, word] of words) {
  test(`the format ${name} is named ${word}`, () => {
    assert.is(mediaOf({ format: { ...mp4, format_name: name }, streams: [video] }, { head }).format, word);
  });
}

const still = { ...video, codec_name: 'gif', nb_frames: '1' };
const oversized =
  '[mjpeg @ 0x1] [IMGUTILS @ 0x2] Picture size 12000x12000 exceeds specified max pixel count 36000000, see';
const rejected = [
  ['an encrypted track', { format: mp4, streams: [{ ...video, codec_tag_string: 'encv' }] }, '', 'encrypted'],
  [
    'a track whose packets are encrypted',
    { format: mp4, streams: [video], packets: [{ side_data_list: [{ side_data_type: 'Encryption info' }] }] },
    '',
    'encrypted',
  ],
  [
    'an encrypted Matroska track',
    { format: mp4, streams: [{ ...video, tags: { enc_key_id: 'x' } }] },
    '',
    'encrypted',
  ],
  [
    'a protected ASF',
    { format: mp4, streams: [video] },
    '[asf @ 0x1] DRM protected stream detected',
    'encrypted',
  ],
  ['a PNG', { format: { ...mp4, format_name: 'png_pipe' }, streams: [video] }, '', 'still image'],
  ['a GIF of one frame', { format: { ...mp4, format_name: 'gif' }, streams: [still] }, '', 'still image'],
  ['an AVIF', { format: { ...mp4, tags: { major_brand: 'avif' } }, streams: [still] }, '', 'still image'],
  ['a huge video', { format: mp4, streams: [{ ...video, width: 0, height: 0 }] }, oversized, '12000x12000'],
  [
    'a huge image with audio',
    { format: mp4, streams: [{ ...video, width: 0 }, audioStream] },
    oversized,
    '12000x12000',
  ],
  ['a huge image that stopped ffprobe', {}, oversized, '12000x12000'],
  [
    'a huge image that was parsed',
    { format: mp4, streams: [{ ...video, width: 7000, height: 6000 }] },
    '',
    '7000x6000',
  ],
  ['a playlist', {}, "[hls @ 0x1] Format not on whitelist 'mov'\n", 'playlist'],
  ['a sequence of images', {}, "[image2 @ 0x1] Format not on whitelist 'mov'\n", 'still image'],
  ['a format that is not on the list', {}, "[smk @ 0x1] Format not on whitelist 'mov'\n", 'format smk'],
  ['an unknown codec', { format: mp4, streams: [{ ...video, codec_name: 'unknown' }] }, '', 'codec'],
] as const;
for (const [what, json, stderr, word] of rejected) {
  test(`${what} is recognised and rejected`, () => {
    const validation = validate(json, { stderr });
    assert.ok('failure' in validation);
    assert.is(validation.failure.errorClass, 'UnsupportedInputError');
    assert.match(validation.failure.message, word);
  });
}

const nothing = [
  [
    'bytes without a meaning',
    {},
    'file:x: Invalid data found when processing input',
    'No known format was found',
  ],
  ['subtitles', {}, "[srt @ 0x1] Format not on whitelist 'mov'\n", 'plain text'],
  [
    'an uncertain format',
    {},
    "[sdx @ 0x1] Format sdx detected only with low score of 1, misdetection possible!\n[sdx @ 0x1] Format not on whitelist 'mov'\n",
    'No known format',
  ],
  [
    'a name that ends in .mp3',
    { format: { ...mp4, format_name: 'mp3', probe_score: 1 }, streams: [audioStream] },
    '',
    'No known format',
  ],
  [
    'data without video and audio',
    { format: mp4, streams: [{ index: 0, codec_type: 'data' }] },
    '',
    'no video and no audio',
  ],
  [
    'only cover art',
    { format: mp4, streams: [{ ...video, disposition: { attached_pic: 1 } }] },
    '',
    'no video',
  ],
] as const;
for (const [what, json, stderr, word] of nothing) {
  test(`${what} is not media`, () => {
    const validation = validate(json, { stderr });
    assert.ok('failure' in validation);
    assert.is(validation.failure.errorClass, 'NoMediaError');
    assert.match(validation.failure.message, word);
  });
}

test('output that is not JSON is not media and causes no crash', () => {
  const validation = validate({}, { json: '{"streams": [' });
  assert.ok('failure' in validation && validation.failure.errorClass === 'NoMediaError');
});

test('audio with cover art that is too large is accepted as audio', () => {
  const cover = { ...video, width: 0, height: 0, disposition: { attached_pic: 1 } };
  const media = mediaOf({ format: mp4, streams: [audioStream, cover] }, { stderr: oversized });
  assert.is(media.video, null);
  assert.ok(media.audio);
});

test('cover images and files are read with what the file says about them', () => {
  const image = { ...video, codec_name: 'mjpeg', disposition: { attached_pic: 1 } };
  const streams = [
    ...[video, audioStream],
    { ...image, index: 2, tags: { filename: 'a\u0000b\n.jpg', title: 'Band', comment: 'Cover (back)' } },
    { ...image, index: 3, width: 0, height: 0 },
    { ...image, index: 4, disposition: { attached_pic: 1, timed_thumbnails: 1 } },
    { index: 5, codec_type: 'attachment', codec_name: 'ttf', tags: { filename: '-y', mimetype: 'font/ttf' } },
    { index: 6, codec_type: 'attachment' },
  ];
  const { covers, attachments, unused } = mediaOf({ format: mp4, streams });
  assert.equal(covers, [
    { streamIndex: 2, codec: 'mjpeg', fileName: 'ab .jpg', title: 'Band', shows: 'Cover (back)' },
    { streamIndex: 3, codec: 'mjpeg', hasNoSize: true },
  ]);
  assert.equal(attachments, [
    { streamIndex: 5, codec: 'ttf', fileName: '-y', mimeType: 'font/ttf' },
    { streamIndex: 6, codec: 'unknown' },
  ]);
  assert.equal(unused?.tracks, [{ streamIndex: 4, kind: 'data', codec: 'thumbnails' }]);
});

test.run();
