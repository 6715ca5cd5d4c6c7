import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { dataLayout, jobLogFile } from '../../daemon/store/data-folder/layout.js';
import type { JobProgressRecord, LogRecord } from '../../src/shared/records.js';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.js';
import { makeMedia, media, testVideo } from '../helpers/media.js';
import { findProgram, skipSuite } from '../helpers/servers/find-program.js';
import { type HttpSource, startHttpSource, startSocketSource } from '../helpers/servers/http-source.js';
import { tempFolder } from '../helpers/temp.js';
import { waitUntil } from '../helpers/wait-until.js';
import { assertFits, openPage } from './page-browser.js';
import { startBrowser } from './play.js';

interface Context {
  daemon: TestDaemon;
  browser: Browser;
  folder: string;
  /** Sends the beginning of a film. */
  source: HttpSource;
  /** Never greets. */
  silent: Awaited<ReturnType<typeof startSocketSource>>;
}

/** A name with quotes, a line feed, a code of terminals and marks of right-to-left text. */
const odd = 'a "quoted"\nname \u001b[31m \u202e4pm.exe \u2067\'<b>';
const oddShown = String.raw`a "quoted"\x0aname \x1b[31m \u202e4pm.exe \u2067'<b>`;

/** A label has no control characters. */
const oddLabel = odd.replaceAll('\n', ' ').replaceAll('\u001b', '');

const name = 'a job in a browser';
const chromium = findProgram('chromium');
if ('missing' in chromium) skipSuite(name, chromium);
else {
  const test = suite<Context>(name);

  test.before(async (context) => {
    context.folder = tempFolder();
    const encoder = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p'];
    await makeMedia(join(context.folder, 'long.mp4'), [...testVideo('640x360', 25, 60), ...encoder]);
    context.source = await startHttpSource((_, response) => {
      response.writeHead(200, { 'Content-Type': 'video/mp4', 'Content-Length': 1_000_000 });
      response.write(Buffer.alloc(100_000));
    });
    context.silent = await startSocketSource(() => {});
    context.daemon = await startTestDaemon({ filesRoots: [context.folder], stallTimeoutSeconds: 300 });
    context.browser = await startBrowser(chromium);
  });
  test.after(async ({ daemon, browser, source, silent }) => {
    await browser?.close();
    await daemon?.stop();
    await source?.close();
    await silent?.close();
  });

  test('a job is cancelled in each of its stages', async ({ daemon, browser, folder, source, silent }) => {
    const { page, problems } = await openPage(browser, daemon.url, daemon.key);
    page.on('dialog', (dialog) => void dialog.accept());
    const short = pathToFileURL(join(folder, 'short.mp4')).href;
    await copyFile(await media('silent.mp4'), join(folder, 'short.mp4'));
    const downloading = await daemon.create({ input: source.url('/never.mp4') });
    await daemon.waitForProgress(downloading, ({ input }) => input.state === 'processing');
    // A download holds no other job back.
    const set = (path: string) => daemon.request(path, { method: 'PUT' });
    assert.is((await set('/v2/queue/pause')).status, 200);
    const waiting = await daemon.create({ input: short });
    await cancelOn(page, daemon, waiting, /^$/);
    assert.is((await set('/v2/queue/resume')).status, 200);
    await cancelOn(page, daemon, downloading, /downloading/i);
    const input = pathToFileURL(join(folder, 'long.mp4')).href;
    const encoding = await daemon.create({ input, outputs: [{ speed: 1, width: 1280 }] });
    await daemon.waitForProgress(encoding, hasOutputEvent('transcoding'));
    await cancelOn(page, daemon, encoding, /transcoding/i);
    const url = `ftp://${new URL(silent.url).host}/film.mp4`;
    const uploading = await daemon.create({ input: short, outputs: [{ url, speed: 1 }] });
    await daemon.waitForProgress(uploading, hasOutputEvent('uploading'));
    await cancelOn(page, daemon, uploading, /uploading/i);
    assert.equal(problems, []);
    await page.context().close();
  });

  test('an odd name is shown as text in each view, with its marks escaped', async (context) => {
    const { daemon, browser, folder } = context;
    const path = join(folder, `${odd}.mp4`);
    await copyFile(await media('silent.mp4'), path);
    const id = await daemon.create({
      input: pathToFileURL(path).href,
      outputs: [{ label: oddLabel, speed: 1 }],
    });
    const { state } = await daemon.waitForJob(id);
    assert.is(state, 'finished');
    const lost = await daemon.create({ input: pathToFileURL(join(folder, `no ${odd}.mp4`)).href });
    await daemon.waitForJob(lost);
    const { page, problems } = await openPage(browser, daemon.url, daemon.key, {
      viewport: { width: 360, height: 700 },
    });
    for (const view of ['', `jobs/${id}`, `jobs/${lost}`, `jobs/${id}/compare`]) {
      await page.goto(`${daemon.url}/ui/${view}`);
      await page.waitForSelector('h1');
      await waitUntil(`${view} shows the name`, async () =>
        (await page.innerText('main')).includes(oddShown),
      );
      assert.equal(await page.evaluate(rawMarks), [], view);
      assert.is(await page.locator('main b').count(), 0, view);
      await assertFits(page, view);
    }
    assert.equal(problems, []);
    await page.context().close();
  });

  test('codes of terminals in a log are escaped', async ({ daemon, browser }) => {
    const id = await daemon.create({ input: 'http://127.0.0.1:9/film.mp4' });
    await daemon.request(`/v2/jobs/${id}/cancel`, { method: 'PUT' });
    const path = jobLogFile(dataLayout(daemon.dataFolder), id);
    await mkdir(dirname(path), { recursive: true });
    const text =
      '\u001b]0;owned\u0007\u001b[2J\u009b31mred\u202e\u0000 \r<script>globalThis.isRun = 1</script>';
    const lines = Array.from({ length: 3 }, (_, index): LogRecord => {
      const time = new Date().toISOString();
      const line = {
        id: String(2e15 + index),
        time,
        level: 'error',
        message: `${index} ${text}`,
        job_id: id,
      };
      return { ...line, level: 'error', stderr: [`ffmpeg: ${text}`] };
    });
    await writeFile(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    const { page, problems } = await openPage(browser, daemon.url, daemon.key);
    await page.goto(`${daemon.url}/ui/jobs/${id}`);
    const shown = String.raw`\x1b]0;owned\x07\x1b[2J\x9b31mred\u202e\x00 \x0d<script>`;
    await page.waitForSelector('#log');
    const log = await page.innerText('#log');
    for (const prefix of ['0 ', '2 ', 'ffmpeg: ']) assert.ok(log.includes(`${prefix}${shown}`), log);
    assert.equal(await page.evaluate(rawMarks), []);
    assert.is(await page.evaluate('globalThis.isRun'), undefined);
    assert.equal(problems, []);
    await page.context().close();
  });

  test.run();
}

function hasOutputEvent(event: string) {
  return ({ outputs }: JobProgressRecord) => outputs.some(({ current_event: current }) => current === event);
}

/** Opens a job, waits until the page shows its stage, and cancels it by the button. */
async function cancelOn(page: Page, daemon: TestDaemon, id: number, stage: RegExp): Promise<void> {
  await page.goto(`${daemon.url}/ui/jobs/${id}`);
  await page.waitForSelector('.actions button:has-text("Cancel")');
  await waitUntil(`the page shows ${stage}`, async () => {
    const [line = ''] = await page.locator('.progress-line').allInnerTexts();
    return stage.source === '^$' ? !/ing/.test(line) : stage.test(line);
  });
  await page.click('.actions button:has-text("Cancel")');
  await page.waitForSelector('.head .state:text-is("cancelled")');
  await page.waitForSelector('.actions button:has-text("Resubmit")');
  assert.is(await page.locator('.progress-line').count(), 0);
  assert.is((await daemon.waitForJob(id)).state, 'cancelled');
}

/** The texts of a document with characters that control a terminal or the direction of text. */
const rawMarks = `(() => {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const found = [];
  while (walker.nextNode()) {
    const { data, parentElement } = walker.currentNode;
    if (parentElement.tagName === 'SCRIPT') continue;
    if (/[\\u0000-\\u0009\\u000b-\\u001f\\u007f-\\u009f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069]/.test(data))
      found.push(JSON.stringify(data));
  }
  return found;
})()`;
