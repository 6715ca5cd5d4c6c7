import type { Browser } from 'playwright-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type DaemonProcess, killDaemons, processKey } from '../helpers/daemon-process.js';
import {
  createAt,
  createHeld,
  type DatabaseDaemons,
  findDatabasePrograms,
  jobAt,
  startDatabaseDaemons,
} from '../helpers/database-daemons.js';
import { startRelay } from '../helpers/relay.js';
import { type FoundProgram, findProgram, skipSuite } from '../helpers/servers/find-program.js';
import { openPage } from '../players/page-browser.js';
import { startBrowser } from '../players/play.js';

const name = 'the page of daemons that share a database';
const found = findDatabasePrograms();
const chromium = findProgram('chromium');
if ('missing' in found) skipSuite(name, found);
else if ('missing' in chromium) skipSuite(name, chromium);
else describe(found.bin, chromium);

function describe(bin: string, program: FoundProgram): void {
  const test = suite(name);
  let daemons: DatabaseDaemons;
  /** Runs jobs. */
  let one: DaemonProcess;
  /** Runs no jobs. */
  let other: DaemonProcess;
  let browser: Browser;

  test.before(async () => {
    daemons = await startDatabaseDaemons(bin);
    one = await daemons.start('one', 1);
    other = await daemons.start('other', 0);
    daemons.source.hold();
    browser = await startBrowser(program);
  });
  test.after(async () => {
    await browser?.close();
    killDaemons();
    await daemons?.close();
  });

  const rowOf = (id: number) => `li.job:has(a[href$="jobs/${id}"])`;

  test('the page of one daemon shows and cancels a job that another one runs', async () => {
    const id = await createHeld(daemons, one);
    const { page, problems } = await openPage(browser, other.url, processKey);
    await page.waitForSelector(`${rowOf(id)} .percent`);
    const job = await page.context().newPage();
    job.on('dialog', (dialog) => void dialog.accept());
    await job.goto(`${other.url}/ui/jobs/${id}`);
    await job.click('.actions button:has-text("Cancel")');
    await job.waitForSelector('.head .state:text-is("cancelled")');
    assert.is((await jobAt(one, id)).state, 'cancelled');
    await page.waitForSelector(`${rowOf(id)} .state:text-is("cancelled")`);
    assert.equal(problems, []);
    await page.context().close();
  });

  test('the session and the list go on at another daemon when the first one is killed', async () => {
    const relay = await startRelay(Number(new URL(one.url).port));
    const { page, problems } = await openPage(browser, `http://127.0.0.1:${relay.port}`, processKey);
    const id = await createHeld(daemons, one);
    await page.waitForSelector(`${rowOf(id)} .percent`);
    await one.end('SIGKILL');
    await relay.close();
    await page.waitForSelector('#connection:has-text("The daemon does not answer")');
    const next = await startRelay(Number(new URL(other.url).port), relay.port);
    await page.waitForSelector('#connection', { state: 'hidden' });
    const later = await createAt(other, { input: daemons.source.url('held') });
    await page.waitForSelector(rowOf(later));
    await page.reload();
    await page.waitForSelector(rowOf(id));
    assert.equal(problems, []);
    await page.context().close();
    await next.close();
  });

  test.run();
}
