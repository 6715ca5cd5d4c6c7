import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { runCli } from '../cli/run-cli.js';
import { addDolbyVisionBox } from '../helpers/dolby-vision.js';
import { makeMedia, testVideo } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';

const hevc = [
  '-c:v',
  'libx265',
  '-preset',
  'ultrafast',
  '-x265-params',
  'log-level=error',
  '-tag:v',
  'hvc1',
] as const;

for (const [what, profile, compatibility, isTaken] of [
  ['Dolby Vision profile 5 is rejected with its name in the message', 5, 0, false],
  ['a Dolby Vision track without a configuration record is rejected', null, 0, false],
  ['Dolby Vision profile 8, which is compatible with HDR10, is accepted', 8, 1, true],
] as const) {
  test(what, async () => {
    const folder = tempFolder();
    await makeMedia(join(folder, 'in.mp4'), [...testVideo('160x120', 25, 0.2), ...hevc]);
    await addDolbyVisionBox(join(folder, 'in.mp4'), profile, compatibility);
    const words = ['run', 'in.mp4', '-o', 'out.mp4', '--progress', 'none', '--speed', '5'];
    const { code, stderr } = await runCli(words, { cwd: folder });
    assert.is(code === 0, isTaken, stderr);
    if (isTaken) return;
    assert.match(stderr, /UnsupportedInputError/);
    assert.match(stderr, /Dolby Vision profile 5/);
  });
}

test.run();
