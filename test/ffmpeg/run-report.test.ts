import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { RunReporter } from '../../daemon/ffmpeg/run-report.js';

/** The last messages of three versions about the same run. */
const versions = {
  '2018': [
    '[graph_1_in_0_1 @ 0xf555680] [verbose] tb:1/44100 samplefmt:fltp samplerate:44100 chlayout:0x4',
    '[verbose] Input file #0 (file:/in.avi):',
    '[verbose]   Input stream #0:0 (video): 40 packets read (13876 bytes); 40 frames decoded; ',
    '[verbose]   Input stream #0:1 (audio): 155 packets read (32391 bytes); 155 frames decoded (178560 samples); ',
    '[verbose] Output file #0 (file:/out.mp4):',
    '[verbose]   Output stream #0:0 (video): 41 frames encoded; 41 packets muxed (3797 bytes); ',
    '[verbose]   Output stream #0:1 (audio): 4 frames encoded (4055 samples); 5 packets muxed (1030 bytes); ',
  ],
  '7.0': [
    '[graph_0_in_0:1 @ 0x7f248c018000] [verbose] tb:1/44100 samplefmt:fltp samplerate:44100 chlayout:mono',
    '[out#0/mp4 @ 0x55e2] [verbose] Output file #0 (file:/out.mp4):',
    '[out#0/mp4 @ 0x55e2] [verbose]   Output stream #0:0 (video): 41 frames encoded; 41 packets muxed (3783 bytes); ',
    '[out#0/mp4 @ 0x55e2] [verbose]   Output stream #0:1 (audio): 4 frames encoded (4055 samples); 5 packets muxed (1225 bytes); ',
    '[in#0/avi @ 0x55e2] [verbose] Input file #0 (file:/in.avi):',
    '[in#0/avi @ 0x55e2] [verbose]   Input stream #0:0 (video): 40 packets read (13876 bytes); 40 frames decoded; 0 decode errors; ',
    '[in#0/avi @ 0x55e2] [verbose]   Input stream #0:1 (audio): 155 packets read (32391 bytes); 155 frames decoded; 0 decode errors (178560 samples); ',
  ],
} as const;

function reported(lines: readonly string[]) {
  let errors = '';
  const reporter = new RunReporter((text) => {
    errors += text;
  });
  const text = lines.join('\n');
  for (let at = 0; at < text.length; at += 50) reporter.add(text.slice(at, at + 50));
  reporter.end();
  return { errors, report: reporter.report };
}

for (const [version, lines] of Object.entries(versions)) {
  test(`what ffmpeg ${version} read and wrote is counted`, () => {
    const { errors, report } = reported(lines);
    assert.is(errors, '');
    assert.equal(report.read.get('/in.avi:0'), { packets: 40, frames: 40, samples: null });
    assert.equal(report.read.get('/in.avi:1'), {
      packets: 155,
      frames: 155,
      samples: 178_560,
      maxSampleRate: 44_100,
    });
    const written = report.written.get('/out.mp4');
    assert.equal(written?.video, { packets: 41, frames: 41, samples: null });
    assert.equal(written?.audio[0], { packets: 5, frames: 4, samples: 4055 });
    assert.not(report.isCutOff);
  });
}

test('a copy has packets only', () => {
  const { report } = reported([
    '[verbose] Input file #0 (file:/in.avi):',
    '[verbose]   Input stream #0:0 (video): 200 packets read (147610 bytes); ',
    '[verbose] Output file #0 (file:/o.mkv):',
    '[verbose]   Output stream #0:0 (video): 200 packets muxed (147610 bytes); ',
  ]);
  assert.equal(report.read.get('/in.avi:0'), { packets: 200, frames: null, samples: null });
  assert.equal(report.written.get('/o.mkv')?.video, { packets: 200, frames: null, samples: null });
});

test('what decoders report before the input is open is no damage, and what demuxers report is', () => {
  const opened = (line: string) => reported([line, "[info] Input #0, matroska, from 'file:/in.mkv':"]).report;
  assert.not.ok(opened('[flac @ 0x5] [error] invalid frame header').isDamaged);
  assert.ok(
    opened('[matroska,webm @ 0x5] [error] Element at 0x2 exceeds containing master element').isDamaged,
  );
});

test('a filter graph that is made again for another size is a change of the shape', () => {
  const graph = (address: string, size: string) =>
    `[graph 0 input from stream 0:0 @ 0x${address}] [verbose] ${size} pixfmt:yuv420p tb:1/90000 fr:25/1 sar:1/1`;
  const { report } = reported([graph('5a', 'w:160 h:120'), graph('5b', 'w:320 h:120')]);
  assert.is(report.shapeChange, 'distorted');
  assert.is(reported([graph('5a', 'w:160 h:120'), graph('5b', 'w:160 h:120')]).report.shapeChange, undefined);
});

test('errors are passed on without their levels, and nothing else is', () => {
  const { errors, report } = reported([
    '[info]     title           : a',
    '                    : Out of memory',
    "[info] Input #0, h264, from 'file:/in.h264':",
    '[h264 @ 0x5] [error] Error splitting the input into NAL units.',
    '    Last message repeated 2 times',
    'x265 [error]: no memory',
  ]);
  assert.is(errors, '[h264 @ 0x5] Error splitting the input into NAL units.\nx265 [error]: no memory\n');
  assert.ok(report.isDamaged);
});

for (const line of [
  '[mov,mp4,m4a,3gp,3g2,mj2 @ 0xb5e] [error] stream 1, offset 0x2124a: partial file',
  '[matroska,webm @ 0xb87] [error] Read error',
  '[matroska,webm @ 0x55b] [error] File ended prematurely',
  '[warning] t.flv: corrupt input packet in stream 1',
  '[in#0/flv @ 0x55e4] [warning] corrupt input packet in stream 1',
  '[mp3 @ 0x5613] [warning] filesize and duration do not match (growing file?)',
]) {
  test(`the end of the input is missing: ${line}`, () => {
    assert.ok(reported([line]).report.isCutOff);
  });
}

/** What versions print about a run that decoded nothing of a track; null if that is no failure. */
const undecoded: Readonly<Record<string, readonly [readonly string[], string | null]>> = {
  'nothing was read': [
    [
      '[info]   Stream #0:0: Audio: flac, 48000 Hz, mono, s32',
      '[verbose]   Input stream #0:0 (audio): 0 packets read (0 bytes); 0 frames decoded (0 samples); ',
    ],
    'audio (flac, 48000 Hz, mono, s32)',
  ],
  'a decoder rejected all packets': [
    [
      '[info]   Stream #0:0(eng): Video: h264 (High), 1 reference frame, yuv420p, 64x48 [SAR 1:1 DAR 4:3], 25 fps',
      '[info]   Stream #0:1: Audio: flac, 44100 Hz, mono, s32, 90 kb/s (default)',
      '[info]   Stream #0:1: Audio: aac, 44100 Hz, mono',
      '[error] Error while decoding stream #0:1: Invalid data found when processing input',
      '[verbose]   Input stream #0:0 (video): 40 packets read (13876 bytes); 40 frames decoded; ',
      '[verbose]   Input stream #0:1 (audio): 155 packets read (32391 bytes); 0 frames decoded (0 samples); ',
    ],
    'audio (flac, 44100 Hz, mono, s32)',
  ],
  'the decoder is missing': [
    [
      '[info]   Stream #0:0: Video: av1 (av01 / 0x31307661), yuv420p, 64x64, 25 fps',
      '[fatal] Decoder (codec av1) not found for input stream #0:0',
    ],
    'video (av1, yuv420p, 64x64)',
  ],
  'the decoder is missing in 7.0': [
    ['[vist#0:0/av1 @ 0x55] [fatal] Decoding requested, but no decoder found for: av1'],
    'codec av1',
  ],
  'the first frame never came': [
    [
      '[info]   Stream #0:0: Video: h264, none, 64x48, 25 fps',
      '[error] Error while decoding stream #0:0: Invalid data found when processing input',
      '[error] Cannot determine format of input stream 0:0 after EOF',
    ],
    'video (h264, none, 64x48)',
  ],
  'a track had no packets': [
    [
      '[info]   Stream #0:0: Video: h264, yuv420p, 64x48, 25 fps',
      '[info]   Stream #0:1: Audio: aac, 44100 Hz, mono',
      '[verbose]   Input stream #0:0 (video): 40 packets read (13876 bytes); 40 frames decoded; ',
      '[verbose]   Input stream #0:1 (audio): 0 packets read (0 bytes); 0 frames decoded (0 samples); ',
    ],
    null,
  ],
};

for (const [name, [lines, expected]] of Object.entries(undecoded)) {
  test(`the track of which no frame was decoded: ${name}`, () => {
    const reporter = new RunReporter(() => {});
    reporter.add(lines.join('\n'));
    reporter.end();
    assert.is(reporter.undecodedTrack, expected);
  });
}

test.run();
