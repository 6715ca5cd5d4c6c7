import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.js';
import { makeMedia, testVideo } from '../helpers/media.js';
import { findProgram, skipSuite } from '../helpers/servers/find-program.js';
import { waitUntil } from '../helpers/wait-until.js';
import { startBrowser } from './play.js';

interface Context {
  daemon: TestDaemon;
  browser: Browser;
  /** The address of the hosted files. */
  base: string;
}

const name = 'hosted files in a browser';
const chromium = findProgram('chromium');
if ('missing' in chromium) skipSuite(name, chromium);
else {
  const test = suite<Context>(name);

  test.before(async (context) => {
    context.daemon = await startTestDaemon({ jobs: 0 });
    const token = '0123456789abcdef0123456789abcdef';
    const folder = join(context.daemon.dataFolder, 'hosted', token);
    await mkdir(folder, { recursive: true });
    const script = '<script>document.title = document.domain</script>';
    await writeFile(join(folder, 'page.html'), `<!doctype html>${script}`);
    await writeFile(join(folder, 'lögo.svg'), `<svg xmlns="http://www.w3.org/2000/svg">${script}</svg>`);
    await writeFile(join(folder, 'page.png'), `<!doctype html>${script}`);
    const codec = ['-c:v', 'libx264', '-pix_fmt', 'yuv420p'];
    await makeMedia(join(folder, 'film.mp4'), [...testVideo('64x48', 25, 2), ...codec]);
    context.base = `${context.daemon.url}/hosted/${token}`;
    context.browser = await startBrowser(chromium);
  });
  test.after(async ({ daemon, browser }) => {
    await browser?.close();
    await daemon?.stop();
  });

  test('a browser downloads a page instead of running it', async ({ browser, base }) => {
    for (const file of ['page.html', 'lögo.svg']) {
      const tab = await browser.newPage();
      const download = tab.waitForEvent('download');
      // A download ends the navigation.
      await tab.goto(`${base}/${encodeURIComponent(file)}`).catch(() => null);
      assert.is((await download).suggestedFilename(), file);
      assert.is(await tab.title(), '');
      await tab.close();
    }
  });

  test('a page with the name of an image is no page', async ({ browser, base, daemon }) => {
    const tab = await browser.newPage();
    await tab.goto(`${base}/page.png`);
    assert.not.match(await tab.title(), new URL(daemon.url).hostname);
    await tab.close();
  });

  test('a video that is opened by its address plays', async ({ browser, base }) => {
    const tab = await browser.newPage();
    await tab.goto(`${base}/film.mp4`);
    // A sandbox has no automatic playback: the viewer begins it.
    await tab.evaluate("void document.querySelector('video').play().catch(() => {})");
    await waitUntil('it plays', async () => {
      const seconds = await tab.evaluate<number>("document.querySelector('video').currentTime");
      return seconds > 0.2;
    });
    await tab.close();
  });

  test.run();
}
