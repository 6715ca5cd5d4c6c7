import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { accessControlTable } from '../../src/shared/settings/delivery.js';
import { jobTable, outputTable, type SettingsTable } from '../../src/shared/settings/index.js';
import { notificationTable } from '../../src/shared/settings/notifications.js';
import { thumbnailsTable } from '../../src/shared/settings/thumbnails.js';
import { watermarkTable } from '../../src/shared/settings/video.js';
import { input, validationErrorsFor } from './reading.js';
import { wrongValuesFor } from './wrong-values.js';

type Fields = Readonly<Record<string, unknown>>;

const output = (fields: Fields) => ({ input, outputs: [{}, fields] });
const grant = { grantee: 'someone', permission: 'READ' };

/** The paths of the settings of each table in a request. */
const tables: readonly {
  readonly table: SettingsTable;
  readonly path: string;
  readonly body: (fields: Fields) => Fields;
}[] = [
  { table: jobTable, path: '', body: (fields) => ({ input, ...fields }) },
  { table: outputTable, path: 'outputs[1].', body: output },
  {
    table: watermarkTable,
    path: 'outputs[1].watermark[0].',
    body: (fields) => output({ watermark: [{ url: input, ...fields }] }),
  },
  {
    table: watermarkTable,
    path: 'outputs[1].watermarks.',
    body: (fields) => output({ watermarks: { url: input, ...fields } }),
  },
  {
    table: notificationTable,
    path: 'notifications[1].',
    body: (fields) => ({ input, notifications: [input, { url: input, ...fields }] }),
  },
  {
    table: notificationTable,
    path: 'outputs[1].notifications.',
    body: (fields) => output({ notifications: { url: input, ...fields } }),
  },
  { table: thumbnailsTable, path: 'outputs[1].thumbnails.', body: (thumbnails) => output({ thumbnails }) },
  {
    table: accessControlTable,
    path: 'outputs[1].access_control[1].',
    body: (fields) => output({ access_control: [grant, { ...grant, ...fields }] }),
  },
  {
    table: accessControlTable,
    path: 'outputs[1].thumbnails.access_controls[0].',
    body: (fields) => output({ thumbnails: { access_controls: [{ ...grant, ...fields }] } }),
  },
];

for (const { table, path, body } of tables) {
  for (const [name, setting] of Object.entries(table)) {
    for (const spelling of [name, ...(setting.spellings ?? [])]) {
      test(`an invalid ${path}${spelling} is reported by its path`, () => {
        for (const value of wrongValuesFor(setting)) {
          const validationErrors = validationErrorsFor(body({ [spelling]: value }));
          const named = validationErrors.filter((text) => text.startsWith(`${path}${spelling}`));
          assert.ok(named.length > 0, `${JSON.stringify(value)} gave ${JSON.stringify(validationErrors)}`);
        }
      });
    }

    test(`a null ${path}${name} counts as omitted`, () => {
      assert.equal(
        validationErrorsFor(body({ [name]: null })),
        validationErrorsFor(body({ [name]: undefined })),
      );
    });
  }
}

test('all invalid values of all settings are reported at once', () => {
  const wrong = (table: SettingsTable): Fields =>
    Object.fromEntries(
      Object.entries(table).flatMap(([name, setting]) =>
        setting.kind === 'unchecked' || 'invalidMeansOmitted' in setting ? [] : [[name, 5000000.5]],
      ),
    );
  const validationErrors = validationErrorsFor({
    ...wrong(jobTable),
    outputs: [wrong(outputTable), wrong(outputTable)],
  });
  for (const [prefix, table] of [
    ['', jobTable],
    ['outputs[0].', outputTable],
    ['outputs[1].', outputTable],
  ] as const) {
    for (const name of Object.keys(wrong(table))) {
      assert.is(
        validationErrors.filter((text) => text.startsWith(`${prefix}${name} must be `)).length,
        1,
        name,
      );
    }
  }
});

test('validation errors repeat no value, because it may be secret', () => {
  const secret = 'hunter2';
  const fields = Object.fromEntries(Object.keys(outputTable).map((name) => [name, { [secret]: secret }]));
  const url = `ftp://user:${secret}@/x`;
  for (const body of [
    { input: url },
    output({ url, base_url: url, watermark: { url, x: secret }, size: secret, audio_codec: secret }),
    output(fields),
    { input, notifications: secret },
    { input, notifications: [`mailto:${secret}@example.com`, url, { url, format: secret, headers: secret }] },
    { input, notifications: { url: input, headers: { [`Authorization: ${secret}`]: 'x' } } },
    { input, notifications: { url: input, headers: { Authorization: `${secret}\n`, Host: secret } } },
  ]) {
    const validationErrors = validationErrorsFor(body);
    assert.ok(validationErrors.length > 0);
    for (const text of validationErrors) assert.not.match(text, secret);
  }
});

test.run();
