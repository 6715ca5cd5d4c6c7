import { existsSync, readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { defaultOutput } from '../../src/shared/settings/index.js';
import { checkSupport, type SettingSupport } from '../../src/shared/settings/support/setting-support.js';
import {
  supportedJobFields,
  supportedOutputSettings,
} from '../../src/shared/settings/support/supported-settings.js';

const entries: readonly (readonly [string, SettingSupport])[] = [
  ...Object.entries(supportedJobFields),
  ...Object.entries(supportedOutputSettings),
];

for (const [name, support] of entries) {
  if (!('by' in support)) continue;
  test(`${name} is read in the file that the table names for it`, () => {
    assert.ok(existsSync(support.by), `${support.by} is not there`);
    assert.ok(/\.ts$/.test(support.by), support.by);
  });
}

test('every setting of the plan is named in the file that supports it', () => {
  for (const [name, support] of entries) {
    if (!('by' in support) || !support.by.startsWith('daemon/plan/')) continue;
    // A nested setting is read under its last name only.
    const own = name.slice(name.lastIndexOf('.') + 1);
    assert.match(readFileSync(support.by, 'utf8'), new RegExp(`\\b${own}\\b`), name);
  }
});

test('the default output and an output without settings have no unsupported settings', () => {
  const nothing = { validationErrors: [], warnings: [] };
  assert.equal(checkSupport(supportedOutputSettings, defaultOutput, 'outputs[0]'), nothing);
  assert.equal(checkSupport(supportedOutputSettings, {}, 'outputs[0]'), nothing);
});

test('a setting that is not supported is rejected by its path, except with a value that turns it off', () => {
  const check = (settings: object) => checkSupport(supportedOutputSettings, { ...settings }, 'outputs[2]');
  const [error = ''] = check({ drm: { method: 'playready' } }).validationErrors;
  assert.match(error, /^outputs\[2\]\.drm is not supported: /);
  for (const value of [false, 'false', 0, 'none', {}, []])
    assert.equal(check({ drm: value, cue_points: value, package_format: value }).validationErrors, []);
  assert.equal(check({ output_audio_channels: '2' }).validationErrors, []);
});

test('a setting without effect is a warning if a client may expect another file', () => {
  const check = (settings: object) => checkSupport(supportedOutputSettings, { ...settings }, 'outputs[0]');
  assert.equal(check({ vp6_profile: 'vp6-e' }).warnings, [
    { field: 'outputs[0].vp6_profile', message: 'has no effect here: it is an option of the codec vp6' },
  ]);
  assert.equal(check({ generate_md5_checksum: true, max_aac_profile: 'aac-lc' }).warnings, []);
  assert.equal(check({ mtu_size: 1450, rtmp_keep_alive: false }).warnings, []);
  const nested = check({ notifications: [{ url: 'http://a/b', event: 'seamless_playback' }] }).warnings;
  assert.equal(
    nested.map(({ field }) => field),
    ['outputs[0].notifications[0].event'],
  );
});

test.run();
