import { truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import * as assert from 'uvu/assert';
import type { TestDaemon } from '../helpers/daemon.js';
import { makeMedia, media, testVideo } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';
import { waitUntil } from '../helpers/wait-until.js';
import { assertAccessible, assertFits, browserSuite, openPage } from './page-browser.js';

interface Context {
  daemon: TestDaemon;
  browser: Browser;
  page: Page;
  /** Problems that the document has reported. */
  problems: string[];
}

const test = browserSuite<Context>('the plan of files in a browser', { jobs: 1 });

test.before.each(async (context) => {
  const { browser, daemon } = context;
  const { page, problems } = await openPage(browser, daemon.url, daemon.key);
  Object.assign(context, { page, problems });
  await page.goto(`${daemon.url}/ui/submit`);
  await page.waitForSelector('#submit:not([hidden])');
});
test.after.each(async ({ page, problems }) => {
  await page.context().close();
  assert.equal(problems, []);
});

test('the plan says what becomes of a film, of which at most 4 MB are sent', async ({ page, daemon }) => {
  const path = join(tempFolder(), 'long.avi');
  await makeMedia(path, [...testVideo('320x240', 25, 8), '-c:v', 'rawvideo', '-pix_fmt', 'yuv420p']);
  const sent: string[] = [];
  let sentBytes = 0;
  page.on('request', (request) => {
    if (request.method() === 'GET') return;
    sent.push(new URL(request.url()).pathname);
    sentBytes += request.postDataBuffer()?.length ?? 0;
  });
  await page.setInputFiles('#files', path);
  await setJson(page, '{"outputs": [{"label": "<b>small", "width": 160}, {"skip_video": true}]}');
  await page.click('#plan');
  await page.waitForSelector('table.outputs');
  assert.equal([...new Set(sent)], ['/ui/api/jobs', '/ui/api/plan']);
  assert.ok(sentBytes < 6_000_000, `${sentBytes} bytes were sent`);
  const rows = page.locator('table.outputs tbody tr');
  assert.match(
    await rows.nth(0).innerText(),
    /1 \(<b>small\)\s.*mpeg4, 8\.\ds\s.*h264, 160x120, 25 fps\s.*none/s,
  );
  assert.match(await rows.nth(1).innerText(), 'Is not made: ');
  assert.match(await page.innerText('.plan'), 'From its start and its end: the whole file may say more.');
  await page.click('text="Command lines of ffmpeg"');
  assert.match(await page.innerText('.plan pre'), /^ffmpeg .* -i file:input /);
  assert.is(await page.evaluate('document.activeElement.tagName'), 'SUMMARY');
  assert.is((await daemon.read<unknown[]>('/v2/jobs')).length, 0);
});

test('a plan is removed when the form changes, and the form is checked before it', async ({ page }) => {
  await page.setInputFiles('#files', await media('silent.mp4'));
  await page.click('#plan');
  await page.waitForSelector('table.outputs');
  await setJson(page, '{"outputs": [{"height": "x"}]}');
  await waitUntil('it is gone', async () => (await page.locator('.plan').count()) === 0);
  await page.click('#plan');
  await page.waitForSelector('[role=alert] :text("outputs[0].height must be a whole number")');
  await page.fill('#setting-height', '72');
  await page.click('#plan');
  await page.waitForSelector('table.outputs :text("h264, 96x72")');
  await page.fill('#setting-height', '90');
  await waitUntil('it is gone', async () => (await page.locator('.plan').count()) === 0);
});

test('what cannot be planned before the upload says so', async ({ page }) => {
  const folder = tempFolder();
  const [huge, broken] = [join(folder, 'huge.mp4'), join(folder, 'broken.mp4')];
  await writeFile(huge, '');
  await truncate(huge, 5e9);
  await writeFile(broken, 'no film');
  await page.setInputFiles('#files', [huge, broken]);
  await page.fill('#url', 'https://ada:geheim@example.com/film.mov\nhttps://example.com/b.mov');
  await page.click('#plan');
  await page.waitForSelector('.plan:has-text("huge.mp4") :text("is known after the upload")');
  await page.waitForSelector('.plan:has-text("broken.mp4") .problem');
  const text = await page.innerText('#plans');
  assert.match(text, 'b.mov: what becomes of it is known when the daemon has downloaded it.');
  assert.not.match(text, 'geheim');
});

test('several URLs become a job each, and those that are rejected stay', async ({ page, daemon }) => {
  const urls = ['http://127.0.0.1:9/a.mp4', 'nothing://x/b.mp4', 'http://127.0.0.1:9/c.mp4'];
  await page.fill('#url', ['', ...urls, urls[0]].join('\n'));
  await page.click('#submit [type=submit]');
  await page.waitForSelector('[role=alert] li:has-text("nothing://x/b.mp4: input ")');
  assert.is(await page.locator('[role=alert] a').count(), 2);
  assert.is(await page.inputValue('#url'), urls[1]);
  assert.is((await daemon.read<unknown[]>('/v2/jobs')).length, 2);
});

test('many URLs: the page says how many, and keeps what is typed meanwhile', async ({ page, daemon }) => {
  const urls = Array.from({ length: 25 }, (_, index) => `http://127.0.0.1:9/many-${index}.mp4`);
  await page.fill('#url', urls.join('\n'));
  await page.click('#plan');
  await page.waitForSelector('#plans :text("25 URLs: what becomes of them is known")');
  assert.is(await page.locator('#plans p:not(.hint)').count(), 1);
  let goOn = () => {};
  const isSaid = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  await page.route('**/ui/api/jobs', async (route) => {
    const sent = route.request().postData();
    if (sent?.includes('many-1.mp4') === true) {
      await page.fill('#url', `${await page.inputValue('#url')}\nhttp://127.0.0.1:9/typed.mp4`);
      await new Promise((resolve) => setTimeout(resolve, 1100));
    }
    // The page says it only until the last job is created.
    if (sent?.includes('many-2.mp4') === true) await isSaid;
    await route.continue();
  });
  await page.click('#submit [type=submit]');
  await page.waitForSelector('#found :text("of 25 URLs")');
  goOn();
  await page.waitForSelector('[role=alert] :text("25 jobs were created: the queue shows them.")');
  assert.is(await page.inputValue('#url'), 'http://127.0.0.1:9/typed.mp4');
  assert.is(await page.innerText('#found'), '');
  const jobs = await daemon.read<unknown[]>('/v2/jobs?per_page=50');
  assert.ok(jobs.length >= 25, `${jobs.length} jobs`);
});

test('many URLs: the first lost answer ends the submission', async ({ page }) => {
  const urls = Array.from({ length: 30 }, (_, index) => `http://127.0.0.1:9/lost-${index}.mp4`);
  await page.fill('#url', urls.join('\n'));
  await page.route('**/ui/api/jobs', (route) =>
    route.request().postData()?.includes('lost-2.mp4') === true ? route.abort() : route.continue(),
  );
  await page.click('#submit [type=submit]');
  await page.waitForSelector('[role=alert] li:has-text("does not answer. 28 URLs are left in the form.")');
  assert.equal((await page.inputValue('#url')).split('\n'), urls.slice(2));
});

test('settings that a browser restores are shown', async ({ page }) => {
  await setJson(page, '{"outputs": [{"height": 72}]}');
  await page.click('nav a:has-text("Machine")');
  await page.waitForSelector('h1:has-text("Machine")');
  await page.goBack();
  await page.waitForSelector('#settings-of');
  assert.match(await page.inputValue('#settings'), '"height": 72');
  assert.is(await page.inputValue('#setting-height'), '72');
});

test('the plan fits a narrow window, and is named for screen readers', async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 700 });
  await page.setInputFiles('#files', [await media('silent.mp4'), await media('long.mp4')]);
  await setJson(page, '{"outputs": [{"skip_audio": true, "label": "a"}, {"height": 72}]}');
  await page.focus('#plan');
  await page.keyboard.press('Enter');
  await waitUntil('both are planned', async () => (await page.locator('table.outputs').count()) === 2);
  await waitUntil('it has the focus', async () => {
    return (await page.evaluate('document.activeElement.id')) === 'plans-title';
  });
  await page.click('text="Command lines of ffmpeg" >> nth=0');
  assert.is(await page.getByRole('table').count(), 2);
  await assertFits(page, 'the plan');
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await assertAccessible(page, `the plan, ${colorScheme}`);
  }
});

test.run();

/** Opens the settings, and writes their JSON. */
async function setJson(page: Page, text: string): Promise<void> {
  await page.evaluate('document.querySelector("#more").open = true');
  await page.waitForSelector('#settings-of');
  await page.fill('#settings', text);
}
