import type { Browser, Page } from 'playwright-core';
import * as assert from 'uvu/assert';
import { settingFlags } from '../../src/shared/settings/flags.js';
import type { TestDaemon } from '../helpers/daemon.js';
import { media } from '../helpers/media.js';
import { waitUntil } from '../helpers/wait-until.js';
import { assertAccessible, assertFits, browserSuite, openPage } from './page-browser.js';

interface Context {
  daemon: TestDaemon;
  browser: Browser;
  page: Page;
  /** Problems that the document has reported. */
  problems: string[];
  /** The scripts that the document has loaded. */
  scripts: string[];
}

const test = browserSuite<Context>('the settings of the form for new jobs in a browser', { jobs: 1 });

test.before.each(async (context) => {
  const { browser, daemon } = context;
  const { page, problems } = await openPage(browser, daemon.url, daemon.key);
  const scripts: string[] = [];
  page.on('request', (request) => {
    if (request.resourceType() === 'script') scripts.push(request.url());
  });
  Object.assign(context, { page, problems, scripts });
  await page.goto(`${daemon.url}/ui/submit`);
});
test.after.each(async ({ page, problems }) => {
  await page.context().close();
  assert.equal(problems, []);
});

test('the settings are loaded when they are opened, with the texts of --help', async ({ page, scripts }) => {
  await page.waitForSelector('#submit:not([hidden])');
  const before = scripts.length;
  await openSettings(page);
  assert.ok(scripts.length > before, 'no script was loaded for the settings');
  for (const wanted of ['video_codec', 'bitrate_cap', 'aspect_mode', 'keyframe_rate']) {
    await page.fill('#settings-search', wanted);
    const { help } = settingFlags().find((one) => one.name === wanted) ?? { help: '' };
    assert.is(await page.innerText(`#setting-${wanted}-note`), help);
  }
  await page.fill('#settings-search', 'h.265');
  assert.equal(await page.locator('.setting-rows label').allInnerTexts(), ['video_codec']);
  await page.fill('#settings-search', 'no such setting');
  await page.waitForSelector('text=No setting has these words.');
});

test('only the settings that were changed are in the JSON, and the form follows it', async ({ page }) => {
  await openSettings(page);
  await page.fill('#setting-height', '72');
  await page.selectOption('#setting-upscale', 'true');
  assert.equal(await jsonOf(page), { outputs: [{ height: 72, upscale: true }] });
  await page.fill('#setting-height', '');
  assert.equal(await jsonOf(page), { outputs: [{ upscale: true }] });
  await page.selectOption('#setting-upscale', '');
  assert.is(await page.inputValue('#settings'), '');
  await page.fill('#settings', '{"output": {"aspect-mode": "PAD", "one_pass": 1, "heigth": 3}}');
  assert.is(await page.inputValue('#setting-aspect_mode'), 'pad');
  assert.is(await page.inputValue('#setting-onepass'), 'true');
  await page.waitForSelector('text=heigth is not known, and is ignored. Did you mean height?');
  await page.selectOption('#setting-onepass', 'false');
  assert.equal(await jsonOf(page), { output: { 'aspect-mode': 'PAD', one_pass: false, heigth: 3 } });
  await page.fill('#settings', '{"output": ');
  await page.waitForSelector('text=The JSON below is not valid');
  await page.fill('#settings', '{"outputs": [7]}');
  await page.waitForSelector('text=Output 1 in the JSON must be an object.');
});

test('a number is typed without being rewritten, and is wrong only while it is', async ({ page }) => {
  await openSettings(page);
  await page.fill('#settings-search', 'frame_rate');
  await page.locator('#setting-frame_rate').pressSequentially('12.05');
  assert.is(await page.inputValue('#setting-frame_rate'), '12.05');
  assert.equal(await jsonOf(page), { outputs: [{ frame_rate: 12.05 }] });
  await page.fill('#setting-frame_rate', '0');
  await page.waitForSelector('#setting-frame_rate-note :text("frame_rate must be a number from ")');
  assert.is(await page.getAttribute('#setting-frame_rate', 'aria-invalid'), 'true');
  await page.fill('#setting-frame_rate', '25');
  assert.is(await page.getAttribute('#setting-frame_rate', 'aria-invalid'), null);
});

test('each output and the job have their settings', async ({ page }) => {
  await openSettings(page);
  await page.fill('#setting-width', '640');
  await page.click('text="Add an output"');
  await page.fill('#setting-width', '320');
  await page.selectOption('#settings-of', 'job');
  await page.fill('#settings-search', 'grouping');
  await page.fill('#setting-grouping', 'autumn');
  assert.equal(await jsonOf(page), { outputs: [{ width: 640 }, { width: 320 }], grouping: 'autumn' });
  await page.selectOption('#settings-of', '0');
  await page.fill('#settings-search', '');
  assert.is(await page.inputValue('#setting-width'), '640');
  await page.click('text="Remove output 1"');
  assert.is(await page.inputValue('#setting-width'), '320');
  assert.equal(await jsonOf(page), { outputs: [{ width: 320 }], grouping: 'autumn' });
});

test('a setting with fields is written in the JSON, from an example', async ({ page }) => {
  await openSettings(page);
  await page.fill('#settings-search', 'watermark images');
  await page.click('#setting-watermark');
  assert.equal(await jsonOf(page), { outputs: [{ watermark: [{ url: 'https://example.com/logo.png' }] }] });
  assert.is(await page.evaluate('document.activeElement.id'), 'settings');
  await page.click('#setting-watermark');
  assert.is(await page.inputValue('#settings'), '');
});

test('a setting of the preset is named where it applies', async ({ page }) => {
  await page.selectOption('#preset', 'small');
  await openSettings(page);
  await page.fill('#settings-search', 'target_size');
  await page.waitForSelector('#setting-target_size-note :text("The preset small sets ")');
  await page.fill('#setting-target_size', '5MB');
  assert.not.match(await page.innerText('#setting-target_size-note'), 'preset');
});

test('what the daemon rejects is shown at its setting', async ({ page }) => {
  await page.setInputFiles('#files', await media('silent.mp4'));
  await openSettings(page);
  await page.fill('#settings', '{"outputs": [{}, {"crf": 20, "quality": 3, "video_codec": "vp6"}]}');
  await page.click('#submit [type=submit]');
  const button = page.locator('#errors li', { hasText: 'outputs[1].video_codec' }).locator('button');
  await button.click();
  assert.is(await page.inputValue('#settings-of'), '1');
  await waitUntil('the setting has the focus', async () => {
    return (await page.evaluate('document.activeElement.id')) === 'setting-video_codec';
  });
  assert.is(await page.getAttribute('#setting-video_codec', 'aria-invalid'), 'true');
});

test('a film is encoded as the form says', async ({ page, daemon }) => {
  await page.setInputFiles('#files', await media('silent.mp4'));
  await openSettings(page);
  await page.fill('#setting-height', '72');
  await page.click('#submit [type=submit]');
  await page.waitForSelector('.upload .state a');
  const href = (await page.getAttribute('.upload .state a', 'href')) ?? '';
  const record = await daemon.waitForJob(Number(/\d+$/.exec(href)?.[0]));
  assert.is(record.state, 'finished');
  assert.is(record.output_media_files[0]?.height, 72);
});

test('the settings fit a narrow window, and work by keyboard and for screen readers', async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 700 });
  await openSettings(page);
  await page.focus('button:has-text("Audio effects")');
  await page.keyboard.press('Enter');
  assert.is(await page.getAttribute('button:has-text("Audio effects")', 'aria-expanded'), 'true');
  await page.keyboard.press('Tab');
  assert.is(await page.evaluate('document.activeElement.id'), 'setting-audio_gain');
  await page.keyboard.type('3');
  await page.fill('#setting-height', 'x');
  await page.click('text="Add an output"');
  await assertFits(page, 'the settings');
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await assertAccessible(page, `the settings, ${colorScheme}`);
  }
});

test.run();

async function openSettings(page: Page): Promise<void> {
  await page.click('text="More settings"');
  await page.waitForSelector('#settings-of');
}

/** The request in the text area. */
async function jsonOf(page: Page): Promise<unknown> {
  return JSON.parse(await page.inputValue('#settings'));
}
