import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import * as assert from 'uvu/assert';
import type { LogRecord } from '../../src/shared/records.js';
import type { TestDaemon } from '../helpers/daemon.js';
import { launchDaemon, processKey } from '../helpers/daemon-process.js';
import { makeJobs } from '../helpers/make-jobs.js';
import { tempFolder } from '../helpers/temp.js';
import { waitUntil } from '../helpers/wait-until.js';
import { startEventProxy } from './event-proxy.js';
import { browserSuite, openPage } from './page-browser.js';
import { bestOfThree, longestTaskMs } from './page-measure.js';

interface Context {
  daemon: TestDaemon;
  browser: Browser;
}

/** The first content of a document is there within this time, and no task of its script takes longer than the other. */
const [maxPaintMs, maxTaskMs] = [500, 50];
const test = browserSuite<Context>('the page with many jobs and lines', { jobs: 0 });

test('ten thousand jobs are painted at once and scrolled without long tasks', async ({ browser }) => {
  const dataFolder = join(tempFolder(), 'data');
  const now = Date.now();
  // Half of them are the owner's.
  makeJobs(dataFolder, {
    count: 20_000,
    firstEnd: new Date(now - 86_400_000),
    lastEnd: new Date(now - 1000),
  });
  const daemon = await launchDaemon(dataFolder, ['--jobs', '0'], {});
  const { page } = await openPage(browser, daemon.url, processKey);
  const paintMs = await bestOfThree(maxPaintMs, async () => {
    await page.goto(`${daemon.url}/ui/`);
    await waitUntil('the list is painted', () => page.evaluate<boolean>(isPainted));
    return page.evaluate<number>(firstPaint);
  });
  assert.ok(paintMs <= maxPaintMs, `the first paint took ${paintMs} ms`);
  const rows = () => page.evaluate<number>('document.querySelectorAll("li.job").length');
  await waitUntil('only the rows in view are there', async () => (await rows()) < 45);
  assert.match(String(await page.textContent('.count')), '10000 jobs');
  assert.is(await page.getAttribute('li.job', 'aria-setsize'), '10000');
  const taskMs = await bestOfThree(maxTaskMs, () =>
    longestTaskMs(browser, page, async () => {
      await page.evaluate(scrollThrough);
      await page.evaluate('scrollTo(0, document.body.scrollHeight)');
      await page.waitForSelector('li.job[aria-posinset="10000"] a');
      assert.ok((await rows()) < 45);
      await page.evaluate('scrollTo(0, 0)');
      await page.waitForSelector('li.job[aria-posinset="1"] a');
    }),
  );
  assert.ok(taskMs <= maxTaskMs, `a task took ${taskMs} ms of processor time`);
  await page.context().close();
  await daemon.end('SIGTERM');
});

test('a log of 100,000 lines is followed without long tasks, and only its end is kept', async (context) => {
  const { daemon, browser } = context;
  const id = await daemon.create({ input: 'http://127.0.0.1:9/logged.mp4' });
  const proxy = await startEventProxy(daemon.url);
  const { page, problems } = await openPage(browser, proxy.url, daemon.key);
  const open = async () => {
    const before = proxy.streamCount;
    await page.goto(`${proxy.url}/ui/jobs/${id}`);
    await waitUntil('the page follows the job', () => proxy.streamCount > before);
  };
  const taskMs = await bestOfThree(maxTaskMs, async () => {
    await open();
    return longestTaskMs(browser, page, async () => {
      for (let sent = 0; sent < 100_000; sent += 1000) {
        await proxy.send({ log: linesOf(id, sent, 1000) });
        // The daemon sends two messages a second; a slow machine needs longer for each.
        await waitUntil('the page shows the lines', async () => {
          return (await page.evaluate(lastLine)) === lineId(sent + 999);
        });
      }
    });
  });
  const log = page.locator('#log');
  assert.is(await log.locator('.line').count(), 5000);
  assert.match((await log.locator('.line').first().textContent()) ?? '', 'line 95000 ');
  assert.ok(await page.evaluate(isAtEndOfLog), 'the end of the log is in view');
  assert.ok(taskMs <= maxTaskMs, `a task took ${taskMs} ms of processor time`);
  assert.equal(problems, []);
  await page.context().close();
  await proxy.close();
});

test.run();

const isPainted = 'performance.getEntriesByName("first-contentful-paint").length > 0';
const firstPaint = 'performance.getEntriesByName("first-contentful-paint")[0].startTime';

/** Goes through the list in a hundred frames: some steps are small, and some are large. */
const scrollThrough = `new Promise((done) => {
  let step = 0;
  const next = () => {
    step += 1;
    scrollTo(0, step % 3 === 0 ? (step / 100) * document.body.scrollHeight : scrollY + 100);
    if (step < 100) requestAnimationFrame(next); else done();
  };
  next();
})`;

const isAtEndOfLog =
  '((log) => log.scrollTop + log.clientHeight >= log.scrollHeight - 8)(document.querySelector("#log"))';

const lastLine = 'document.querySelector("#log").lastElementChild.dataset.id';

function lineId(index: number): string {
  return String(2e15 + index);
}

function linesOf(jobId: number, from: number, count: number): LogRecord[] {
  return Array.from({ length: count }, (_, index) => ({
    id: lineId(from + index),
    time: new Date(from + index).toISOString(),
    level: 'info',
    message: `line ${from + index} of a log in which ffmpeg says something about each frame of a film.`,
    job_id: jobId,
  }));
}
