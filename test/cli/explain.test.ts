import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { SettingRecord } from '../../src/shared/records.js';
import { parseJobRequest } from '../../src/shared/settings/parse-job-request.js';
import { listSettings } from '../../src/shared/settings/support.js';
import { runInProcess } from './run-here.js';

const explain = (...args: readonly string[]) => runInProcess(['explain', ...args], { width: 80 });

test('explain prints the meaning, value, default, flag, names, support and an example', async () => {
  const { code, stdout } = await explain('bitrate_cap');
  assert.is(code, 0);
  for (const part of [
    /^bitrate_cap \(setting of an output\)$/m,
    /Value +whole number, 1 to 1000000 Kbps/,
    /Flag +--bitrate-cap <cap>/,
    /Other names +decoder_bitrate_cap/,
    /Support +supported/,
    /Example +\{"outputs":\[\{"bitrate_cap":\d+\}\]\}/,
  ])
    assert.match(stdout, part);
});

test('a setting is found by any spelling, with hyphens, and by the last part of a nested name', async () => {
  for (const name of ['bitrate_cap', 'decoder_bitrate_cap', 'bitrate-cap'])
    assert.match((await explain(name)).stdout, /^bitrate_cap \(/, name);
  const { stdout } = await explain('width');
  for (const name of ['width', 'watermark.width']) assert.match(stdout, new RegExp(`^${name} \\(`, 'm'));
});

test('a rejected setting has its reason and no example', async () => {
  const stdout = (await explain('drm')).stdout.replaceAll(/\s+/g, ' ');
  assert.match(stdout, /Support +rejected: drm is not supported: there is no digital rights management/);
  assert.not.match(stdout, /Example/);
});

test('an unknown name is an error with suggestions', async () => {
  const { code, stderr } = await explain('video_bitrat');
  assert.is(code, 2);
  assert.match(stderr, /There is no setting "video_bitrat"\.\nvenc: hint: did you mean video_bitrate/);
});

test('--json prints the records of GET /v2/settings', async () => {
  const records = JSON.parse((await explain('drm', '--json')).stdout) as readonly SettingRecord[];
  assert.equal(
    records,
    listSettings().filter(({ name }) => name === 'drm'),
  );
});

test('every example is a valid request', async () => {
  for (const { name } of listSettings()) {
    for (const [, example = ''] of (await explain(name)).stdout
      .replaceAll(/\n +(?=[^ ]*[}\]])/g, '')
      .matchAll(/Example +(.*)/g)) {
      const body = JSON.parse(example) as object;
      const ladder = example.includes('dynamic_profile')
        ? { generate_dynamic_profile: true, outputs: [{ dynamic_profile_rendition: 1 }] }
        : {};
      const parsed = parseJobRequest(
        { input: 'http://example.com/a.mp4', ...ladder, ...body },
        { maxOutputs: 2 },
      );
      assert.ok(parsed.ok, `${name}: ${example} ${JSON.stringify(parsed)}`);
      assert.equal(parsed.warnings, [], name);
    }
  }
});

test.run();
