import { readFile, writeFile } from 'node:fs/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { OutputSettings } from '../../src/shared/settings/index.js';
import { makeMedia, testTone } from '../helpers/media.js';
import { encoders } from '../plan/encoded.js';
import { decoded, inspectStream, withOrientation, writeRotation } from './video-harness.js';
import {
  at,
  brightBox,
  coder,
  colourAt,
  distance,
  file,
  lastLuma,
  made,
  marked,
  near,
  recipes,
  type WatermarkPosition,
} from './watermark-harness.js';

const builds = await encoders();
for (const [build, ffmpeg] of builds) {
  const positions: readonly (readonly [string, WatermarkPosition, readonly number[]])[] = [
    ['mark.png', {}, [270, 210, 40, 20]],
    ['mark.gif', { x: distance(11), y: distance(21) }, [11, 21, 40, 20]],
    ['mark.jpg', { x: distance(0, 'pixels', true), y: distance(0, 'pixels', true) }, [280, 220, 40, 20]],
    [
      'mark.bmp',
      { x: distance(25, 'percent'), y: distance(50, 'percent'), width: distance(50, 'percent') },
      [80, 120, 160, 80],
    ],
    [
      'mark.png',
      {
        x: distance(25, 'percent', true),
        y: distance(7, 'pixels', true),
        width: distance(31),
        height: distance(33),
      },
      [209, 200, 31, 33],
    ],
    ['mark.png', { x: distance(5), y: distance(5), height: distance(60) }, [5, 5, 120, 60]],
    ['grey-alpha.png', { x: distance(1), y: distance(1) }, [1, 1, 40, 20]],
    ['deep.png', { x: distance(2), y: distance(3) }, [2, 3, 40, 20]],
    ['palette.png', { x: distance(3), y: distance(2) }, [3, 2, 40, 20]],
    ['moving.gif', { x: distance(4), y: distance(4) }, [4, 4, 40, 20]],
  ];
  for (const [name, position, box] of positions) {
    test(`${build}: ${name} with ${JSON.stringify(position)} is drawn at exactly ${box.join()}`, async () => {
      const path = await marked(ffmpeg, await file('black.mp4'), [[name, position]]);
      const { frame, width } = await lastLuma(path);
      assert.equal(brightBox(frame, width), box);
      assert.is((await inspectStream(path)).pix_fmt, 'yuv420p');
    });
  }

  test(`${build}: the last of several watermarks is on top`, async () => {
    const marks = ['red.png', 'green.png', 'mark.png'].map(
      (name) => [name, { x: distance(20), y: distance(20) }] as const,
    );
    const path = await marked(ffmpeg, await file('black.mp4'), marks);
    near(await colourAt(path, 30, 30, 'bt601'), [255, 255, 255], 6, 'where all three are');
    near(await colourAt(path, 80, 50, 'bt601'), [0x20, 0xc0, 0x40], 6, 'outside of the last');
  });

  const colours = [
    ['black.mp4', 'bt601', 'small and without colour tags'],
    ['high.mp4', 'bt709', 'large and without colour tags'],
    ['small-709.mp4', 'bt709', 'small and tagged BT.709'],
    ['high-601.mp4', 'bt601', 'large and tagged BT.601'],
  ] as const;
  for (const [input, matrix, what] of colours) {
    test(`${build}: the colours of an image are unchanged on a video that is ${what}`, async () => {
      const marks = [
        ['red.png', { x: distance(20), y: distance(20) }],
        ['green.png', { x: distance(20), y: distance(100), width: distance(120) }],
      ] as const;
      const path = await marked(ffmpeg, await file(input), marks);
      near(await colourAt(path, 60, 40, matrix), [0xe0, 0x20, 0x40], 6, 'red');
      near(await colourAt(path, 60, 120, matrix), [0x20, 0xc0, 0x40], 6, 'green, scaled');
    });
  }

  for (const width of [80, 200])
    test(`${build}: a half transparent watermark of ${width} pixels width is blended`, async () => {
      const position = { x: distance(20), y: distance(20), width: distance(width) };
      const path = await marked(ffmpeg, await file('blue.mp4'), [['faint.png', position]]);
      near(await colourAt(path, 60, 40, 'bt601'), [128, 48, 144], 6, 'the middle between both');
      near(await colourAt(path, 300, 200, 'bt601'), [0x20, 0x40, 0xe0], 6, 'outside of it');
    });

  test(`${build}: a scaled image has no dark edge, whatever colour its transparent pixels have`, async () => {
    for (const width of [70, 231]) {
      const position = { x: distance(20), y: distance(5), width: distance(width) };
      const path = await marked(ffmpeg, await file('white.mp4'), [['round.png', position]]);
      const { frame } = await lastLuma(path);
      assert.ok(Math.min(...frame) >= 230, `${width}: ${Math.min(...frame)}`);
    }
  });

  test(`${build}: scaling keeps edges sharp`, async () => {
    for (const [width, max] of [
      [100, 2],
      [50, 2],
      [300, 3],
    ] as const) {
      const position = { x: distance(10), y: distance(10), width: distance(width) };
      const path = await marked(ffmpeg, await file('black.mp4'), [['edge.png', position]]);
      const { frame, width: side } = await lastLuma(path);
      const line = [...frame.subarray(20 * side + 14, 20 * side + width)];
      const between = line.filter((luma) => luma > 40 && luma < 210).length;
      assert.ok(between <= max, `${width}: ${between} pixels`);
    }
  });

  for (const degrees of [90, 180, 270] as const)
    test(`${build}: a watermark is not rotated on a video with a rotation of ${degrees}`, async () => {
      const input = at(`turned-${degrees}.mp4`);
      await makeMedia(input, recipes['black.mp4'] ?? []);
      await writeRotation(input, degrees);
      const path = await marked(ffmpeg, input, [['halves.png', { y: distance(10) }]]);
      const { width, height } = await inspectStream(path);
      assert.equal([width, height], degrees === 180 ? [320, 240] : [240, 320]);
      near(await colourAt(path, width - 45, 15, 'bt601'), [255, 255, 255], 6, 'its left half');
      near(await colourAt(path, width - 15, 25, 'bt601'), [255, 0, 0], 6, 'its right half');
    });

  test(`${build}: positions and percentages refer to the content of a padded frame, and to a cropped frame`, async () => {
    const position = { x: distance(10), y: distance(0, 'pixels', true), width: distance(25, 'percent') };
    // The content of the padded frame has 120 of its 200 lines.
    for (const [mode, y] of [
      ['pad', 140],
      ['crop', 180],
    ] as const) {
      const settings = { width: 160, height: 200, aspect_mode: mode };
      const path = await marked(ffmpeg, await file('black.mp4'), [['mark.png', position]], settings);
      const { frame, width } = await lastLuma(path);
      assert.equal(brightBox(frame, width), [10, y, 40, 20], mode);
    }
  });

  test(`${build}: every frame has the watermark: in clips, at uneven rates, after a late start, in two passes`, async () => {
    const source = ['-f', 'lavfi', '-i', 'color=black:size=160x120:rate=25:duration=2'];
    const films: readonly (readonly [string, readonly string[], OutputSettings])[] = [
      ['uneven.mp4', ['-vf', 'select=lt(n\\,20)+not(mod(n\\,7))', '-vsync', 'vfr'], {}],
      ['uneven.mkv', ['-vf', 'select=lt(n\\,20)+not(mod(n\\,7))', '-vsync', 'vfr'], { start_clip: 0.5 }],
      ['late.ts', ['-output_ts_offset', '5'], {}],
      ['late.ts', ['-output_ts_offset', '5'], { start_clip: 0.52, clip_length: 0.9 }],
      ['with-audio.mp4', [...testTone(3), '-c:a', 'aac'], { start_clip: 0.11 }],
      ['even.mp4', [], { video_bitrate: 200, start_clip: 1.03 }],
      ['fields.mp4', [], { frame_rate: 10 }],
    ];
    for (const [name, more, settings] of films) {
      const [before, after] = more[0] === '-f' ? [more.slice(0, 4), more.slice(4)] : [[], more];
      await makeMedia(at(name), [...source, ...before, ...after, ...coder]);
      const path = await marked(ffmpeg, at(name), [['mark.png', {}]], settings);
      const all = await decoded(path, 'gray', await inspectStream(path));
      assert.ok(all.length > 4, `${name}: ${all.length} frames`);
      for (const [index, frame] of all.entries()) {
        assert.equal(brightBox(frame, 160), [110, 90, 40, 20], `${name}: frame ${index} of ${all.length}`);
      }
    }
  });

  test(`${build}: a JPEG is rotated by its EXIF orientation`, async () => {
    const stored = await readFile(await file('halves.jpg'));
    /** By orientation: whether width and height are swapped, and where white is. */
    const ways = [
      [1, 'left'],
      [2, 'right'],
      [3, 'right'],
      [4, 'left'],
      [5, 'top'],
      [6, 'top'],
      [7, 'bottom'],
      [8, 'bottom'],
    ] as const;
    for (const [orientation, side] of ways) {
      const name = `turned-${orientation}.jpg`;
      await writeFile(at(name), withOrientation(stored, orientation, orientation % 2 === 0));
      made.set(name, Promise.resolve(at(name)));
      const path = await marked(ffmpeg, await file('black.mp4'), [
        [name, { x: distance(10), y: distance(10) }],
      ]);
      const { frame, width } = await lastLuma(path);
      const box = brightBox(frame, width, 170);
      const target = {
        left: [10, 10, 20, 20],
        right: [30, 10, 20, 20],
        top: [10, 10, 20, 20],
        bottom: [10, 30, 20, 20],
      };
      near(box, target[side], 1, `${orientation}`);
    }
  });
}

test.run();
