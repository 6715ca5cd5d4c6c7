import { copyFile, mkdir, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import * as assert from 'uvu/assert';
import { openFolderSetup } from '../../daemon/admin/open-setup.js';
import { createKey } from '../../daemon/store/accounts/api-keys.js';
import type { JobRecord } from '../../src/shared/records.js';
import type { TestDaemon } from '../helpers/daemon.js';
import { makeMedia, media, testVideo } from '../helpers/media.js';
import { startRelay } from '../helpers/relay.js';
import { tempFolder } from '../helpers/temp.js';
import { pollUntil, waitUntil } from '../helpers/wait-until.js';
import { assertAccessible, assertFits, browserSuite, openPage } from './page-browser.js';
import { longestTaskMs } from './page-measure.js';

interface Context {
  daemon: TestDaemon;
  browser: Browser;
  session: BrowserContext;
  page: Page;
  /** Problems that the document has reported. */
  problems: string[];
}

const test = browserSuite<Context>('the form for new jobs in a browser', { jobs: 1 });

test.before.each(async (context) => {
  const { browser, daemon } = context;
  const { page, problems } = await openPage(browser, daemon.url, daemon.key);
  Object.assign(context, { page, problems, session: page.context() });
  await openForm(page, daemon.url);
});
test.after.each(async ({ session, problems }) => {
  await session.close();
  assert.equal(problems, []);
});

test('a folder that is dropped: its media files are uploaded, and each gets a job', async ({
  page,
  session,
  daemon,
}) => {
  const folder = join(tempFolder(), 'films');
  const odd = 'we"ird\nna\u202eme<b>.mp4';
  await mkdir(join(folder, 'season'), { recursive: true });
  const film = await media('silent.mp4');
  await copyFile(film, join(folder, 'film.mp4'));
  await copyFile(film, join(folder, 'season', odd));
  await writeFile(join(folder, 'empty.mov'), '');
  await writeFile(join(folder, 'notes.txt'), 'x');
  await writeFile(join(folder, '.hidden.mp4'), 'x');
  await drop(session, page, [folder]);
  await page.waitForSelector('text=Passed over 1 file of no known media type (1 .txt).');
  assert.match(await rowOf(page, 'empty.mov').innerText(), 'It is empty: it has 0 bytes.');
  assert.is(await page.locator('.upload').count(), 3);
  await page.click('text="More settings"');
  await page.fill('#settings', '{"outputs": [{"height": 72, "speed": 1}]}');
  await page.click('#submit [type=submit]');
  const record = await jobOfRow(page, daemon, 'film.mp4');
  assert.is(record.state, 'finished');
  assert.is(record.output_media_files[0]?.height, 72);
  assert.is(record.input_name, 'films/film.mp4');
  const other = await jobOfRow(page, daemon, 'ird');
  assert.is(other.state, 'finished');
  assert.is(other.input_name, 'films/season/we"ird\\x0ana\\u202eme<b>.mp4');
});

test('an upload goes on after a broken connection, and after a reload', async ({ page, daemon }) => {
  const path = join(tempFolder(), 'long.avi');
  await makeMedia(path, [...testVideo('320x240', 25, 4), '-c:v', 'rawvideo', '-pix_fmt', 'yuv420p']);
  const target = Number(new URL(daemon.url).port);
  const relay = await startRelay(target);
  await openForm(page, `http://127.0.0.1:${relay.port}`);
  // An upload stops by itself: how fast the machine is does not matter.
  relay.limit(3_000_000);
  await page.setInputFiles('#files', path);
  await page.click('#submit [type=submit]');
  await waitForPercent(page, 10);
  await relay.close();
  await page.waitForSelector('text=The daemon does not answer. Trying again.');
  const next = await startRelay(target, relay.port);
  next.limit(3_000_000);
  await waitUntil('the upload goes on', () => next.bytes().toServer > 2_000_000);
  const question = new Promise<void>((resolve) => {
    page.on('dialog', (dialog) => {
      assert.is(dialog.type(), 'beforeunload');
      void dialog.accept().then(resolve);
    });
  });
  // The question is only asked after the page was used.
  await page.click('h1');
  await Promise.all([question, page.reload()]);
  await page.waitForSelector('text=Not complete: long.avi.');
  let sentBytes = 0;
  page.on('request', (request) => {
    if (request.method() !== 'PUT') return;
    const { searchParams } = new URL(request.url());
    sentBytes += Number(searchParams.get('size')) - Number(searchParams.get('offset'));
  });
  next.limit(Number.POSITIVE_INFINITY);
  await page.setInputFiles('#files', path);
  await page.click('#submit [type=submit]');
  const { state, input_media_file: input } = await jobOfRow(page, daemon, 'long.avi');
  assert.is(state, 'finished');
  assert.ok(sentBytes < 0.9 * (input.file_size_bytes ?? 0), `${sentBytes} bytes were sent again`);
  await next.close();
});

test('cancelling an upload removes it from the list and from the daemon', async ({ page, daemon }) => {
  const path = join(tempFolder(), 'cancelled.avi');
  await writeFile(path, Buffer.alloc(20_000_000));
  const relay = await startRelay(Number(new URL(daemon.url).port));
  relay.limit(3_000_000);
  await openForm(page, `http://127.0.0.1:${relay.port}`);
  await page.setInputFiles('#files', path);
  await page.click('#submit [type=submit]');
  await waitForPercent(page, 2);
  const removed = page.waitForResponse((response) => response.request().method() === 'DELETE');
  await page.click('.upload button:has-text("Cancel")');
  assert.is((await removed).status(), 204);
  await waitUntil('it is gone', async () => (await page.locator('.upload').count()) === 0);
  await relay.close();
});

test('a file that does not fit on the disk says so, and the others go on', async ({ page, daemon }) => {
  const path = join(tempFolder(), 'huge.mp4');
  await writeFile(path, '');
  await truncate(path, 8e12);
  await page.setInputFiles('#files', [path, await media('silent.mp4')]);
  await page.click('#submit [type=submit]');
  // It fails at once, so that it keeps no others waiting.
  await page.waitForSelector('.upload :text("There is no space left on the disk of the daemon. Free space")');
  await page.waitForSelector('.upload:has-text("huge.mp4") button:has-text("Try again")');
  assert.is((await jobOfRow(page, daemon, 'silent.mp4')).state, 'finished');
  await page.click('[aria-label="Remove huge.mp4"]');
  await waitUntil('it is gone', async () => (await page.locator('.upload').count()) === 1);
});

test('an ended session keeps the files, and the upload goes on after another sign-in', async ({
  page,
  daemon,
  session,
}) => {
  await page.setInputFiles('#files', await media('silent.mp4'));
  await session.clearCookies();
  await page.click('#submit [type=submit]');
  await page.waitForSelector('[role=alert] :text("The session has ended.")');
  const other = await session.newPage();
  await other.goto(`${daemon.url}/ui/`);
  await other.fill('#key', daemon.key);
  await other.click('form.sign-in button');
  await other.waitForSelector('nav');
  await page.click('#submit [type=submit]');
  assert.is((await jobOfRow(page, daemon, 'silent.mp4')).state, 'finished');
});

test('what is wrong with the settings is shown before anything is uploaded', async ({ page }) => {
  const uploads: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes('/uploads/')) uploads.push(request.url());
  });
  await page.setInputFiles('#files', await media('silent.mp4'));
  await page.click('text="More settings"');
  const errors = page.locator('[role=alert] li');
  await page.fill('#settings', '{"outputs": [{"height": "x", "video_codec": "none"}]}');
  await page.click('#submit [type=submit]');
  await waitUntil('the errors are shown', async () => (await errors.count()) === 2);
  assert.match((await errors.allInnerTexts()).join('\n'), 'outputs[0].height must be a whole number');
  await page.fill('#settings', '{"outputs": [}');
  await page.click('#submit [type=submit]');
  await page.waitForSelector('[role=alert] :text("syntax error in the JSON ")');
  await page.fill('#settings', '{"outputs": [{"height": 240}]}');
  await page.check('#ladder');
  await page.click('#submit [type=submit]');
  await page.waitForSelector('[role=alert] :text("height contradicts the ladder of renditions")');
  assert.equal(uploads, []);
  assert.is(await page.locator('.upload.is-waiting').count(), 1);
});

test('a URL with a preset and a ladder becomes one job', async ({ page, daemon }) => {
  await page.fill('#url', 'http://127.0.0.1:9/film.mp4');
  await page.selectOption('#preset', 'small');
  await page.check('#ladder');
  await page.click('#submit [type=submit]');
  await page.waitForSelector('[role=alert] :text("contradicts the ladder")');
  await page.selectOption('#preset', 'hls');
  await page.click('#submit [type=submit]');
  const link = page.locator('[role=alert] a');
  const id = Number(/\d+$/.exec((await link.getAttribute('href')) ?? '')?.[0]);
  const { job } = await daemon.read<{ job: JobRecord }>(`/v2/jobs/${id}`);
  assert.ok(job.output_media_files.some(({ label }) => label === 'playlist'));
  await page.fill('#url', '');
  await page.click('#submit [type=submit]');
  await page.waitForSelector('text=Choose a file, drop one onto this page, or give a URL.');
});

test('500 files are drawn at once without a long pause', async ({ browser, page, session }) => {
  const folder = join(tempFolder(), 'many');
  await mkdir(folder);
  for (let index = 0; index < 500; index += 1) await writeFile(join(folder, `${index}.mp4`), 'x');
  const longest = await longestTaskMs(browser, page, async () => {
    await drop(session, page, [folder]);
    await waitUntil('all are in the list', async () => (await page.locator('.upload').count()) === 500);
    await page.click('#submit [type=submit]');
    await waitUntil('some have a job', async () => (await page.locator('.upload.is-finished').count()) > 20);
  });
  assert.ok(longest < 1000, `a task took ${longest} ms of processor time`);
});

test('a viewer is asked for another key, and without scripts there is a command', async ({
  browser,
  daemon,
}) => {
  const { key } = await createKey(openFolderSetup(daemon.dataFolder), 'default', 'viewer');
  for (const [given, sentence, options] of [
    [key, 'A viewer key cannot submit jobs: sign in with a full key.', {}],
    [daemon.key, 'Without it, submit with the command venc submit film.mov.', { javaScriptEnabled: false }],
  ] as const) {
    const { page } = await openPage(browser, daemon.url, given, options);
    await page.goto(`${daemon.url}/ui/submit`);
    assert.match(await page.innerText('main'), sentence);
    assert.is(await page.locator('#submit').isVisible(), false);
    await page.context().close();
  }
});

test('everything fits a narrow window, and is named for screen readers', async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 700 });
  await page.setInputFiles('#files', [await media('silent.mp4'), await media('long.mp4')]);
  await page.click('text="More settings"');
  await page.waitForSelector('.upload');
  await page.click('#submit [type=submit]');
  await page.waitForSelector('.upload a');
  await assertFits(page, 'the form');
  await assertAccessible(page, 'the form');
  const clipped = await page.evaluate(
    '[...document.querySelectorAll("main *")].filter((one) => one.getBoundingClientRect().right > 360).length',
  );
  assert.is(clipped, 0);
});

test.run();

/** Opens the form. Its script, which is loaded after the document, has added it: files that are chosen before that are lost. */
async function openForm(page: Page, url: string): Promise<void> {
  await page.goto(`${url}/ui/submit`);
  await page.waitForSelector('#submit');
}

/** Drops files and folders of this machine onto the document. */
async function drop(session: BrowserContext, page: Page, files: readonly string[]): Promise<void> {
  const browser = await session.newCDPSession(page);
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
    await browser.send('Input.dispatchDragEvent', {
      ...{ type, x: 200, y: 200, data: { items: [], files: [...files], dragOperationsMask: 1 } },
    });
}

function rowOf(page: Page, path: string) {
  return page.locator('.upload', { hasText: path });
}

/** Waits until a part of the only upload was sent. */
async function waitForPercent(page: Page, percent: number): Promise<void> {
  await pollUntil(
    async () => {
      // There is no bar before the first byte, and while the daemon does not answer.
      const [text] = await page.locator('.upload .bar').allInnerTexts();
      return text ?? (await page.locator('#found, #errors, .upload').allInnerTexts()).join('; ');
    },
    (text) => Number.parseFloat(text) >= percent,
    60_000,
    `${percent}% are sent`,
  );
}

/** The job that a file has got, when it has ended. */
async function jobOfRow(page: Page, daemon: TestDaemon, path: string): Promise<JobRecord> {
  const link = rowOf(page, path).locator('.state a');
  const href = await pollUntil(
    async () => ((await link.count()) === 0 ? null : link.getAttribute('href')),
    (found) => found !== null,
  );
  return daemon.waitForJob(Number(/\d+$/.exec(href ?? '')?.[0]));
}
