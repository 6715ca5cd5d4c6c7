import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { OutputSettings } from '../../src/shared/settings/index.js';
import { tempFolder } from '../helpers/temp.js';
import { encoders } from '../plan/encoded.js';
import { armAt, crossFilm, decoded, encodedFile, inspectStream, type Subject } from './video-harness.js';

const folder = tempFolder();

/** Test videos by their special property, with their displayed size. */
const subjects: Readonly<Record<string, Subject & { readonly shown: readonly [number, number] }>> = {
  'square pixels': { size: [320, 180], pixel: [1, 1], turned: 0, shown: [320, 180] },
  'odd sides': { size: [321, 181], pixel: [1, 1], turned: 0, shown: [321, 181] },
  'pixels of 12:11': { size: [176, 144], pixel: [12, 11], turned: 0, shown: [192, 144] },
  'pixels of 64:45': { size: [180, 144], pixel: [64, 45], turned: 0, shown: [256, 144] },
  'pixels of 2:1': { size: [160, 180], pixel: [2, 1], turned: 0, shown: [320, 180] },
  'a rotation of 90': { size: [180, 320], pixel: [1, 1], turned: 90, shown: [180, 320] },
  'a rotation of 180': { size: [320, 180], pixel: [1, 1], turned: 180, shown: [320, 180] },
  'a rotation of 270': { size: [180, 320], pixel: [1, 1], turned: 270, shown: [180, 320] },
  'pixels of 2:1 and a rotation of 90': { size: [180, 160], pixel: [1, 2], turned: 90, shown: [90, 160] },
  'pixels of 12:11 and a rotation of 270': {
    size: [144, 176],
    pixel: [11, 12],
    turned: 270,
    shown: [132, 176],
  },
};

interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

const even = (side: number) => Math.round(side) - (Math.round(side) % 2);

/** The expectations of section 4.1 and the contract: the output size, and the box of the whole input frame in it. */
function target(
  [width, height]: readonly [number, number],
  { width: askedWidth, height: askedHeight, upscale = false, aspect_mode: mode = 'preserve' }: OutputSettings,
): { readonly canvas: readonly [number, number]; readonly box: Box } {
  const most = upscale ? Number.POSITIVE_INFINITY : 1;
  const [acrossX, acrossY] = [(askedWidth ?? width) / width, (askedHeight ?? height) / height];
  const whole = (factor: number) => {
    const canvas = [even(width * factor), even(height * factor)] as const;
    return { canvas, box: { left: 0, top: 0, width: canvas[0], height: canvas[1] } };
  };
  const centred = (canvas: readonly [number, number], factor: number) => ({
    canvas,
    box: {
      left: (canvas[0] - width * factor) / 2,
      top: (canvas[1] - height * factor) / 2,
      width: width * factor,
      height: height * factor,
    },
  });
  if (askedWidth === undefined || askedHeight === undefined)
    return whole(Math.min(most, askedWidth === undefined ? acrossY : acrossX));
  const shrink = Math.min(1, most / Math.max(acrossX, acrossY));
  const shape = [even(askedWidth * shrink), even(askedHeight * shrink)] as const;
  switch (mode) {
    case 'preserve':
      return whole(Math.min(most, acrossX, acrossY));
    case 'stretch':
      return { canvas: shape, box: { left: 0, top: 0, width: shape[0], height: shape[1] } };
    case 'pad':
      return centred([even(askedWidth), even(askedHeight)], Math.min(most, acrossX, acrossY));
    case 'crop':
      return centred(shape, Math.min(most, Math.max(acrossX, acrossY)));
  }
}

const black = 16;
const grey = 126;
const white = 235;

/** The middle of a bright part on a line of luma. The rest of the line is grey. */
function middleOf(line: readonly number[]): number {
  const weights = line.map((luma) => Math.max(0, luma - (grey + white) / 2));
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.reduce((total, weight, at) => total + weight * (at + 0.5), 0) / sum;
}

/** The start and end of the frame between black bars on a line of luma. Asserts that the bars, and only the bars, are black. */
function betweenBars(line: readonly number[]): readonly [number, number] {
  const isVideo = (luma: number) => luma > (black + grey) / 2;
  const [first, last] = [line.findIndex(isVideo), line.findLastIndex(isVideo)];
  const bars = [...line.slice(0, Math.max(0, first - 2)), ...line.slice(last + 3)];
  assert.ok(
    bars.every((luma) => Math.abs(luma - black) <= 2),
    `bars of ${Math.max(...bars)}`,
  );
  return [first, last + 1];
}

function near(found: number, expected: number, what: string): void {
  assert.ok(Math.abs(found - expected) <= 2, `${what}: ${found.toFixed(1)}, not ${expected.toFixed(1)}`);
}

function checkFrame(frame: Uint8Array, canvas: readonly [number, number], box: Box, subject: Subject): void {
  const [width, height] = canvas;
  const row = (y: number) => [...frame.subarray(y * width, (y + 1) * width)];
  const column = (x: number) => Array.from({ length: height }, (_, y) => frame[y * width + x] ?? 0);
  const inside = (at: number, side: number) => Math.min(side - 4, Math.max(3, Math.round(at)));
  // Lines right of and below the middle, where they cross only the other arm.
  const low = row(inside(box.top + box.height * 0.8, height));
  const right = column(inside(box.left + box.width * 0.8, width));
  near(middleOf(low), box.left + box.width * armAt(subject.size[0]), 'the vertical arm');
  near(middleOf(right), box.top + box.height * armAt(subject.size[1]), 'the horizontal arm');
  const [left, end] = betweenBars(low);
  const [top, bottom] = betweenBars(right);
  near(left, Math.max(0, box.left), 'the left edge');
  near(end, Math.min(width, box.left + box.width), 'the right edge');
  near(top, Math.max(0, box.top), 'the upper edge');
  near(bottom, Math.min(height, box.top + box.height), 'the lower edge');
}

const modes = ['preserve', 'stretch', 'pad', 'crop'] as const;
const requested: readonly OutputSettings[] = [
  {},
  { width: 100 },
  { height: 90 },
  { width: 101, height: 77 },
  { width: 400, upscale: true },
  { height: 400 },
  ...modes.flatMap((mode) => [
    { width: 120, height: 120, aspect_mode: mode },
    { width: 360, height: 400, aspect_mode: mode },
    { width: 360, height: 400, aspect_mode: mode, upscale: true },
  ]),
];

/** The cases for a second build. Its filters differ, but not the sizes that are passed to it. */
const askedAgain = requested.filter(({ aspect_mode: mode, upscale }) => mode === undefined || upscale);

for (const [index, [build, ffmpeg]] of (await encoders()).entries()) {
  for (const [name, subject] of Object.entries(subjects)) {
    test(`${build}: a video with ${name} gets the requested size and aspect ratio`, async () => {
      const input = join(folder, `${name}.mp4`);
      await crossFilm(input, subject);
      for (const settings of index === 0 ? requested : askedAgain) {
        const what = JSON.stringify(settings);
        const path = await encodedFile(ffmpeg, input, { ...settings, quality: 5, speed: 5 });
        const { canvas, box } = target(subject.shown, settings);
        const seen = await inspectStream(path);
        assert.equal([seen.width, seen.height], canvas, what);
        assert.equal([seen.sample_aspect_ratio ?? '1:1', seen.pix_fmt], ['1:1', 'yuv420p'], what);
        assert.equal([seen.side_data_list, seen.tags?.rotate], [undefined, undefined], what);
        const all = await decoded(path, 'gray', seen);
        assert.is(all.length, 3, what);
        try {
          checkFrame(all[2] ?? new Uint8Array(), canvas, box, subject);
        } catch (error) {
          throw new Error(`${what}: ${error instanceof Error ? error.message : error}`);
        }
      }
    });
  }
}

test.run();
