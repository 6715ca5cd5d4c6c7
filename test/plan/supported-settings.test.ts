import { existsSync, readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  type SettingSupport,
  supportedJobFields,
  supportedOutputSettings,
  unsupportedSettingErrors,
} from '../../daemon/plan/supported-settings.js';
import { defaultOutput } from '../../src/shared/settings/index.js';

const input = 'http://example.com/in.mp4';
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
  assert.equal(unsupportedSettingErrors({ input, outputs: [defaultOutput] }), []);
  assert.equal(unsupportedSettingErrors({ input, outputs: [{}] }), []);
});

test('every setting of a request is supported', () => {
  assert.equal(
    entries.filter(([, support]) => 'unsupported' in support).map(([name]) => name),
    [],
  );
});

test('an unsupported setting with its effective value is accepted', () => {
  const validationErrors = unsupportedSettingErrors({
    input,
    download_connections: 5,
    outputs: [{ public: true }],
  });
  assert.equal(validationErrors, []);
});

test.run();
