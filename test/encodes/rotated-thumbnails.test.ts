import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { planThumbnails } from '../../daemon/plan/thumbnails.js';
import { makeMedia, testFfmpeg } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';
import { encodedAndProbed, encoders, frames } from '../plan/encoded.js';

/*
 * The input has a different brightness in each quarter, and a display matrix. The position of each quarter in a thumbnail shows how the
 * thumbnail was rotated.
 */

const folder = tempFolder();
/** Luma of the quarters in reading order. */
const drawn = [220, 160, 100, 40] as const;
const quarters = `if(lt(Y\\,32)\\,if(lt(X\\,48)\\,${drawn[0]}\\,${drawn[1]})\\,if(lt(X\\,48)\\,${drawn[2]}\\,${drawn[3]}))`;
const one = 0x10000;

/** By degrees clockwise: the display matrix without its third column, and where each quarter of the input is displayed. */
const turns = [
  [0, [one, 0, 0, one], [0, 1, 2, 3]],
  [90, [0, one, -one, 0], [2, 0, 3, 1]],
  [180, [-one, 0, 0, -one], [3, 2, 1, 0]],
  [270, [0, -one, one, 0], [1, 3, 0, 2]],
] as const;

const lying = join(folder, 'lying.mp4');
const drawing = `color=black:size=96x64:rate=10:duration=1,format=yuv420p,geq=lum=${quarters}:cb=128:cr=128`;
await makeMedia(lying, ['-f', 'lavfi', '-i', drawing, '-c:v', 'libx264', '-crf', '4']);

async function turned(degrees: number, [a, b, c, d]: readonly [number, number, number, number]) {
  const path = join(folder, `${degrees}.mp4`);
  const bytes = await readFile(lying);
  // The matrix starts 44 bytes after the name of the box: nine numbers of 32 bits.
  const matrix = bytes.indexOf('tkhd') + 44;
  for (const [index, value] of [a, b, 0, c, d, 0, 0, 0, 0x40000000].entries()) {
    bytes.writeInt32BE(value, matrix + index * 4);
  }
  await writeFile(path, bytes);
  return path;
}

/** The luma in the middle of each quarter of a frame. */
function corners(thumbnailFrame: Uint8Array, width: number, height: number): readonly number[] {
  const at = (x: number, y: number) =>
    thumbnailFrame[Math.floor(y * height) * width + Math.floor(x * width)] ?? -99;
  return [at(0.25, 0.25), at(0.75, 0.25), at(0.25, 0.75), at(0.75, 0.75)];
}

for (const [build, ffmpeg] of await encoders()) {
  for (const [degrees, matrix, quarters] of turns) {
    for (const name of ['a.mp4', 'a.webm']) {
      test(`${build}: a thumbnail of ${name} from an input with a rotation of ${degrees} degrees shows the output's frame, rotated for display`, async () => {
        const input = await turned(degrees, matrix);
        assert.is((await ffmpeg.probe(input)).video?.rotationDegrees, degrees);
        const { path, facts } = await encodedAndProbed(ffmpeg, input, { quality: 5 }, name);
        const [width, height] = degrees % 180 === 0 ? [96, 64] : [64, 96];
        assert.equal([facts.video?.width, facts.video?.height], [width, height]);
        const made = planThumbnails(
          {
            outputId: 7,
            path,
            media: facts,
            set: {},
            setIndex: 0,
            inputFrameRate: null,
            keyframeInterval: undefined,
          },
          ffmpeg.capabilities,
        );
        if ('failure' in made) throw new Error(made.failure.message);
        const scratch = tempFolder();
        for (const args of made.runs) {
          await ffmpeg.run(args, { signal: new AbortController().signal, scratch, onProgress: () => {} });
        }
        const reference = await testFfmpeg();
        const thumbnail = join(scratch, made.images[0] ?? '');
        const [thumbnailFrame = new Uint8Array()] = await frames(reference, thumbnail, width * height, [
          '-f',
          'image2',
        ]);
        const film = await frames(reference, path, width * height);
        const frame = film[5] ?? new Uint8Array();
        const difference = thumbnailFrame.reduce(
          (sum, value, at) => sum + Math.abs(value - (frame[at] ?? 0)),
          0,
        );
        assert.ok(difference / frame.length < 2, `${difference / frame.length}`);
        const target = quarters.map((quarter) => (((drawn[quarter] ?? 0) - 16) * 255) / 219);
        const found = corners(thumbnailFrame, width, height);
        const isNear = found.every((value, at) => Math.abs(value - (target[at] ?? 0)) < 5);
        assert.ok(isNear, `${found}, not ${target}`);
      });
    }
  }
}

test.run();
