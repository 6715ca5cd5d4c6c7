import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import * as assert from 'uvu/assert';
import type { TestDaemon } from '../helpers/daemon.js';
import { launchDaemon, processKey } from '../helpers/daemon-process.js';
import { makeJobs } from '../helpers/make-jobs.js';
import { tempFolder } from '../helpers/temp.js';
import { browserSuite, openPage } from './page-browser.js';

interface Context {
  daemon: TestDaemon;
  browser: Browser;
}

/** A proxy that keeps the events of a daemon back while `isBuffering`. */
async function startProxy(target: string) {
  const state = { isBuffering: true };
  const proxy = createServer((incoming: IncomingMessage, outgoing: ServerResponse) => {
    const { method, headers, url = '/' } = incoming;
    const passed = request(new URL(url, target), { method, headers, agent: false }, (answer) => {
      if (state.isBuffering && String(answer.headers['content-type']).startsWith('text/event-stream'))
        return void answer.resume();
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    passed.on('error', () => outgoing.destroy());
    outgoing.on('close', () => passed.destroy());
    incoming.pipe(passed);
  });
  await new Promise<void>((listening) => proxy.listen(0, '127.0.0.1', listening));
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  return { url, state, close: () => void proxy.close().closeAllConnections() };
}

const test = browserSuite<Context>('the list of the page as it goes on', { jobs: 0 });

test('behind a proxy that keeps events back, list and job are read again', async ({ daemon, browser }) => {
  const proxy = await startProxy(daemon.url);
  const first = await daemon.create({ input: 'http://127.0.0.1:9/first.mp4' });
  const context = await browser.newContext();
  // As in openPage, which waits for the stream: other suites encode at the same time.
  context.setDefaultTimeout(90_000);
  const page = await context.newPage();
  await page.goto(`${proxy.url}/ui/`);
  await page.fill('#key', daemon.key);
  await page.click('form.sign-in button');
  await page.waitForSelector('text=first.mp4');
  await page.waitForSelector('text=A proxy keeps back the events');
  await daemon.create({ input: 'http://127.0.0.1:9/second.mp4' });
  await page.waitForSelector('text=second.mp4');
  const job = await page.context().newPage();
  await job.goto(`${proxy.url}/ui/jobs/${first}`);
  await job.waitForSelector('.state.is-waiting');
  await daemon.request(`/v2/jobs/${first}/cancel`, { method: 'PUT' });
  await job.waitForSelector('.state.is-cancelled');
  // Without the buffer, the stream is used again, and the sentence disappears.
  proxy.state.isBuffering = false;
  await page.waitForSelector('#connection', { state: 'hidden' });
  await page.context().close();
  proxy.close();
});

test('the address of a page of the list leads to its first row', async ({ browser }) => {
  const dataFolder = join(tempFolder(), 'data');
  const now = Date.now();
  makeJobs(dataFolder, {
    count: 400,
    firstEnd: new Date(now - 86_400_000),
    lastEnd: new Date(now - 1000),
  });
  const listed = await launchDaemon(dataFolder, ['--jobs', '0'], {});
  const { page } = await openPage(browser, listed.url, processKey);
  const topPosition = () =>
    page.evaluate<string | null>(
      `(() => {
        const rows = [...document.querySelectorAll('li.job')];
        return rows.find((row) => row.getBoundingClientRect().bottom > 1)?.getAttribute('aria-posinset') ?? null;
      })()`,
    );
  for (const [query, position] of [
    ['?page=3', '101'],
    ['?page=2', '51'],
    ['?page=1', '1'],
  ] as const) {
    await page.goto(`${listed.url}/ui/${query}`);
    await page.waitForSelector(`li.job[aria-posinset="${position}"] a`);
    assert.is(await topPosition(), position, query);
  }
  await page.context().close();
  await listed.end('SIGTERM');
});

test.run();
