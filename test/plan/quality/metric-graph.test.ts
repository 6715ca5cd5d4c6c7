import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  isDeepFormat,
  metricGraph,
  metricSideOf,
  metricSize,
  modelFor,
  sampleSubsampleFor,
  subsampleFor,
} from '../../../daemon/plan/quality/metric-graph.js';
import { videoFacts } from '../facts.js';

const test = suite('the graph that measures');

const sizes = [
  ['640x360', '1920x1080'],
  ['720x576', '1350x1080'],
  ['360x640', '1080x1920'],
  ['2560x1440', '1920x1080'],
  ['1920x800', '1920x800'],
  ['3840x2160', '3840x2160'],
  ['2160x3840', '2160x3840'],
] as const;

for (const [from, to] of sizes) {
  test(`${from} is measured at ${to}`, () => {
    const [width = 0, height = 0] = from.split('x').map(Number);
    const size = metricSize({ width, height });
    assert.is(`${size.width}x${size.height}`, to);
  });
}

test('above 1440 lines the model is that for 4K', () => {
  assert.is(modelFor('vmaf', { width: 1920, height: 1080 }), 'vmaf_v0.6.1');
  assert.is(modelFor('vmaf-neg', { width: 1440, height: 2560 }), 'vmaf_v0.6.1neg');
  assert.is(modelFor('vmaf', { width: 3840, height: 2160 }), 'vmaf_4k_v0.6.1');
  assert.is(modelFor('vmaf-neg', { width: 3840, height: 2160 }), 'vmaf_4k_v0.6.1neg');
});

test('long films are measured with odd steps', () => {
  const steps = (...durations: readonly (number | null)[]) =>
    durations.map((seconds) => subsampleFor(seconds));
  assert.equal(steps(10, 59.9, 60, 599, 600, null), [1, 1, 3, 3, 5, 5]);
  assert.equal([60, 599, 600, 7200].map(sampleSubsampleFor), [1, 1, 3, 3]);
});

test('films with few frames are measured with smaller steps', () => {
  assert.is(subsampleFor(66, 264), 1);
  assert.is(subsampleFor(601, 3005), 3);
  assert.is(subsampleFor(66, 66 * 50), 3);
  assert.is(subsampleFor(null, 66 * 50), 3);
  assert.is(subsampleFor(66, null), 3);
});

test('a side has the size that is displayed', () => {
  const anamorphic = { width: 720, height: 576, sampleAspectRatio: { numerator: 16, denominator: 11 } };
  assert.equal(metricSideOf(videoFacts(anamorphic)).size, { width: 1047, height: 576 });
  assert.equal(metricSideOf(videoFacts({ width: 640, height: 360, rotationDegrees: 90 })).size, {
    width: 360,
    height: 640,
  });
});

test('10 bits are known by the name of the pixel format', () => {
  assert.equal(
    ['yuv420p10le', 'p010le', 'yuv444p12le', 'yuv420p', 'yuvj420p', 'nv12', null].map(isDeepFormat),
    [true, true, true, false, false, false, false],
  );
});

test('both sides are scaled to one size, matrix, range and depth, and paired by number', () => {
  const output = metricSideOf(videoFacts({ width: 640, height: 360, colourSpace: 'smpte170m' }));
  const reference = metricSideOf(
    videoFacts({
      width: 1920,
      height: 1080,
      colourSpace: 'bt709',
      colourRange: 'full',
      pixelFormat: 'yuv420p10le',
    }),
  );
  const graph = metricGraph({ ...{ metric: 'vmaf', output, reference }, ...{ subsample: 3, threads: 1 } }, [
    '0:v',
    '1:v',
  ]);
  const scale = 'scale=1920:1080:flags=bicubic+accurate_rnd';
  assert.ok(graph.includes(`[0:v]${scale}:in_range=tv:out_range=tv,format=yuv420p,`));
  assert.ok(
    graph.includes(
      `[1:v]${scale}:in_range=pc:out_range=tv:in_color_matrix=bt709:out_color_matrix=bt601,format=yuv420p,`,
    ),
  );
  assert.is(graph.match(/settb=AVTB,setpts=N/g)?.length, 2);
  assert.match(graph, /n_threads=1:n_subsample=3\[measured\]$/);
});

test.run();
