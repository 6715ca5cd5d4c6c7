import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openFolderSetup } from '../../daemon/admin/open-setup.js';
import { createKey, revokeKey } from '../../daemon/store/accounts/api-keys.js';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.js';
import { launchDaemon, processKey } from '../helpers/daemon-process.js';
import { makeMedia, testVideo } from '../helpers/media.js';
import { type FoundProgram, findProgram, skipSuite } from '../helpers/servers/find-program.js';
import { tempFolder } from '../helpers/temp.js';
import { waitUntil } from '../helpers/wait-until.js';
import { assertAccessible, assertFits, openPage } from './page-browser.js';
import { startBrowser } from './play.js';

interface Context {
  daemon: TestDaemon;
  browser: Browser;
  folder: string;
}

/** Becomes a script in every document that does not write it as text. */
const hostile = `"><img src=x onerror="globalThis.isRun = true">`;

const name = 'the page in a browser';
const chromium = findProgram('chromium');
if ('missing' in chromium) skipSuite(name, chromium);
else testPage(chromium);

/** The state in the row or at the head of a job. */
const stateOf = (page: Page, id: number) =>
  page.textContent(`li.job:has(a[href$="jobs/${id}"]) .state, .head .state`);

function testPage(program: FoundProgram): void {
  const test = suite<Context>(name);

  test.before(async (context) => {
    context.folder = tempFolder();
    const encoder = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p'];
    await makeMedia(join(context.folder, 'film.mp4'), [...testVideo('320x180', 25, 4), ...encoder]);
    await makeMedia(join(context.folder, 'long.mp4'), [...testVideo('640x360', 25, 60), ...encoder]);
    context.daemon = await startTestDaemon({ filesRoots: [context.folder] });
    context.browser = await startBrowser(program);
  });
  test.after(async ({ daemon, browser }) => {
    await browser.close();
    await daemon.stop();
  });

  const film = ({ folder }: Context) => `file://${folder}/film.mp4`;
  /** Encodes for minutes. */
  const longJob = ({ folder }: Context) => ({
    input: `file://${folder}/long.mp4`,
    outputs: [{ speed: 1, width: 1280 }],
  });

  test('the queue and a job follow an encode to its download', async (context) => {
    const { daemon, browser } = context;
    const { page, problems, origins } = await openPage(browser, daemon.url, daemon.key);
    const id = await daemon.create({
      ...{ input: film(context), input_name: `${hostile}.mp4` },
      outputs: [
        { label: hostile, filename: 'out.mp4' },
        { type: 'segmented', filename: 'hls.m3u8' },
      ],
    });
    await waitUntil(
      'the row is finished',
      async () => (await stateOf(page, id).catch(() => '')) === 'finished',
    );
    await page.click(`a[href$="jobs/${id}"]`);
    await page.waitForSelector('text=Download');
    assert.is(await stateOf(page, id), 'finished');
    assert.ok((await page.textContent('h2 bdi'))?.includes('<img src=x'));
    const [download] = await Promise.all([page.waitForEvent('download'), page.click('a[download]')]);
    assert.is(download.suggestedFilename(), 'out.mp4');
    // The script has drawn them.
    await page.waitForSelector('button:has-text("Play")');
    for (const button of await page.$$('button:has-text("Play")')) await button.click();
    await waitUntil('both outputs play', () =>
      page.evaluate<boolean>(
        '[...document.querySelectorAll("video")].filter((v) => v.currentTime > 0.2).length === 2',
      ),
    );
    assert.match(String(await page.textContent('#log')), /ffmpeg starts/);
    assert.is(await page.evaluate('globalThis.isRun'), undefined);
    assert.equal(problems, []);
    assert.equal([...origins], [daemon.url]);
    await page.context().close();
  });

  for (const [colorScheme, width] of [
    ['light', 1100],
    ['dark', 360],
  ] as const)
    test(`every view is accessible and fits at ${width} pixels in ${colorScheme}`, async (context) => {
      const { daemon, browser } = context;
      const id = await daemon.create({ input: film(context), outputs: [{}] });
      await daemon.waitForJob(id);
      const failedId = await daemon.create({ input: `file://${context.folder}/none-${'x'.repeat(150)}.mp4` });
      await daemon.waitForJob(failedId);
      const options = { colorScheme, viewport: { width, height: 700 } };
      const { page } = await openPage(browser, daemon.url, daemon.key, options);
      for (const path of [
        '',
        '?state=failed',
        `jobs/${id}`,
        `jobs/${failedId}`,
        'machine',
        'settings',
        'jobs/999999',
      ]) {
        await page.goto(`${daemon.url}/ui/${path}`);
        await page.waitForSelector('h1');
        await assertAccessible(page, path);
        await assertFits(page, path);
      }
      await page.context().clearCookies();
      await page.goto(`${daemon.url}/ui/`);
      await assertAccessible(page, 'sign-in');
      await page.context().close();
    });

  test('a job is cancelled by the keyboard', async (context) => {
    const { daemon, browser } = context;
    const id = await daemon.create(longJob(context));
    await daemon.waitForProgress(id, ({ progress }) => progress > 0);
    const { page } = await openPage(browser, daemon.url, daemon.key);
    await page.waitForSelector(`a[href$="jobs/${id}"]`);
    const focusOn = async (pattern: RegExp) => {
      for (let steps = 0; steps < 60; steps += 1) {
        await page.keyboard.press('Tab');
        const text = await page.evaluate<string>('document.activeElement.textContent');
        if (pattern.test(text)) return;
      }
      assert.unreachable(`nothing with ${pattern} has the focus`);
    };
    await focusOn(/long\.mp4/);
    await page.keyboard.press('Enter');
    await page.waitForSelector('h1:has-text("Job")');
    await waitUntil('it runs', async () =>
      /transcoding/.test((await page.textContent('.progress-line')) ?? ''),
    );
    page.once('dialog', (dialog) => void dialog.accept());
    await focusOn(/^Cancel$/);
    await page.keyboard.press('Enter');
    await waitUntil('it is cancelled', async () => (await stateOf(page, id)) === 'cancelled');
    assert.is((await daemon.waitForJob(id)).state, 'cancelled');
    await page.context().close();
  });

  test('a viewer has no buttons', async (context) => {
    const { daemon, browser } = context;
    const { key } = await createKey(openFolderSetup(daemon.dataFolder), 'default', 'viewer');
    const id = await daemon.create({ input: film(context) });
    const { page } = await openPage(browser, daemon.url, key);
    for (const path of [`jobs/${id}`, 'machine']) {
      await page.goto(`${daemon.url}/ui/${path}`);
      await page.waitForSelector('h2');
      assert.is(await page.$('.actions button'), null, path);
    }
    await page.context().close();
  });

  test('revoking the key ends an open page, and signing out its other tabs', async ({ daemon, browser }) => {
    const setup = openFolderSetup(daemon.dataFolder);
    const { key, id } = await createKey(setup, 'default', 'full');
    const { page } = await openPage(browser, daemon.url, key);
    await revokeKey(setup, id);
    await page.waitForSelector('form.sign-in', { timeout: 20_000 });
    await page.context().close();
    const first = await openPage(browser, daemon.url, daemon.key);
    const second = await first.page.context().newPage();
    await second.goto(`${daemon.url}/ui/machine`);
    await first.page.click('text=Sign out');
    await first.page.waitForSelector('form.sign-in');
    await second.waitForSelector('form.sign-in', { timeout: 20_000 });
    await first.page.context().close();
  });

  test('the page says that the daemon was killed or cannot be reached, and recovers', async ({ browser }) => {
    const dataFolder = join(tempFolder(), 'data');
    const killed = await launchDaemon(dataFolder, ['--jobs', '0'], {});
    const { page } = await openPage(browser, killed.url, processKey);
    const machine = await page.context().newPage();
    await machine.goto(`${killed.url}/ui/machine`);
    // Its script has drawn the buttons.
    await machine.waitForSelector('.actions button');
    const headers = { 'Service-Api-Key': processKey };
    const create = (url: string, file: string) => {
      const body = JSON.stringify({ input: `http://127.0.0.1:9/${file}` });
      return fetch(`${url}/v2/jobs`, { method: 'POST', body, headers });
    };
    const { id } = (await (await create(killed.url, 'open.mp4')).json()) as { readonly id: string };
    const job = await page.context().newPage();
    await job.goto(`${killed.url}/ui/jobs/${id}`);
    await job.waitForSelector('.actions button:has-text("Cancel")');
    await killed.end('SIGKILL');
    for (const one of [page, machine, job]) {
      await one.waitForSelector('text=The daemon does not answer', { timeout: 40_000 });
    }
    const { port } = new URL(killed.url);
    const again = await launchDaemon(dataFolder, ['--jobs', '0', '--port', port], {});
    for (const one of [machine, page, job]) {
      await one.waitForSelector('#connection', { state: 'hidden', timeout: 40_000 });
    }
    assert.is((await create(again.url, 'later.mp4')).status, 201);
    await page.waitForSelector('text=later.mp4', { timeout: 20_000 });
    await fetch(`${again.url}/v2/jobs/${id}/cancel`, { method: 'PUT', headers });
    await job.waitForSelector('.head .state:text-is("cancelled")');
    await page.context().close();
    await again.end('SIGTERM');
  });

  test('a page of another origin changes, reads and frames nothing', async (context) => {
    const { daemon, browser } = context;
    const id = await daemon.create({ input: 'http://127.0.0.1:9/waits.mp4' });
    const { page } = await openPage(browser, daemon.url, daemon.key);
    const job = `${daemon.url}/ui/api/jobs/${id}`;
    const document = `<!DOCTYPE html><title>other</title>
      <form id="form" method="post" action="${daemon.url}/ui/sign-out" target="inner"></form>
      <iframe name="inner"></iframe><iframe id="framed" src="${daemon.url}/ui/"></iframe>`;
    const other: Server = createServer((_, response) =>
      response.setHeader('Content-Type', 'text/html').end(document),
    );
    await new Promise<void>((listening) => other.listen(0, '127.0.0.1', listening));
    // Another port is the same site: the browser sends the cookie.
    await page.goto(`http://127.0.0.1:${(other.address() as AddressInfo).port}/`);
    const attempt = (init: object) =>
      page.evaluate<string>(
        `fetch("${job}/cancel", ${JSON.stringify(init)}).then(async (r) => r.type + r.status + await r.text(), () => "failed")`,
      );
    for (const init of [
      {
        method: 'POST',
        mode: 'no-cors',
        credentials: 'include',
        body: '{}',
        headers: { 'Content-Type': 'text/plain' },
      },
      { method: 'PUT', credentials: 'include', headers: { 'X-Venc': '1' } },
      { method: 'GET', credentials: 'include' },
      { method: 'GET', mode: 'no-cors', credentials: 'include' },
    ])
      assert.ok(['failed', 'opaque0'].includes(await attempt(init)), JSON.stringify(init));
    await page.evaluate(
      `new Promise((done) => { const i = new Image(); i.onload = i.onerror = done; i.src = "${job}/cancel"; })`,
    );
    await page.evaluate('document.getElementById("form").submit()');
    await page.waitForTimeout(500);
    const framed = page.frames().map((frame) => frame.url());
    assert.ok(
      !framed.some((url) => url.startsWith(`${daemon.url}/ui/`) && !url.includes('error')),
      framed.join(),
    );
    assert.is(
      (await daemon.read<{ job: { state: string } }>(`/v2/jobs/${id}`)).job.state !== 'cancelled',
      true,
    );
    await page.goto(`${daemon.url}/ui/`);
    await page.waitForSelector('h1:has-text("Queue")');
    await page.context().close();
    other.close();
  });

  test('another name for the address of the daemon shows nothing', async ({ daemon }) => {
    const { port } = new URL(daemon.url);
    const rebound = await startBrowser(program, ['--host-resolver-rules=MAP other.example 127.0.0.1']);
    const page = await (await rebound.newContext()).newPage();
    const response = await page.goto(`http://other.example:${port}/ui/`);
    assert.is(response?.status(), 403);
    assert.match(String(await page.textContent('body')), '--ui-host other.example');
    await rebound.close();
  });

  test.run();
}
