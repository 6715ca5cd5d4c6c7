import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.js';
import { film, makeMedia } from '../helpers/media.js';
import { findProgram, skipSuite } from '../helpers/servers/find-program.js';
import { tempFolder } from '../helpers/temp.js';
import { openPage } from './page-browser.js';
import { startBrowser } from './play.js';

interface Context {
  daemon: TestDaemon;
  browser: Browser;
  jobId: number;
}

const name = 'the view that compares';
const chromium = findProgram('chromium');
if ('missing' in chromium) skipSuite(name, chromium);
else {
  const test = suite<Context>(name);

  test.before(async (context) => {
    const folder = tempFolder();
    await makeMedia(join(folder, 'film.mp4'), film('320x180', 20));
    context.daemon = await startTestDaemon({ filesRoots: [folder] });
    context.browser = await startBrowser(chromium);
    const outputs = [{ speed: 5 }];
    context.jobId = await context.daemon.create({ input: `file://${folder}/film.mp4`, outputs });
    await context.daemon.waitForJob(context.jobId);
  });

  test.after(async ({ daemon, browser }) => {
    await browser?.close();
    await daemon?.stop();
  });

  test('keys go to other frames and show one of the images, on a small screen too', async ({
    daemon,
    browser,
    jobId,
  }) => {
    const options = { viewport: { width: 360, height: 740 } };
    const { page, problems } = await openPage(browser, daemon.url, daemon.key, options);
    await page.goto(`${daemon.url}/ui/jobs/${jobId}/compare?time=1.5`);
    const shows = (text: string) => page.locator('#shown', { hasText: text }).waitFor();
    const border = () => page.inputValue('#border');
    await shows('Source on the left, output on the right, at 1.5 s.');
    assert.is(await border(), '50');
    await page.keyboard.press('ArrowRight');
    await shows('at 1.54 s.');
    await page.keyboard.press('Shift+ArrowLeft');
    await shows('at 0.54 s.');
    assert.match(page.url(), /time=0\.54$/);
    await page.keyboard.press('t');
    await shows('Source, at 0.54 s.');
    await page.keyboard.press('Space');
    await shows('Output, at 0.54 s.');
    assert.is(await border(), '0');
    await page.focus('#border');
    await page.keyboard.press('ArrowRight');
    assert.is(await border(), '1', 'the keys of a field stay its own');
    for (const side of ['Source', 'Output']) {
      const image = page.getByAltText(`${side} at 0.54 s`);
      assert.is(await image.evaluate((element: { naturalWidth: number }) => element.naturalWidth), 320);
    }
    assert.is(await page.evaluate('document.documentElement.scrollWidth'), 360);
    assert.equal(problems, []);
    await page.context().close();
  });

  test('a key that is held shows images all the time, one pair after the other', async (context) => {
    const { daemon, browser, jobId } = context;
    const page = await browser.newPage({ viewport: { width: 700, height: 740 } });
    await page.goto(`${daemon.url}/ui/`);
    await page.fill('#key', daemon.key);
    await page.click('button[type=submit]');
    await page.goto(`${daemon.url}/ui/jobs/${jobId}/compare?time=0.5`);
    await page.locator('#shown', { hasText: 'at 0.5 s.' }).waitFor();
    let [outstanding, most] = [0, 0];
    const isFrame = (url: string) => url.includes('/frame?');
    page.on('request', (request) => {
      if (!isFrame(request.url())) return;
      outstanding += 1;
      most = Math.max(most, outstanding);
    });
    for (const event of ['requestfinished', 'requestfailed'] as const)
      page.on(event as 'requestfinished', (request) => {
        if (isFrame(request.url())) outstanding -= 1;
      });
    const shown = new Set<string | null>();
    // On a busy machine an image takes longer: the key is held until some were shown, or the film is over.
    for (let presses = 0; presses < 60 || (shown.size < 4 && presses < 450); presses += 1) {
      await page.keyboard.down('ArrowRight');
      await page.waitForTimeout(33);
      shown.add(await page.textContent('#shown'));
    }
    assert.ok(shown.size >= 4, [...shown].join(' '));
    assert.ok(most <= 2, `${most} requests at a time`);
    await page.keyboard.up('ArrowRight');
    await page.locator('#shown', { hasText: `at ${await page.inputValue('#time')} s.` }).waitFor();
  });

  test.run();
}
