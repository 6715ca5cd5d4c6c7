import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { makeMedia, testVideo } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';
import { measure, runShipped, shippedBuilds } from './shipped.js';

/** The values of a field in the headers of a file's video packets, in order. */
async function headersOf(path: string, field: RegExp): Promise<readonly number[]> {
  const args = ['-map', '0:v', '-c', 'copy', '-bsf:v', 'trace_headers', '-f', 'null', '-'];
  const { stderr } = await measure('-loglevel', 'trace', '-i', `file:${path}`, ...args);
  return stderr.split('\n').flatMap((line) => {
    const found = /(\w+)\s+[01]+ = (\d+)\s*$/.exec(line);
    return found !== null && field.test(found[1] ?? '') ? [Number(found[2])] : [];
  });
}

const quick = ['--speed', '5', '--skip-audio'] as const;

for (const build of await shippedBuilds()) {
  const test = suite(`encoder details, ${build.name}`);

  for (const [codec, name] of [
    ['vp9', 'a.webm'],
    ['av1', 'a.mp4'],
  ] as const) {
    test(`${codec} from 1280 pixels wide has tile columns for several threads`, async () => {
      const input = join(tempFolder(), 'in.mp4');
      await makeMedia(input, [...testVideo('1280x720', 25, 0.08), '-c:v', 'libx264', '-preset', 'ultrafast']);
      const output = await runShipped(build, input, name, ['--video-codec', codec, ...quick]);
      const found = await headersOf(output, /^tile_cols_log2$/);
      assert.equal(new Set(found), new Set([2]));
    });
  }

  test('a keyframe of HEVC starts a closed GOP: no later frame references an earlier one', async () => {
    const input = join(tempFolder(), 'in.mp4');
    await makeMedia(input, [...testVideo('320x240', 25, 2), '-c:v', 'libx264', '-preset', 'ultrafast']);
    const words = ['--video-codec', 'hevc', '--keyframe-interval', '12', '--skip-audio', '--speed', '3'];
    const output = await runShipped(build, input, 'a.mp4', words);
    const types = new Set(await headersOf(output, /^nal_unit_type$/));
    // 19 and 20 are IDR frames. 21 is a CRA frame, which may have leading frames.
    assert.ok(types.has(19) || types.has(20), [...types].join());
    assert.not.ok(types.has(21));
  });

  test.run();
}
