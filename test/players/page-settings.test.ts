import type { Browser, Page } from 'playwright-core';
import * as assert from 'uvu/assert';
import { openFolderSetup } from '../../daemon/admin/open-setup.js';
import { createKey } from '../../daemon/store/accounts/api-keys.js';
import type { TestDaemon } from '../helpers/daemon.js';
import { waitUntil } from '../helpers/wait-until.js';
import { assertAccessible, assertFits, browserSuite, openPage } from './page-browser.js';

interface Context {
  daemon: TestDaemon;
  browser: Browser;
  page: Page;
  /** Problems that the document has reported. */
  problems: string[];
  /** What the page has asked, in order. */
  questions: string[];
}

const test = browserSuite<Context>('the settings in a browser', { jobs: 0 });

test.before.each(async (context) => {
  const { browser, daemon } = context;
  const options = { viewport: { width: 360, height: 700 } };
  const { page, problems } = await openPage(browser, daemon.url, daemon.key, options);
  const questions: string[] = [];
  page.on('dialog', (dialog) => {
    questions.push(dialog.message());
    void dialog.accept();
  });
  Object.assign(context, { page, problems, questions });
  await page.goto(`${daemon.url}/ui/settings`);
  await page.waitForSelector('#new-key');
});
test.after.each(async ({ page, problems }) => {
  await page.context().close();
  assert.equal(problems, []);
});

test('a key is created, shown once, used and revoked', async ({ page, daemon, questions }) => {
  await page.click('#new-key');
  await page.selectOption('#key-kind', 'viewer');
  await page.fill('#key-name', 'two words');
  await page.fill('#key-expires', 'tomorrow');
  await page.click('text="Create the key"');
  await waitUntil('both fields are wrong', async () => {
    return (await page.locator('[aria-invalid=true]').count()) === 2;
  });
  assert.is(await page.inputValue('#key-name'), 'two words', 'what was typed stays');
  await assertAccessible(page, 'the form for a key');
  await page.fill('#key-name', 'wall');
  await page.fill('#key-expires', '90d');
  await page.click('text="Create the key"');
  const key = await page.inputValue('#created-key');
  assert.is(await statusWith(daemon, key), 200);
  await assertAccessible(page, 'the new key');
  await assertFits(page, 'the new key');
  await page.click('text="I have stored it"');
  await page.waitForSelector('#new-key');
  await page.reload();
  await page.waitForSelector('#new-key');
  const content = await page.content();
  assert.match(content, 'wall');
  assert.not.match(content, key);
  await page.click('button:has-text("Revoke wall")');
  await page.waitForSelector('h3:has-text("wall")', { state: 'detached' });
  assert.match(questions.join(), 'Revoke the key wall? Programs and sessions that use it stop working.');
  assert.is(await statusWith(daemon, key), 401);
});

test('a preset is created, changed and removed', async ({ page, daemon, questions }) => {
  const settings = async () => {
    const { presets } = await daemon.read<Presets>('/v2/presets');
    return presets.find(({ name: one }) => one === 'square')?.settings;
  };
  await page.click('#new-preset');
  await page.fill('#preset-name', 'square');
  await page.fill('#preset-settings', '{"output": ');
  await page.click('text="Save the preset"');
  await page.waitForSelector('text=This is not valid JSON');
  await page.fill('#preset-settings', '{"output": {"height": "tall"}}');
  await page.click('text="Save the preset"');
  await page.waitForSelector('[role=alert]:has-text("height must be")');
  await assertAccessible(page, 'the form for a preset');
  await assertFits(page, 'the form for a preset');
  await page.fill('#preset-settings', '{"output": {"width": 480, "height": 480}}');
  await page.click('text="Save the preset"');
  const row = page.locator('li:has(summary bdi:text-is("square"))');
  await row.locator('summary').click();
  assert.equal(await settings(), { output: { width: 480, height: 480 } });
  await row.locator('button:has-text("Change")').click();
  await page.waitForSelector('#preset-name[readonly]');
  await page.fill('#preset-settings', '{"output": {"width": 240, "height": 240}}');
  await page.click('text="Save square"');
  await page.waitForSelector('#preset-settings', { state: 'detached' });
  assert.equal(await settings(), { output: { width: 240, height: 240 } });
  await row.locator('button:has-text("Remove")').click();
  await row.waitFor({ state: 'detached' });
  assert.is(await settings(), undefined);
  assert.match(questions.join(), 'Remove the preset square? New jobs that name it are rejected.');
});

test('the key of the session is revoked: the browser is signed out', async ({ browser, daemon }) => {
  const { key } = await createKey(openFolderSetup(daemon.dataFolder), 'default', 'full', { name: 'mine' });
  const { page } = await openPage(browser, daemon.url, key);
  page.on('dialog', (dialog) => void dialog.accept());
  await page.goto(`${daemon.url}/ui/settings`);
  await page.click('button:has-text("Revoke mine")');
  await page.waitForSelector('form.sign-in');
  await page.goto(`${daemon.url}/ui/settings`);
  await page.waitForSelector('form.sign-in');
  await page.context().close();
});

test('the usage is shown, and a viewer has no buttons', async ({ browser, daemon, page }) => {
  assert.match(await page.innerText('main'), /encoded in \d{4}-\d{2}/);
  const { key } = await createKey(openFolderSetup(daemon.dataFolder), 'default', 'viewer');
  const viewer = await openPage(browser, daemon.url, key);
  await viewer.page.goto(`${daemon.url}/ui/settings`);
  await viewer.page.waitForSelector('h2:has-text("Presets")');
  await viewer.page.waitForLoadState('networkidle');
  assert.is(await viewer.page.locator('main button').count(), 0);
  assert.match(await viewer.page.innerText('main'), /encoded in \d{4}-\d{2}/);
  await viewer.page.context().close();
});

test.run();

interface Presets {
  readonly presets: readonly { readonly name: string; readonly settings: unknown }[];
}

async function statusWith({ url }: TestDaemon, key: string): Promise<number> {
  return (await fetch(`${url}/v2/jobs`, { headers: { 'Service-Api-Key': key } })).status;
}
