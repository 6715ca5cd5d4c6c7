import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestDaemon } from '../helpers/daemon.js';
import { media } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';
import { fakeFfmpeg } from './fake-ffmpeg.js';

test('control codes of terminals in a message of ffmpeg are escaped in the failure of an output', async () => {
  const folder = tempFolder();
  const input = join(folder, 'film\u001b]0;owned\u0007.mp4');
  await copyFile(await media('clip.mp4'), input);
  const fake = await fakeFfmpeg();
  // As ffmpeg quotes the name of a file: it escapes nothing.
  await fake.does(
    String.raw`printf 'Cannot use "film\033]0;owned\007.mp4", \033[31mwhich\302\233 is\tbad\n' >&2; exit 1`,
  );
  const daemon = await startTestDaemon({ filesRoots: [folder], ffmpeg: fake.path });
  try {
    const id = await daemon.create({ input: pathToFileURL(input).href });
    const { output_media_files: outputs } = await daemon.waitForJob(id);
    const message = String.raw`The encoder failed: Cannot use "film\x1b]0;owned\x07.mp4", \x1b[31mwhich\x9b is bad`;
    assert.is(outputs[0]?.error_message, message);
    for (const path of [`/v2/jobs/${id}`, '/v2/jobs', `/v2/outputs/${outputs[0]?.id}`]) {
      const text = await (await daemon.request(path)).text();
      assert.not.match(text, /u001b|u0007|\\u009b/);
      const xml = await (await daemon.request(`${path}.xml`)).text();
      // biome-ignore lint/suspicious/noControlCharactersInRegex: none may be there.
      assert.not.match(xml.replaceAll('\n', ''), /[\u0000-\u001f\u007f-\u009f]/);
    }
  } finally {
    await daemon.stop();
  }
});

test.run();
