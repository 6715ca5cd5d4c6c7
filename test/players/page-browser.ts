import { createRequire } from 'node:module';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { suite, type Test } from 'uvu';
import * as assert from 'uvu/assert';
import { daemonSuite, type TestDaemon, type TestDaemonOptions } from '../helpers/daemon.js';
import { findProgram } from '../helpers/servers/find-program.js';
import { startBrowser } from './play.js';

/** A suite whose tests share a daemon and a browser. Without Chromium its tests are skipped. */
export function browserSuite<Context extends { readonly daemon: TestDaemon; browser: Browser }>(
  name: string,
  options: TestDaemonOptions,
): Test<Context> {
  const chromium = findProgram('chromium');
  const isMissing = 'missing' in chromium;
  const test = isMissing
    ? suite<Context>(name)
    : daemonSuite<Context>(name, options, async (context) => {
        context.browser = await startBrowser(chromium);
      });
  test.after(({ browser }) => browser?.close());
  const skip = (title: string) =>
    test.skip(`${title}: ${isMissing ? chromium.missing : ''}`, () => undefined);
  if (isMissing) return Object.assign(skip, test);
  return test;
}

/** The page of a daemon in a browser, and what its document complained about. */
export interface OpenPage {
  readonly page: Page;
  /** Errors of scripts, and messages of the console about what the policy of the page forbids. */
  readonly problems: string[];
  /** The origins of all requests. */
  readonly origins: Set<string>;
}

/** Opens the page of a daemon in a new session of the browser and signs in with a key. */
export async function openPage(
  browser: Browser,
  url: string,
  key: string,
  options: BrowserContextOptions = {},
): Promise<OpenPage> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  // Other suites encode at the same time.
  page.setDefaultTimeout(90_000);
  const problems: string[] = [];
  const origins = new Set<string>();
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (message) => {
    if (/Content Security Policy|Refused/.test(message.text())) problems.push(message.text());
  });
  page.on('request', (request) => origins.add(new URL(request.url()).origin));
  await page.goto(`${url}/ui/`);
  await page.fill('#key', key);
  // A script that has not begun says nothing.
  const stream =
    options.javaScriptEnabled === false
      ? null
      : page.waitForResponse((response) => response.url().includes('/ui/api/events'));
  await page.click('form.sign-in button');
  await stream;
  await page.waitForSelector('h1:has-text("Queue")');
  return { page, problems, origins };
}

const axePath = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

interface AxeResult {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { readonly html: string }[];
  }[];
}

/** Checks a document with axe, a checker of accessibility. Fails with its violations. */
export async function assertAccessible(page: Page, what: string): Promise<void> {
  const { readFile } = await import('node:fs/promises');
  // The policy of the page forbids other scripts; those of the debugger are exempt.
  await page.evaluate(await readFile(axePath, 'utf8'));
  const { violations } = await page.evaluate<AxeResult>('axe.run(document)');
  const lines = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
  assert.equal(lines, [], what);
}

/** Whether everything fits the width of the window. */
export async function assertFits(page: Page, what: string): Promise<void> {
  const [needed, given] = await page.evaluate<[number, number]>(
    '[document.documentElement.scrollWidth, innerWidth]',
  );
  assert.ok(needed <= given, `${what} is ${needed} pixels wide in a window of ${given}`);
}
