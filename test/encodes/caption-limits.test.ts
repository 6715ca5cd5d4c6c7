import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestDaemon } from '../helpers/daemon.js';
import { film, makeMedia } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';

const caption = '1\n00:00:00,250 --> 00:00:01,125\nword\n\n';

/** The state and the error of each output of type captions that is made of the given caption file. */
async function statesOf(files: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const folder = tempFolder();
  await makeMedia(join(folder, 'in.mp4'), film('64x48', 1));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const daemon = await startTestDaemon({ filesRoots: [folder] });
  try {
    const id = await daemon.create({
      input: `file://${folder}/in.mp4`,
      outputs: Object.keys(files).map((name) => ({
        type: 'captions',
        url: `file://${folder}/${name}.vtt`,
        caption_url: `file://${folder}/${name}`,
      })),
    });
    const { output_media_files: outputs } = await daemon.waitForJob(id);
    return outputs.map(({ state, error_class, error_message }) =>
      state === 'finished' ? state : `${error_class} ${error_message}`,
    );
  } finally {
    await daemon.stop();
  }
}

test('the caption files of a job have a limit in total, and the daemon goes on', async () => {
  const large = `${caption}${'x'.repeat(17_000_000)}\n`;
  const states = await statesOf({
    'a.srt': large,
    'b.srt': large,
    'c.srt': large,
    'd.srt': caption,
    'e.srt': caption.repeat(100_001),
  });
  assert.equal(states.slice(0, 2), ['finished', 'finished']);
  assert.match(
    states[2] ?? '',
    /^CaptionError The caption file file:\/\/\S+\/c\.srt cannot be read: the caption files of a job may have at most 40 MB in total\.$/,
  );
  assert.is(states[3], 'finished');
  assert.match(
    states[4] ?? '',
    /^CaptionError The caption file file:\/\/\S+\/e\.srt cannot be read: it has more than 100,000 captions; remove some, or divide it into several files\.$/,
  );
});

test('the caption files of a job have at most 500,000 captions in total', async () => {
  const many = '0:0:0-->0:0:1\nx\n'.repeat(100_000);
  const names = Array.from({ length: 6 }, (_, index) => `${index}.srt`);
  const states = await statesOf(Object.fromEntries(names.map((name) => [name, many])));
  assert.equal(
    states.slice(0, 5),
    names.slice(0, 5).map(() => 'finished'),
  );
  assert.match(states[5] ?? '', /5\.srt cannot be read: .* at most 500,000 captions in total\.$/);
});

test('a file that many outputs use counts once, and its download is read once', async () => {
  const folder = tempFolder();
  await makeMedia(join(folder, 'in.mp4'), film('64x48', 1));
  const large = `${caption}${'x'.repeat(15_000_000)}\n`;
  const server = createServer((_, response) => response.end(large)).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/a.srt`;
  const daemon = await startTestDaemon({ filesRoots: [folder], allowPrivateNetwork: true });
  try {
    const outputs = ['a.vtt', 'b.srt', 'c.dfxp', 'd.vtt'].map((name) => ({
      ...{ type: 'captions', url: `file://${folder}/${name}`, caption_url: url },
    }));
    const id = await daemon.create({ input: `file://${folder}/in.mp4`, outputs });
    const { output_media_files: files } = await daemon.waitForJob(id);
    assert.equal(
      files.map(({ state, error_message }) => [state, error_message]),
      outputs.map(() => ['finished', null]),
    );
  } finally {
    await daemon.stop();
    server.close();
  }
});

test.run();
