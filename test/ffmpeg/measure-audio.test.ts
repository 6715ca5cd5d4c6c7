import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readMeasurement } from '../../daemon/ffmpeg/open-ffmpeg.js';

const peaks = (...values: readonly string[]) =>
  values.map((value) => `[Parsed_astats_1 @ 0x55] Peak level dB: ${value}\n`).join('');
const loudness = (integrated: string, peak: string) => `[Parsed_ebur128_2 @ 0x55] Summary:

  Integrated loudness:
    I:         ${integrated} LUFS
    Threshold: -24.1 LUFS

  Loudness range:
    LRA:         0.0 LU
    Threshold:  -34.0 LUFS

  True peak:
    Peak:      ${peak} dBFS
`;

test('the peak is that of all channels, which comes last', () => {
  const log = peaks('-12.5', '-3.25', '-3.25');
  assert.equal(readMeasurement('peakBeforeDynamics', log), { peakBeforeDynamics: -3.25 });
  assert.equal(readMeasurement('peakAfterDynamics', peaks('3.4')), { peakAfterDynamics: 3.4 });
});

test('silence has no peak and no loudness', () => {
  for (const value of ['-inf', '-6153.053111', 'nan'])
    assert.equal(readMeasurement('peakAfterDynamics', peaks(value)), { peakAfterDynamics: null });
  assert.equal(readMeasurement('loudness', loudness('-70.0', '-inf')), { loudness: null });
});

test('the loudness is that of the summary', () => {
  const expected = { integratedLufs: -14.1, truePeakDb: -13.5, thresholdLufs: -24.1 };
  assert.equal(readMeasurement('loudness', `t: 1 I: -20 LUFS\n${loudness('-14.1', '-13.5')}`), {
    loudness: expected,
  });
});

test('nothing is reported about audio without samples', () => {
  assert.equal(readMeasurement('peakAfterDynamics', ''), { peakAfterDynamics: null });
  assert.equal(readMeasurement('loudness', ''), { loudness: null });
  assert.equal(readMeasurement('loudness', loudness('-70.0', '0.0')), { loudness: null });
});

test.run();
