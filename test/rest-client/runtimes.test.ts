import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { delimiter, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import * as assert from 'uvu/assert';
import { daemonSuite, type TestDaemon } from '../helpers/daemon.js';
import { makeMedia, testVideo } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';

interface Context {
  daemon: TestDaemon;
  folder: string;
}

const test = daemonSuite<Context>('venc/client in other runtimes', async (context) => {
  context.folder = tempFolder();
  const encoder = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p'];
  await makeMedia(join(context.folder, 'film.mp4'), [...testVideo('160x90', 25, 1), ...encoder]);
  mkdirSync(join(context.folder, 'node_modules'));
  symlinkSync(resolve('.'), join(context.folder, 'node_modules/venc'));
  writeFileSync(
    join(context.folder, 'program.mjs'),
    `import { Venc, VencError } from 'venc/client';${program}`,
  );
  writeFileSync(
    join(context.folder, 'program.cjs'),
    `const { Venc, VencError } = require('venc/client'); (async () => {${program}})();`,
  );
  return { filesRoots: [context.folder] };
});

/** Uses every part of the client that depends on the runtime. */
const program = `
const venc = new Venc();
const upload = await venc.uploads.put('größer.bin', new Blob([new Uint8Array(100_000)]), { part_size: 30_000 });
const created = await venc.jobs.create({ input: 'file://' + process.argv[2], outputs: [{ width: 64 }] });
const job = await venc.jobs.wait(created);
const { total } = await venc.jobs.list();
const error = await venc.jobs.get(99_999).catch((error) => error);
const aborted = await venc.jobs.get(1, { signal: AbortSignal.abort('stopped') }).catch((reason) => reason);
const refused = await new Venc({ url: 'http://127.0.0.1:' + process.argv[3], retries: 0 }).jobs.list().catch((error) => error);
const facts = [upload.url.slice(0, 7), job.state, total > 0, error instanceof VencError, error.code, aborted, refused.code];
console.log(JSON.stringify(facts));
`;

const expected = ['upload:', 'finished', true, true, 'not_found', 'stopped', 'refused'];

const runtimes = [
  ['node', []],
  ['deno', ['run', '--allow-net', '--allow-env', '--allow-read', '--node-modules-dir=manual']],
  ['bun', ['run']],
] as const;

/** A port at which nothing listens. */
async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** The path of a program; null if there is none. */
function find(name: string): string | null {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path)) ?? null;
}

for (const [name, args] of runtimes) {
  const path = name === 'node' ? process.execPath : find(name);
  for (const file of ['program.mjs', 'program.cjs']) {
    const run = async ({ daemon, folder }: Context) => {
      const env = { ...process.env, VENC_URL: daemon.url, VENC_API_KEY: daemon.key };
      const words = [...args, join(folder, file), join(folder, 'film.mp4'), String(await closedPort())];
      const { stdout } = await promisify(execFile)(path ?? '', words, { env, cwd: folder, timeout: 120_000 });
      assert.equal(JSON.parse(stdout), expected);
    };
    if (path === null) test.skip(`${name} runs ${file}: it is not installed`);
    else test(`${name} runs ${file}`, run);
  }
}

test.run();
