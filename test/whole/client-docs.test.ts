import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import * as assert from 'uvu/assert';
import { daemonSuite, type TestDaemon } from '../helpers/daemon.js';
import { makeMedia, testVideo } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';

interface Context {
  daemon: TestDaemon;
  folder: string;
}

const test = daemonSuite<Context>('the examples of docs/client.md', async (context) => {
  context.folder = tempFolder();
  const encoder = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p'];
  await makeMedia(join(context.folder, 'film.mp4'), [...testVideo('160x90', 25, 1), ...encoder]);
  copyFileSync(join(context.folder, 'film.mp4'), join(context.folder, 'film.mov'));
  mkdirSync(join(context.folder, 'node_modules'));
  symlinkSync(resolve('.'), join(context.folder, 'node_modules/venc'));
  return { filesRoots: [context.folder] };
});

const examples = [...readFileSync('docs/client.md', 'utf8').matchAll(/^```js\n([\s\S]*?)^```$/gm)].map(
  ([, text = '']) => text,
);

for (const [index, example] of examples.entries()) {
  test(`example ${index + 1} runs`, async ({ daemon, folder }) => {
    const path = join(folder, `example-${index}.mjs`);
    writeFileSync(path, example);
    const env = { ...process.env, VENC_URL: daemon.url, VENC_API_KEY: daemon.key };
    const { stderr } = await promisify(execFile)(process.execPath, [path], {
      cwd: folder,
      env,
      timeout: 60_000,
    });
    assert.is(stderr, '');
  });
}

test('there are examples', () => assert.ok(examples.length >= 4, `${examples.length}`));

test.run();
