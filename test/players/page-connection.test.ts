import type { Browser, Page } from 'playwright-core';
import * as assert from 'uvu/assert';
import { startShiftedDaemon } from '../helpers/chaos/shifted-clock.js';
import type { TestDaemon } from '../helpers/daemon.js';
import { processKey } from '../helpers/daemon-process.js';
import { startRelay } from '../helpers/relay.js';
import { tempFolder } from '../helpers/temp.js';
import { pollUntil, waitUntil } from '../helpers/wait-until.js';
import { type EventMode, startEventProxy } from './event-proxy.js';
import { browserSuite, openPage } from './page-browser.js';

interface Context {
  daemon: TestDaemon;
  browser: Browser;
}

/** A stream without events for so long is dead for the page, in milliseconds. */
const silenceMs = 31_000;
const dayMs = 86_400_000;

const test = browserSuite<Context>('the page and its connection to the daemon', { jobs: 0 });

test('without a network the page says so, and shows what has changed when it is back', async (context) => {
  const { daemon, browser } = context;
  const ids = await createJobs(daemon);
  const { page } = await openPage(browser, daemon.url, daemon.key);
  await openWithClock(page, daemon.url, ids.kept);
  await page.context().setOffline(true);
  await page.waitForSelector('#connection:has-text("The daemon does not answer")');
  await changeJobs(daemon, ids);
  for (let passed = 0; passed < 30_000; passed += 2000) await page.clock.runFor(2000);
  assert.ok(await page.isVisible('#connection'));
  assert.is(await stateOf(page, ids.cancelled), 'waiting');
  await page.context().setOffline(false);
  await assertCurrent(page, ids);
  await page.context().close();
});

test('connections that are dead without a word are replaced', async ({ daemon, browser }) => {
  const ids = await createJobs(daemon);
  const relay = await startRelay(Number(new URL(daemon.url).port));
  const url = `http://127.0.0.1:${relay.port}`;
  const { page } = await openPage(browser, url, daemon.key);
  await openWithClock(page, url, ids.kept);
  // As after a change of the network, or when a laptop wakes up.
  relay.cut();
  await changeJobs(daemon, ids);
  await page.clock.runFor(silenceMs);
  await page.waitForSelector('#connection:has-text("The daemon does not answer")');
  await waitUntil('the page has a connection', async () => {
    // The browser may try each of its dead connections first.
    await page.clock.runFor(3000);
    return page.isHidden('#connection');
  });
  await assertCurrent(page, ids);
  await page.context().close();
  await relay.close();
});

for (const buffered of ['no events', 'no answer'] as const)
  test(`behind a proxy that keeps back events (${buffered}) the page says what to do`, async (context) => {
    const { daemon, browser } = context;
    const mode: { now: EventMode | null } = { now: null };
    const proxy = await startEventProxy(daemon.url, mode);
    const ids = await createJobs(daemon);
    const { page } = await openPage(browser, proxy.url, daemon.key);
    mode.now = buffered;
    await openWithClock(page, proxy.url, ids.kept);
    await waitUntil('the page opens a stream', () => proxy.streamCount > 0);
    const count = proxy.streamCount;
    for (let streams = count; streams < count + 2; streams = proxy.streamCount) {
      await page.clock.runFor(silenceMs);
      await page.waitForSelector('#connection:has-text("turn off its buffering of text/event-stream")');
      await page.clock.runFor(2500);
      await waitUntil('the page tries again', () => proxy.streamCount > streams);
      // Not until the first event has come.
      assert.ok(await page.isVisible('#connection'));
    }
    mode.now = null;
    await changeJobs(daemon, ids);
    await page.clock.runFor(silenceMs);
    await page.clock.runFor(2500);
    await assertCurrent(page, ids);
    await page.context().close();
    await proxy.close();
  });

test('two tabs show the same, and what one changes the other shows', async ({ daemon, browser }) => {
  const ids = await createJobs(daemon);
  const { page: queue, problems } = await openPage(browser, daemon.url, daemon.key);
  const other = await queue.context().newPage();
  await other.goto(`${daemon.url}/ui/machine`);
  await other.click('button:has-text("Pause: let running jobs finish")');
  await queue.waitForSelector('#head .warning');
  await other.click('button:has-text("Resume the queue")');
  await queue.waitForSelector('#head .warning', { state: 'detached' });
  await other.goto(`${daemon.url}/ui/jobs/${ids.cancelled}`);
  other.on('dialog', (dialog) => void dialog.accept());
  await other.click('.actions button:has-text("Cancel")');
  await waitUntil('the list shows it', async () => (await stateOf(queue, ids.cancelled)) === 'cancelled');
  // A job that one tab shows is removed by the other.
  const third = await queue.context().newPage();
  await third.goto(`${daemon.url}/ui/jobs/${ids.cancelled}`);
  await third.waitForSelector('.actions button:has-text("Remove")');
  await other.click('.actions button:has-text("Remove")');
  await other.waitForSelector('h1:has-text("Queue")');
  await third.waitForSelector('#connection:has-text("This job was removed.")');
  for (const tab of [queue, other]) await tab.waitForSelector(rowOf(ids.cancelled), { state: 'detached' });
  assert.equal(problems, []);
  await queue.context().close();
});

test('the clock of the daemon is set back while the page is open', async ({ browser }) => {
  const daemon = await startShiftedDaemon(tempFolder(), ['--jobs', '0']);
  const headers = { 'Service-Api-Key': processKey };
  const create = async (file: string) => {
    const body = JSON.stringify({ input: `http://127.0.0.1:9/${file}` });
    const response = await fetch(`${daemon.url}/v2/jobs`, { method: 'POST', headers, body });
    return Number(((await response.json()) as { readonly id: string }).id);
  };
  const before = await create('before.mp4');
  const { page, problems } = await openPage(browser, daemon.url, processKey);
  const job = await page.context().newPage();
  await job.goto(`${daemon.url}/ui/jobs/${before}`);
  await job.waitForSelector('.actions button:has-text("Cancel")');
  await daemon.setClock(-dayMs);
  const after = await create('after.mp4');
  await page.waitForSelector(rowOf(after));
  assert.match(await page.innerText('li.job[aria-posinset="1"]'), 'after.mp4');
  job.on('dialog', (dialog) => void dialog.accept());
  await job.click('.actions button:has-text("Cancel")');
  await job.waitForSelector(`#log :text("Job ${before} is cancelled.")`);
  // The log comes with the events, and the state with the job, which is read after the answer to the cancel.
  await waitUntil('the job shows it', async () => (await stateOf(job, before)) === 'cancelled');
  await waitUntil('the list shows it', async () => (await stateOf(page, before)) === 'cancelled');
  for (const tab of [page, job]) {
    await tab.reload();
    await tab.waitForSelector('h1');
    assert.not.match(await tab.innerText('main'), /-\d+ ?(s|m|h|d)|NaN|Invalid/);
  }
  const again = await openPage(browser, daemon.url, processKey);
  await again.page.waitForSelector(rowOf(after));
  await again.page.context().close();
  await daemon.setClock(8 * dayMs);
  await page.reload();
  await page.waitForSelector('form.sign-in');
  assert.equal(problems, []);
  await page.context().close();
  await daemon.end('SIGTERM');
});

test.run();

interface JobIds {
  readonly kept: number;
  readonly cancelled: number;
  readonly removed: number;
}

async function createJobs({ create }: TestDaemon): Promise<JobIds> {
  const input = 'http://127.0.0.1:9/film.mp4';
  return {
    kept: await create({ input }),
    cancelled: await create({ input }),
    removed: await create({ input }),
  };
}

/** What happens while the page cannot see it. */
async function changeJobs({ request }: TestDaemon, { cancelled, removed }: JobIds): Promise<void> {
  for (const id of [cancelled, removed]) await request(`/v2/jobs/${id}/cancel`, { method: 'PUT' });
  await request(`/v2/jobs/${removed}`, { method: 'DELETE' });
}

/** Opens the queue with a clock that the test can set forward. */
async function openWithClock(page: Page, url: string, id: number): Promise<void> {
  await page.clock.install();
  await page.goto(`${url}/ui/`);
  await page.waitForSelector(`${rowOf(id)} .state:has-text("waiting")`);
}

/** Checks that the list shows what `changeJobs` has changed, and no problem. */
async function assertCurrent(page: Page, { kept, cancelled, removed }: JobIds): Promise<void> {
  await page.waitForSelector('#connection', { state: 'hidden' });
  const isRight = async () => {
    // The list is loaded again after two seconds.
    await page.clock.runFor(1000);
    return (
      (await stateOf(page, cancelled)) === 'cancelled' &&
      (await stateOf(page, kept)) === 'waiting' &&
      (await page.locator(rowOf(removed)).count()) === 0
    );
  };
  // A read on a dead connection is given up after 30 seconds.
  await pollUntil(isRight, Boolean, 120_000, 'the list is right');
}

function rowOf(id: number): string {
  return `li.job:has(a[href$="jobs/${id}"])`;
}

/** The state in the row or at the head of a job; null if it is not shown. */
async function stateOf(page: Page, id: number): Promise<string | null> {
  const [text] = await page.locator(`${rowOf(id)} .state, .head .state`).allInnerTexts();
  return text ?? null;
}
