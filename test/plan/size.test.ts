import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { decideFit, type SizeSettings } from '../../daemon/plan/decide/size.js';
import { videoFacts } from './facts.js';

/** The stored size, the requested one, and the result: the canvas, then the scaled video if it differs. */
interface Case {
  readonly of: string;
  readonly ask: SizeSettings;
  readonly gives: string;
  readonly scaled?: string;
}

const at640x480 = { width: 640, height: 480 } as const;
const cases: readonly Case[] = [
  { of: '1280x720', ask: {}, gives: '1280x720' },
  { of: '1281x721', ask: {}, gives: '1280x720' },
  { of: '1x1', ask: {}, gives: '2x2' },
  { of: '854x480', ask: at640x480, gives: '640x360' },
  { of: '1920x1080', ask: at640x480, gives: '640x360' },
  { of: '1440x1080', ask: at640x480, gives: '640x480' },
  { of: '1080x1920', ask: at640x480, gives: '270x480' },
  { of: '320x240', ask: at640x480, gives: '320x240' },
  { of: '320x240', ask: { ...at640x480, upscale: true }, gives: '640x480' },
  { of: '1280x720', ask: { size: { width: 640, height: 480 } }, gives: '640x360' },
  { of: '1280x720', ask: { width: 641 }, gives: '640x360' },
  { of: '1280x720', ask: { width: 640 }, gives: '640x360' },
  { of: '1280x720', ask: { height: 360 }, gives: '640x360' },
  { of: '1280x720', ask: { width: 2560 }, gives: '1280x720' },
  { of: '1280x720', ask: { width: 2560, upscale: true }, gives: '2560x1440' },
  { of: '1280x720', ask: { width: 640, aspect_mode: 'pad' }, gives: '640x360' },
  { of: '1280x720', ask: { height: 360, aspect_mode: 'stretch' }, gives: '640x360' },
  { of: '4000x10', ask: { width: 100 }, gives: '100x2' },
  { of: '1280x720', ask: { ...at640x480, aspect_mode: 'stretch' }, gives: '640x480' },
  { of: '320x240', ask: { width: 640, height: 360, aspect_mode: 'stretch' }, gives: '320x180' },
  {
    of: '320x240',
    ask: { width: 640, height: 360, aspect_mode: 'stretch', upscale: true },
    gives: '640x360',
  },
  { of: '640x100', ask: { width: 320, height: 200, aspect_mode: 'stretch' }, gives: '160x100' },
  { of: '1280x720', ask: { ...at640x480, aspect_mode: 'pad' }, gives: '640x480', scaled: '640x360' },
  { of: '320x240', ask: { ...at640x480, aspect_mode: 'pad' }, gives: '640x480', scaled: '320x240' },
  {
    of: '320x180',
    ask: { ...at640x480, aspect_mode: 'pad', upscale: true },
    gives: '640x480',
    scaled: '640x360',
  },
  { of: '640x480', ask: { ...at640x480, aspect_mode: 'pad' }, gives: '640x480' },
  { of: '1280x720', ask: { ...at640x480, aspect_mode: 'crop' }, gives: '640x480', scaled: '853x480' },
  {
    of: '720x1280',
    ask: { ...at640x480, aspect_mode: 'crop' },
    gives: '640x480',
    scaled: '640x1138',
  },
  {
    of: '320x240',
    ask: { width: 640, height: 360, aspect_mode: 'crop' },
    gives: '320x180',
    scaled: '320x240',
  },
  {
    of: '320x240',
    ask: { width: 640, height: 360, aspect_mode: 'crop', upscale: true },
    gives: '640x360',
    scaled: '640x480',
  },
  { of: '640x480', ask: { ...at640x480, aspect_mode: 'crop' }, gives: '640x480' },
];

function sizeOf(text: string): { readonly width: number; readonly height: number } {
  const [width = 0, height = 0] = text.split('x').map(Number);
  return { width, height };
}

for (const { of, ask, gives, scaled } of cases) {
  test(`${of} with ${JSON.stringify(ask)} becomes ${gives}`, () => {
    const fit = decideFit(ask, videoFacts(sizeOf(of)));
    assert.equal(fit.canvas, sizeOf(gives));
    assert.equal(fit.scaleTo ?? sizeOf(of), sizeOf(scaled ?? (fit.scaleTo === null ? of : gives)));
  });
}

test('a video that keeps its size is not scaled', () => {
  assert.equal(decideFit({}, videoFacts()), {
    scaleTo: null,
    canvas: { width: 1280, height: 720 },
    by: 'nothing',
  });
});

test('an odd side is cropped by one line, which keeps the video sharp', () => {
  assert.equal(decideFit({}, videoFacts({ width: 641, height: 480 })).by, 'crop-edge');
});

test('pixels become square by scaling the width; the height is kept', () => {
  const wide = videoFacts({ width: 640, height: 360, sampleAspectRatio: { numerator: 2, denominator: 1 } });
  assert.equal(decideFit({}, wide).scaleTo, { width: 1280, height: 360 });
  const phone = videoFacts({
    width: 176,
    height: 144,
    sampleAspectRatio: { numerator: 12, denominator: 11 },
  });
  assert.equal(decideFit({}, phone).scaleTo, { width: 192, height: 144 });
});

test('an undefined sample aspect ratio counts as square', () => {
  const odd = videoFacts({ sampleAspectRatio: { numerator: 0, denominator: 1 } });
  assert.is(decideFit({}, odd).scaleTo, null);
});

test('sizes apply to the video as rotated for display', () => {
  const turned = videoFacts({ width: 1920, height: 1080, rotationDegrees: 90 });
  assert.equal(decideFit(at640x480, turned).canvas, { width: 270, height: 480 });
  assert.equal(decideFit({ width: 540 }, turned).canvas, { width: 540, height: 960 });
});

test('the sample aspect ratio is rotated with the video', () => {
  const turned = videoFacts({
    width: 640,
    height: 360,
    sampleAspectRatio: { numerator: 2, denominator: 1 },
    rotationDegrees: 270,
  });
  assert.equal(decideFit({}, turned).scaleTo, { width: 180, height: 640 });
});

test('upscaling is measured against square pixels', () => {
  const wide = videoFacts({ width: 640, height: 360, sampleAspectRatio: { numerator: 2, denominator: 1 } });
  assert.equal(decideFit({ width: 1280, height: 720 }, wide).canvas, { width: 1280, height: 360 });
});

test.run();
