// A worker without a server: takes files from a folder, encodes each once, and goes on where it was after a restart.
//   node queue-worker.mjs inbox/ outbox/
import { mkdir, readdir, rename, rm, watch, writeFile } from 'node:fs/promises';
import { join, parse } from 'node:path';
import { configure, encode } from 'venc';

const [inbox, outbox] = process.argv.slice(2);
const taken = join(inbox, '.taken');
await mkdir(taken, { recursive: true });
await mkdir(outbox, { recursive: true });
configure({ concurrency: 2 });

// Ctrl-C ends ffmpeg. The files that were being encoded are taken again at the next start.
const controller = new AbortController();
for (const name of ['SIGINT', 'SIGTERM']) process.once(name, () => controller.abort(new Error(name)));

const running = new Set();

/** Encodes a file. A failure is written next to the outputs. */
async function work(name) {
  const stem = join(outbox, parse(name).name);
  try {
    const options = { output: `${stem}.mp4`, height: 720, upscale: false, overwrite: true };
    const { warnings } = await encode(join(taken, name), options, { signal: controller.signal });
    for (const { field, message } of warnings) console.warn(`${name}: ${field}: ${message}`);
    console.log(`${name} is encoded`);
  } catch (error) {
    if (controller.signal.aborted) return;
    await writeFile(`${stem}.error.json`, JSON.stringify({ code: error.code, message: error.message }));
    console.error(`${name}: ${error.message}`);
  }
  await rm(join(taken, name), { force: true });
}

/** Takes all files that are there. A file must be moved into the folder, so that it is complete. */
async function takeAll() {
  for (const entry of await readdir(inbox, { withFileTypes: true })) {
    if (!entry.isFile() || entry.name.startsWith('.')) continue;
    // Of several workers only one can move a file.
    const isMine = await rename(join(inbox, entry.name), join(taken, entry.name)).then(
      () => true,
      () => false,
    );
    if (isMine) start(entry.name);
  }
}

function start(name) {
  const job = work(name).finally(() => running.delete(job));
  running.add(job);
}

for (const name of await readdir(taken)) start(name);
await takeAll();
try {
  for await (const _ of watch(inbox, { signal: controller.signal })) await takeAll();
} catch (error) {
  if (error.name !== 'AbortError') throw error;
}
await Promise.all(running);
