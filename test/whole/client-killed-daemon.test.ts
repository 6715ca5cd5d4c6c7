import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { killDaemons, processKey, startDaemonProcess } from '../helpers/daemon-process.js';
import { makeMedia, testVideo } from '../helpers/media.js';
import { client } from '../helpers/rest-client.js';
import { tempFolder } from '../helpers/temp.js';

const test = suite('venc/client and a daemon that is killed');
test.after(killDaemons);

test('a wait and an upload go on when the daemon is started again', async () => {
  const folder = tempFolder();
  const encoder = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p'];
  await makeMedia(join(folder, 'film.mp4'), [...testVideo('320x180', 25, 20), ...encoder]);
  const args = ['--files-root', folder];
  const data = join(folder, 'data');
  const first = await startDaemonProcess(data, args);
  const venc = new client.Venc({ url: first.url, key: processKey });
  const job = await venc.jobs.create({
    input: `file://${folder}/film.mp4`,
    outputs: [{ speed: 2, width: 1280 }],
  });
  let isKilled = false;
  const restart = async () => {
    isKilled = true;
    await first.end('SIGKILL');
    await startDaemonProcess(data, [...args, '--port', new URL(first.url).port]);
  };
  let restarted: Promise<void> | null = null;
  const waited = venc.jobs.wait(job);
  const bytes = new Uint8Array(4_000_000).fill(7);
  const uploaded = await venc.uploads.put('bytes.bin', bytes, {
    part_size: 250_000,
    on_progress: ({ received }) => {
      if (!isKilled && received > 1_000_000) restarted = restart();
    },
  });
  assert.match(uploaded.url, /^upload:/);
  assert.ok(isKilled);
  await restarted;
  assert.is((await waited).state, 'finished');
});

test.run();
