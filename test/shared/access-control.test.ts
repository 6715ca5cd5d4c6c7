import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { videoAccess } from '../../daemon/jobs/file-access.js';
import type { OutputSettings } from '../../src/shared/settings/index.js';
import { input, settingsOf, validationErrorsFor } from './reading.js';

test('a permission is a string or an array, under either name, and under both if they are the same', () => {
  const grantee = 'x';
  for (const fields of [
    { permission: 'read' },
    { permissions: 'READ' },
    { permission: ['READ'] },
    { permissions: ['Read'] },
    { permission: 'READ', permissions: ['read'] },
  ])
    assert.equal(settingsOf({ access_control: { grantee, ...fields } }), {
      access_control: [{ grantee, permission: ['READ'] }],
    });
  const all = ['READ', 'WRITE', 'READ_ACP', 'WRITE_ACP', 'FULL_CONTROL'];
  assert.equal(settingsOf({ access_control: { grantee, permission: all } }), {
    access_control: [{ grantee, permission: all }],
  });
  assert.equal(
    validationErrorsFor({
      input,
      outputs: [{ access_control: { grantee, permission: 'READ', permissions: 'WRITE_ACP' } }],
    }),
    [
      'outputs[0].access_control.permission and outputs[0].access_control.permissions are the same setting and must have the same value',
    ],
  );
});

test('a grant has a grantee and a permission', () => {
  assert.equal(
    validationErrorsFor({ input, outputs: [{ access_control: [{}, { grantee: 'x', permission: 'OWN' }] }] }),
    [
      'outputs[0].access_control[0].grantee is required: who is granted access',
      'outputs[0].access_control[0] must have permission or permissions',
      'outputs[0].access_control[1].permission must be one of READ, WRITE, READ_ACP, WRITE_ACP, FULL_CONTROL',
    ],
  );
});

test('grants in jobs of older versions are read in both of their forms', () => {
  const access_control: unknown = [
    { grantee: 'a', permission: 'READ' },
    { grantee: 'b', permissions: ['READ_ACP', 'WRITE_ACP'] },
    { grantee: 'c', permission: ['READ'] },
  ];
  assert.equal(
    videoAccess({ access_control } as OutputSettings).grants.map(({ permissions }) => permissions),
    [['READ'], ['READ_ACP', 'WRITE_ACP'], ['READ']],
  );
});

test.run();
