import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.js';
import { makeMedia, testVideo } from '../helpers/media.js';
import { type FoundProgram, findProgram, skipSuite } from '../helpers/servers/find-program.js';
import { tempFolder } from '../helpers/temp.js';
import { startBrowser } from './play.js';

interface Context {
  daemon: TestDaemon;
  browser: Browser;
  server: Server;
  folder: string;
}

const name = 'venc/client in a browser';
const chromium = findProgram('chromium');
if ('missing' in chromium) skipSuite(name, chromium);
else testClient(chromium);

function testClient(program: FoundProgram): void {
  const test = suite<Context>(name);

  test.before(async (context) => {
    context.folder = tempFolder();
    const encoder = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p'];
    await makeMedia(join(context.folder, 'film.mp4'), [...testVideo('160x90', 25, 1), ...encoder]);
    context.daemon = await startTestDaemon({ filesRoots: [context.folder] });
    context.browser = await startBrowser(program);
    // Another origin than that of the daemon.
    context.server = createServer((request, response) => {
      const isModule = request.url === '/client.mjs';
      response.setHeader('Content-Type', isModule ? 'text/javascript' : 'text/html');
      response.end(
        isModule ? readFileSync('dist/venc/rest-client.mjs') : '<!doctype html><title>client</title>',
      );
    });
    await new Promise<void>((resolve) => context.server.listen(0, '127.0.0.1', resolve));
  });
  test.after(async ({ daemon, browser, server }) => {
    await browser.close();
    server.close();
    await daemon.stop();
  });

  /** Runs the body of an asynchronous function in a page, with `Venc` and the arguments of a client. */
  async function run({ browser, server, daemon, folder }: Context, body: string): Promise<unknown> {
    const page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    const options = JSON.stringify({ url: daemon.url, key: daemon.key });
    const result = await page.evaluate(
      `(async () => {
        const path = '/client.mjs';
        const { Venc } = await import(path);
        const options = ${options}, film = ${JSON.stringify(`file://${folder}/film.mp4`)};
        ${body}
      })()`,
    );
    await page.close();
    return result;
  }

  test('a page of another origin uploads, creates, follows and lists', async (context) => {
    const result = await run(
      context,
      `const venc = new Venc(options);
      const parts = [];
      const file = new File([new Uint8Array(100000)], 'größer.bin');
      const on_progress = ({ received }) => parts.push(received);
      const { url } = await venc.uploads.put(file.name, file, { part_size: 40000, on_progress });
      const states = [];
      const created = await venc.jobs.create({ input: film, outputs: [{ width: 64 }] });
      const job = await venc.jobs.wait(created, { on_progress: ({ state }) => states.push(state) });
      const { total } = await venc.jobs.list();
      return [url.slice(0, 7), parts, job.state, states.at(-1), total > 0];`,
    );
    assert.equal(result, ['upload:', [40000, 80000, 100000], 'finished', 'finished', true]);
  });

  test('errors are those of other runtimes, and a page without a key gets one that says so', async (context) => {
    const result = await run(
      context,
      `const codes = [];
      const venc = new Venc(options);
      codes.push((await venc.jobs.get(99999).catch((error) => error)).code);
      codes.push((await venc.jobs.create({ input: film, outputs: [{ width: 1 }] }).catch((error) => error)).field);
      const other = new Venc({ ...options, key: 'wrong' });
      codes.push((await other.jobs.list().catch((error) => error)).code);
      const gone = new Venc({ url: 'http://127.0.0.1:1', key: 'k', retries: 0 });
      codes.push((await gone.jobs.list().catch((error) => error)).code);
      codes.push(await venc.jobs.get(1, { signal: AbortSignal.abort('stopped') }).catch((reason) => reason));
      try { new Venc({ url: options.url }); } catch (error) { codes.push(error.message, error.hint.includes('key')); }
      return codes;`,
    );
    assert.equal(result, [
      ...['not_found', 'outputs[0].width', 'unauthorized', 'unreachable', 'stopped'],
      ...['There is no API key.', true],
    ]);
  });

  test.run();
}
