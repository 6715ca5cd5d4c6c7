import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ProbeObject } from '../../daemon/ffmpeg/probe/probe-fields.js';
import { readVideo } from '../../daemon/ffmpeg/probe/read-video.js';

const stream: ProbeObject = {
  index: 0,
  codec_type: 'video',
  codec_name: 'h264',
  width: 1280,
  height: 720,
  pix_fmt: 'yuv420p',
  r_frame_rate: '25/1',
  avg_frame_rate: '25/1',
};

const read = (...changes: readonly ProbeObject[]) =>
  readVideo(changes.map((change, index) => ({ ...stream, index, ...change })));

const rotations = [
  [0, {}],
  [90, { side_data_list: [{ side_data_type: 'Display Matrix', displaymatrix: '...', rotation: -90 }] }],
  [270, { side_data_list: [{ side_data_type: 'CPB properties' }, { rotation: 90 }] }],
  [180, { side_data_list: [{ rotation: -180 }] }],
  [180, { side_data_list: [{ rotation: 180 }] }],
  [90, { tags: { rotate: '90' } }],
  [270, { tags: { rotate: '270' } }],
  [270, { tags: { rotate: '-90' } }],
  [90, { tags: { rotate: '90' }, side_data_list: [{ rotation: '-90.00' }] }],
  [90, { side_data_list: [{ rotation: -89.6 }] }],
  [0, { side_data_list: [{ rotation: 'nan' }], tags: { rotate: 'upside down' } }],
] as const;

for (const [degrees, change] of rotations) {
  test(`${JSON.stringify(change)} is a rotation of ${degrees} degrees clockwise`, () => {
    assert.is(read(change)?.rotationDegrees, degrees);
  });
}

const shown = (a: number, b: number, c: number, d: number) => {
  const row = (at: number, ...numbers: readonly number[]) =>
    `0000000${at}:${numbers.map((number) => String(number).padStart(12)).join('')}\n`;
  const displaymatrix = `\n${row(0, a, b, 0)}${row(1, c, d, 0)}${row(2, 0, 0, 0x40000000)}`;
  // The rotation that ffprobe prints with the matrix does not distinguish a mirrored image from a rotated one.
  return { side_data_list: [{ side_data_type: 'Display Matrix', displaymatrix, rotation: 17 }] };
};
const one = 0x10000;

for (const [rotationDegrees, isMirrored, stream] of [
  [0, false, shown(one, 0, 0, one)],
  [90, false, shown(0, one, -one, 0)],
  [180, false, shown(-one, 0, 0, -one)],
  [270, false, shown(0, -one, one, 0)],
  [0, true, shown(-one, 0, 0, one)],
  [90, true, shown(0, -one, -one, 0)],
  [180, true, shown(one, 0, 0, -one)],
  [270, true, shown(0, one, one, 0)],
  [90, false, shown(400, 65_534, -65_534, 400)],
] as const) {
  const matrix = stream.side_data_list[0]?.displaymatrix.replaceAll(/\s+/g, ' ');
  test(`the display matrix${matrix}${isMirrored ? 'mirrors and ' : ''}rotates by ${rotationDegrees} degrees`, () => {
    const video = read(stream);
    assert.equal([video?.rotationDegrees, video?.isMirrored ?? false], [rotationDegrees, isMirrored]);
  });
}

test('if the display matrix is invalid, the separate rotation counts', () => {
  const { side_data_list } = shown(0, 0, 0, 0);
  assert.is(read({ side_data_list: [{ ...side_data_list[0], rotation: -90 }] })?.rotationDegrees, 90);
});

for (const [text, ratio] of [
  ['12:11', '12:11'],
  ['0:1', '1:1'],
  ['N/A', '1:1'],
  ['1:0', '1:1'],
] as const) {
  test(`a sample aspect ratio of ${text} is read as ${ratio}`, () => {
    const read1 = read({ sample_aspect_ratio: text })?.sampleAspectRatio;
    assert.is(`${read1?.numerator}:${read1?.denominator}`, ratio);
  });
}

const rates = [
  { avg: '25/1', r: '25/1', rate: '25/1', isVariable: false },
  { avg: '359700/12001', r: '30000/1001', rate: '30000/1001', isVariable: false },
  { avg: '2775/188', r: '250/1', rate: '2775/188', isVariable: true },
  { avg: '27000/905', r: '30/1', rate: '27000/905', isVariable: true },
  { avg: '0/0', r: '1000/1', rate: null, isVariable: false },
  { avg: '0/0', r: '90000/1', rate: null, isVariable: false },
  { avg: '0/0', r: '24000/1001', rate: '24000/1001', isVariable: false },
  { avg: '24/1', r: '0/0', rate: '24/1', isVariable: false },
  { avg: '0/0', r: '0/0', rate: null, isVariable: false },
  { avg: '25/1', r: '50/1', order: 'tt', rate: '25/1', isVariable: false },
  { avg: '25/1', r: '50/1', rate: '25/1', isVariable: true },
  { avg: '1/1', r: '1/1', rate: '1/1', isVariable: false },
] as const;

for (const { avg, r, rate, isVariable, ...more } of rates) {
  const order = 'order' in more ? more.order : 'progressive';
  test(`average ${avg} with ${r} (${order}) is a ${isVariable ? 'variable' : 'constant'} rate of ${rate}`, () => {
    const video = read({ avg_frame_rate: avg, r_frame_rate: r, field_order: order });
    const given = video?.frameRate;
    assert.is(given ? `${given.numerator}/${given.denominator}` : null, rate);
    assert.is(video?.isFrameRateVariable, isVariable);
  });
}

for (const [order, expected] of [
  ['progressive', 'progressive'],
  ['tt', 'top-first'],
  ['bt', 'bottom-first'],
  ['bb', 'bottom-first'],
  ['tb', 'top-first'],
  ['unknown', 'unknown'],
  [undefined, 'unknown'],
] as const) {
  test(`the field order ${order} is ${expected}`, () => {
    assert.is(read({ field_order: order })?.fieldOrder, expected);
  });
}

const choices = [
  ['the one with more pixels', [{ width: 640, height: 360 }, {}], 1],
  ['the default of two equals', [{}, { disposition: { default: 1 } }], 1],
  ['the one with more bits of two equals', [{ bit_rate: '300000' }, { bit_rate: '900000' }], 1],
  ['the first of two equals', [{}, {}], 0],
  [
    'the film and not larger cover art',
    [{}, { width: 3000, height: 3000, disposition: { attached_pic: 1 } }],
    0,
  ],
  ['the film and not a track of thumbnails', [{ disposition: { timed_thumbnails: 1 } }, {}], 1],
  [
    'the film and not a larger single image',
    [{ nb_frames: '1', width: 4000, height: 3000 }, { nb_frames: '250' }],
    1,
  ],
  ['the one with a known codec', [{ codec_name: 'unknown', width: 4000 }, {}], 1],
  ['the one that ffprobe could parse', [{ width: 0, height: 0 }, {}], 1],
] as const;

for (const [what, changes, index] of choices) {
  test(`the best stream is ${what}`, () => {
    assert.is(read(...changes)?.streamIndex, index);
  });
}

test('a file with only cover art has no video', () => {
  assert.is(read({ disposition: { attached_pic: 1 } }), null);
});

test('durations and bitrates of Matroska are read from the tags', () => {
  const tags = { 'DURATION-eng': '00:01:02.500000000', BPS: '1200400' };
  const video = read({ tags });
  assert.is(video?.durationSeconds, 62.5);
  assert.is(video?.bitrateKbps, 1200);
});

test('values that ffprobe omits are null', () => {
  const video = read({ duration: 'N/A', bit_rate: 'N/A', start_time: 'N/A', pix_fmt: undefined });
  assert.is(video?.durationSeconds, null);
  assert.is(video?.bitrateKbps, null);
  assert.is(video?.startSeconds, null);
  assert.is(video?.pixelFormat, null);
});

test.run();
