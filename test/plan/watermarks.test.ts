import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { decideWatermarks, watermarkArea } from '../../daemon/plan/decide/watermarks.js';
import type { WatermarkImage } from '../../daemon/plan/plan-types.js';
import { parseJobRequest } from '../../src/shared/settings/parse-job-request.js';

const logo: WatermarkImage = { path: '/scratch/watermark-0', demuxer: 'png_pipe', width: 40, height: 20 };
const canvas = { width: 320, height: 240 };
const area = watermarkArea({ canvas, scaleTo: null, by: 'nothing' }, canvas);

/** The requested values, then x, y and the scaled size, if any. */
const cases: readonly (readonly [Readonly<Record<string, unknown>>, number, number, string | null])[] = [
  [{}, 270, 210, null],
  [{ x: 0, y: 0 }, 0, 0, null],
  [{ x: 5, y: '7' }, 5, 7, null],
  [{ x: -1, y: '-2' }, 279, 218, null],
  [{ x: '-0', y: '-0' }, 280, 220, null],
  [{ x: '25%', y: '50%' }, 80, 120, null],
  [{ x: '-25%', y: '-50%' }, 200, 100, null],
  [{ x: 0, y: 0, width: 80 }, 0, 0, '80x40'],
  [{ x: 0, y: 0, height: 10 }, 0, 0, '20x10'],
  [{ x: 0, y: 0, width: 30, height: 30 }, 0, 0, '30x30'],
  [{ x: '-0', y: '-0', width: '50%' }, 160, 160, '160x80'],
  [{ x: 0, y: 0, height: '50%' }, 0, 0, '240x120'],
  [{ x: 'centered', y: 'center' }, 140, 110, null],
  [{ x: 'Centered', y: 0, width: 41 }, 139, 0, '41x21'],
  [{ x: 0, y: 0, width: 40, height: 20 }, 0, 0, null],
  [{ x: -10, width: 1 }, 309, 229, '1x1'],
];

for (const [given, x, y, scaled] of cases) {
  test(`a watermark with ${JSON.stringify(given)} is at ${x}, ${y}${scaled === null ? '' : ` as ${scaled}`}`, () => {
    const body = { input: 'http://a/b', outputs: [{ watermark: { url: 'http://a/c.png', ...given } }] };
    const reading = parseJobRequest(body, { maxOutputs: 1 });
    if (!reading.ok) throw new Error(reading.validationErrors.join());
    const settings = reading.request.outputs[0]?.watermark ?? [];
    const [overlay] = decideWatermarks(settings, [logo], area, 'bt601').overlays;
    assert.equal([overlay?.x, overlay?.y], [x, y]);
    const size = overlay?.scaleTo ?? null;
    assert.is(size === null ? null : `${size.width}x${size.height}`, scaled);
  });
}

test.run();
