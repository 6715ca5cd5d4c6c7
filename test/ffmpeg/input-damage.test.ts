import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { DamageDetector } from '../../daemon/ffmpeg/run-report.js';

/** Whether messages mean damage, in whole lines and in chunks. */
function isDamaged(lines: readonly string[]): boolean {
  const text = lines.map((line) => `${line}\n`).join('');
  const [whole, chunked] = [new DamageDetector(), new DamageDetector()];
  whole.add(text);
  for (let at = 0; at < text.length; at += 7) chunked.add(text.slice(at, at + 7));
  assert.is(whole.isDamaged, chunked.isDamaged);
  return whole.isDamaged;
}

const rejected5 = 'Error while decoding stream #0:1: Invalid data found when processing input';
const rejected7 =
  '[aist#0:1/aac @ 0x55] [dec:aac @ 0x56] Error submitting packet to decoder: Invalid data found when processing input';

/** Messages of ffmpeg 5.1, 7.0 and a build of 2018 about files of which a part was overwritten. */
const damaged: readonly (readonly string[])[] = [
  ['[h264 @ 0x55] Error splitting the input into NAL units.', rejected5],
  ['[h264 @ 0x55] error while decoding MB 3 7, bytestream -5'],
  ['[mpeg4 @ 0x55] ac-tex damaged at 4 2', '[mpeg4 @ 0x55] Error at MB: 50'],
  ['[prores @ 0x55] ac tex damaged 3, 4'],
  ['[libdav1d @ 0x55] Error parsing OBU data'],
  ['[matroska,webm @ 0x5] Element at 0x8d5 ending at 0x55 exceeds containing master element ending at 0x9'],
  [
    "[matroska,webm @ 0x5] Length 5 indicated by an EBML number's first byte 0x0e at pos 2 (0x2) exceeds max length 4.",
  ],
  ['[matroska,webm @ 0x5] 0x00 at pos 11583 (0x2d3f) invalid as first byte of an EBML number'],
  ['[matroska,webm @ 0x5] Invalid EBML number size tag 0x0e at pos 11664 (0x2d90)'],
  ['[flv @ 0x55] Packet mismatch -2100777044 205 31729'],
  ['[asf @ 0x55] packet_replic_size 240 is invalid'],
  ['[asf @ 0x55] ff asf skip 0 (unknown stream)'],
  ['[mxf @ 0x55] edit unit sync lost on stream 0, jumping from 75 to 88'],
  ['[ogg @ 0x55] CRC mismatch!', '    Last message repeated 1 times'],
  Array.from({ length: 5 }, () => rejected5),
  Array.from({ length: 5 }, () => rejected7),
];

/** Messages about undamaged files: cut off, beginning between keyframes, with tags at the end. */
const undamaged: readonly (readonly string[])[] = [
  [],
  ['[aac @ 0x55] Input buffer exhausted before END element found', rejected5],
  ['[mp3float @ 0x55] Header missing', rejected7],
  Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? '[mp2 @ 0x55] Header missing' : rejected5)),
  [
    '[h264 @ 0x5] non-existing PPS 0 referenced',
    '[h264 @ 0x5] decode_slice_header error',
    '[h264 @ 0x5] no frame!',
  ],
  ['[hevc @ 0x55] Could not find ref with POC 12', '[hevc @ 0x55] PPS id out of range: 0'],
  ['[h264 @ 0x55] mmco: unref short failure', '[h264 @ 0x55] co located POCs unavailable'],
  ['[mpeg4 @ 0x55] warning: first frame is no keyframe'],
  ['[swscaler @ 0x55] deprecated pixel format used, make sure you did set range correctly'],
  ['[avi @ 0x55] Packet corrupt (stream = 0, dts = NOPTS)', '[mp4 @ 0x5] pts has no value'],
];

for (const lines of damaged) {
  test(`${lines[0]} means damage`, () => {
    assert.ok(isDamaged(lines));
  });
}

for (const lines of undamaged) {
  test(`${lines[0] ?? 'nothing'} means no damage`, () => {
    assert.not(isDamaged(lines));
  });
}

test.run();
