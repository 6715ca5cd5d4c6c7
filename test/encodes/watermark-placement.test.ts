import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { plan } from '../../daemon/plan/plan.js';
import type { OutputSettings } from '../../src/shared/settings/index.js';
import { encoders } from '../plan/encoded.js';
import {
  brightBox,
  colourAt,
  distance,
  file,
  lastLuma,
  marked,
  near,
  type WatermarkPosition,
} from './watermark-harness.js';

const centered = { ...distance(0), isCentered: true } as const;
/** Bars of 160 pixels on both sides of the 320x240 input. */
const padded = { width: 640, height: 240, aspect_mode: 'pad' } as const;
/** Bars of 30 pixels above and below. */
const letterbox = { width: 320, height: 300, aspect_mode: 'pad' } as const;

/** A position, the settings of the output, and the box of the white image of 40x20 on the black video of 320x240. */
const cases: readonly (readonly [WatermarkPosition, OutputSettings, readonly number[]])[] = [
  [{ x: centered, y: centered }, {}, [140, 110, 40, 20]],
  [{ x: centered, y: distance(7), width: distance(41), height: distance(21) }, {}, [139, 7, 41, 21]],
  [{ x: distance(0), y: distance(0) }, padded, [160, 0, 40, 20]],
  [{ x: distance(0, 'pixels', true), y: centered }, padded, [440, 110, 40, 20]],
  [{ x: distance(25, 'percent'), y: distance(0) }, padded, [240, 0, 40, 20]],
  [{ x: distance(0), y: distance(0), origin: 'frame' }, padded, [0, 0, 40, 20]],
  [{ x: distance(5, 'pixels', true), y: distance(3), origin: 'frame' }, padded, [595, 3, 40, 20]],
  [{}, letterbox, [270, 240, 40, 20]],
  [{ origin: 'frame' }, letterbox, [270, 270, 40, 20]],
];

/** Positions at which the image does not fit into the video. */
const tooFar: readonly WatermarkPosition[] = [
  { x: distance(300), y: distance(10) },
  { x: distance(10), y: distance(100, 'percent') },
  { width: distance(400) },
  { x: distance(310, 'pixels', true), y: distance(0) },
];

for (const [build, ffmpeg] of await encoders()) {
  for (const [position, settings, box] of cases) {
    test(`${build}: a watermark with ${JSON.stringify(position)} and ${JSON.stringify(settings)} is at ${box.join()}`, async () => {
      const path = await marked(ffmpeg, await file('black.mp4'), [['mark.png', position]], settings);
      const { frame, width } = await lastLuma(path);
      assert.equal(brightBox(frame, width), box);
    });
  }

  for (const opacity of [1, 0.75, 0.5, 0.1]) {
    test(`${build}: an opacity of ${opacity} mixes that part of the image into the video`, async () => {
      const position = { x: distance(20), y: distance(20), opacity };
      const blue = [0x20, 0x40, 0xe0];
      const path = await marked(ffmpeg, await file('blue.mp4'), [['red.png', position]]);
      const mixed = [0xe0, 0x20, 0x40].map((value, at) => value * opacity + (blue[at] ?? 0) * (1 - opacity));
      near(await colourAt(path, 60, 40, 'bt601'), mixed, 7, 'inside');
      near(await colourAt(path, 200, 200, 'bt601'), blue, 7, 'outside');
    });
  }

  test(`${build}: an opacity applies to the transparency of the image`, async () => {
    const path = await marked(ffmpeg, await file('black.mp4'), [
      ['faint.png', { x: distance(20), y: distance(20), opacity: 0.5 }],
    ]);
    near(await colourAt(path, 60, 40, 'bt601'), [0xe0 / 4, 0x20 / 4, 0x40 / 4], 7, 'a quarter');
  });

  test(`${build}: an opacity of 0 leaves the watermark out`, async () => {
    const path = await marked(ffmpeg, await file('black.mp4'), [['mark.png', { opacity: 0 }]]);
    assert.is(Math.max(...(await lastLuma(path)).frame) < 20, true);
  });

  for (const position of tooFar) {
    test(`${build}: a watermark that does not fit with ${JSON.stringify(position)} is left out with a warning`, async () => {
      const input = await file('black.mp4');
      const path = await marked(ffmpeg, input, [
        ['mark.png', position],
        ['mark.png', { x: distance(4), y: distance(4) }],
      ]);
      const { frame, width } = await lastLuma(path);
      assert.equal(brightBox(frame, width), [4, 4, 40, 20]);
      const images = [await ffmpeg.probeImage(await file('mark.png'))];
      const planned = (settings: OutputSettings) =>
        plan(
          [
            {
              id: 7,
              settings: { ...settings, watermark: [{ url: 'http://a/b', ...position }] },
              filename: 'film.mp4',
              isTest: false,
              watermarks: images,
            },
          ],
          facts,
          { input, scratch: '/scratch' },
          ffmpeg.capabilities,
        );
      const facts = await ffmpeg.probe(input);
      assert.match(planned({}).products[0]?.warnings.join() ?? '', /^Watermark 1 was left out.* 320x240\.$/);
      assert.is(planned({ strict: true }).rejections[0]?.failure.errorClass, 'WatermarkError');
    });
  }
}

test.run();
