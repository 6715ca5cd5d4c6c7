import { readdirSync, readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { examples } from '../../scripts/docs/examples.js';
import { jobTable, outputTable } from '../../src/shared/settings/index.js';
import { parseJobRequest } from '../../src/shared/settings/parse-job-request.js';
import { shippedPresetNames } from '../../src/shared/settings/presets.js';
import { editorSchema } from '../../src/shared/settings/schema/editor-schema.js';
import type { Schema } from '../../src/shared/settings/schema/schema.js';
import type { Setting, SettingsTable } from '../../src/shared/settings/setting.js';
import { shippedPreset } from '../../src/shared/settings/shipped-presets.js';
import { docPages } from '../helpers/doc-blocks.js';
import { createChoices } from '../helpers/fuzz/choices.js';
import { valueFor } from '../helpers/fuzz/valid-values.js';
import { wrongValuesFor } from './wrong-values.js';

type Fields = Readonly<Record<string, unknown>>;

const input = 'http://example.com/in.mp4';
const schema = editorSchema(50);
// Strict: an editor ignores keywords that it does not know.
const ajv = new Ajv({ strict: true, allowUnionTypes: true, allErrors: true });
const validate = ajv.compile(schema);
const isRead = (body: unknown) => parseJobRequest(body, { maxOutputs: 50 }).ok;

/** The violations of the schema by a request. */
function violations(body: unknown): readonly string[] {
  return validate(body)
    ? []
    : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The requests in the JSON blocks and in the commands of a page. */
function requestsOf(page: string): readonly Fields[] {
  const text = readFileSync(page, 'utf8');
  const blocks = [...text.matchAll(/^ *```json\n([\s\S]*?)^ *```$/gm)].map(([, block = '']) => block);
  const typed = [...text.matchAll(/'(\{"(?:input|outputs?)":[^']*\})'/g)].map(([, body = '']) => body);
  const inline = [...text.matchAll(/`(\{"(?:input|outputs?)":[^`]*\})`/g)].map(([, body = '']) => body);
  return [...blocks, ...typed, ...inline].flatMap((block) => {
    if (/…|\.\.\.|\$\{?[A-Z]/.test(block)) return [];
    const value: unknown = JSON.parse(block);
    return isObject(value) && ['input', 'output', 'outputs'].some((name) => name in value) ? [value] : [];
  });
}

test('it is a valid schema of draft-07, and small enough to be read by an editor', () => {
  assert.is(schema.$schema, 'http://json-schema.org/draft-07/schema#');
  assert.ok(ajv.validateSchema(schema), JSON.stringify(ajv.errors));
  assert.ok(JSON.stringify(schema).length < 150_000);
});

test('every request of the documentation is valid', () => {
  const found = [...docPages, 'docs/settings.md'].flatMap((page) =>
    requestsOf(page).map((request) => ({ page, request })),
  );
  assert.ok(found.length > 15, String(found.length));
  for (const { page, request } of found)
    assert.equal(violations({ input, ...request }), [], `${page}: ${JSON.stringify(request)}`);
  for (const { title, request } of examples) assert.equal(violations(request), [], title);
});

test('every shipped preset is valid with an input', () => {
  for (const name of shippedPresetNames)
    assert.equal(violations({ input, ...shippedPreset(name)?.settings }), [], name);
});

test('requests of applications are valid if a daemon accepts them without a warning about a name', () => {
  for (const file of readdirSync('test/requests').filter((name) => name.endsWith('.json'))) {
    const text = readFileSync(`test/requests/${file}`, 'utf8');
    const { request, errors } = JSON.parse(
      text.replaceAll('INPUT', input).replaceAll('FOLDER', 'file:///films'),
    );
    if (errors !== undefined) continue;
    const unknown = parseJobRequest(request, { maxOutputs: 50 }).warnings.filter((one) => one.unknown);
    assert.is(violations(request).length > 0, unknown.length > 0, `${file}: ${violations(request)}`);
  }
});

const good: readonly (readonly [string, Fields])[] = [
  ['the schema that an editor uses', { $schema: './request.schema.json', input }],
  ['the path of an input', { input: 'films/film.mov' }],
  ['the paths of captions', { input, outputs: [{ caption_url: ['film.srt', { url: 'film.de.srt' }] }] }],
  ['numbers as text', { input, outputs: [{ width: '640', frame_rate: '29.97', speed: '2' }] }],
  ['one output', { input, output: { width: 640 } }],
  ['nulls', { input, outputs: null, test: null, region: null }],
  ['another spelling', { input, outputs: [{ decoder_bitrate_cap: 800 }] }],
  ['any letter case', { input, outputs: [{ video_codec: 'H264' }] }],
  ['a setting without effect', { input, outputs: [{ vp6_profile: 'vp6-e' }] }],
  ['a rejected setting that is off', { input, outputs: [{ drm: {} }, { drm: false, label: 'b' }] }],
];

for (const [what, body] of good) {
  test(`a request with ${what} is valid`, () => assert.equal(violations(body), []));
}

const bad: readonly (readonly [string, unknown])[] = [
  ['no input', {}],
  ['an empty input', { input: '' }],
  ['an input with a scheme and nothing else', { input: 'http:' }],
  ['a list', []],
  ['both output and outputs', { input, output: {}, outputs: [{}] }],
  ['too many outputs', { input, outputs: Array(51).fill({}) }],
  ['an unknown name', { input, widht: 1 }],
  ['an unknown name in an output', { input, outputs: [{ widht: 640 }] }],
  ['an unknown name in a nested object', { input, outputs: [{ thumbnails: { numbr: 3 } }] }],
  ['a name with a hyphen', { input, outputs: [{ 'video-codec': 'h264' }] }],
  ['a schema in an output', { input, outputs: [{ $schema: 's' }] }],
  ['a rejected setting', { input, outputs: [{ drm: { method: 'x' } }] }],
  ['a rejected choice', { input, outputs: [{ encryption_method: 'cbcs' }] }],
  ['a watermark without an address', { input, outputs: [{ watermark: {} }] }],
  ['a header that the daemon sets', { input, notifications: { url: input, headers: { 'Webhook-Id': '1' } } }],
];

for (const [what, body] of bad) {
  test(`a request with ${what} is not valid`, () => assert.ok(violations(body).length > 0));
}

/** Values that only the daemon rejects, because a schema would have to calculate with the contents of a text. */
function isBeyond({ kind }: Setting, value: unknown): boolean {
  if (kind === 'text') return /[\p{Cc}\p{Cs}]|ä/u.test(String(value));
  if (kind === 'url') return /[\p{Cc}]|:(?:port|99999)|AKIA/u.test(String(value));
  // Names that differ only in letter case, and times below a microsecond.
  if (kind === 'map' || value === 1e-9) return true;
  return typeof value === 'string' && /^[-\d.:x]+$/i.test(value);
}

const tables: readonly (readonly [SettingsTable, (name: string, value: unknown) => Fields])[] = [
  [jobTable, (name, value) => ({ input, [name]: value })],
  [outputTable, (name, value) => ({ input, outputs: [{ [name]: value }] })],
];

/** Whether a daemon accepts a request with the setting. */
function isSupported({ rejected, rejectedValues = {} }: Setting, body: unknown): boolean {
  const text = JSON.stringify(body).toLowerCase();
  const isRejected = Object.keys(rejectedValues).some((value) => text.includes(`"${value}"`));
  return rejected === undefined && !isRejected && isRead(body);
}

for (const [table, inRequest] of tables) {
  for (const [name, setting] of Object.entries(table)) {
    test(`a wrong ${name} is not valid, and what a daemon accepts is`, () => {
      const { mayBePath } = { mayBePath: undefined, ...setting };
      const wrong = wrongValuesFor(setting).filter(
        (value) => typeof value !== 'number' || Number.isFinite(value),
      );
      const isText = (value: unknown) => typeof value === 'string';
      const missed = wrong.filter((value) => violations(inRequest(name, value)).length === 0);
      // A path may be any text.
      const mayHavePath = mayBePath || name === 'caption_url';
      const unexplained = missed.filter(
        (value) => !isBeyond(setting, value) && !(mayHavePath && isText(value)),
      );
      assert.equal(unexplained, []);
      const choices = createChoices(1);
      for (let round = 0; round < 20; round += 1) {
        // An editor accepts the spellings of true and false in lower case only.
        const text = JSON.stringify(inRequest(name, valueFor(setting, choices)));
        const body: unknown = JSON.parse(text.replaceAll('"FALSE"', '"false"'));
        if (isSupported(setting, body)) assert.equal(violations(body), [], text);
      }
    });
  }
}

test('every rejected setting is an error in an editor unless it is off', () => {
  for (const [table, inRequest] of tables) {
    for (const [name] of Object.entries<Setting>(table).filter(
      ([, { rejected }]) => rejected !== undefined,
    )) {
      assert.ok(violations(inRequest(name, { any: 'value' })).length > 0, name);
      assert.equal(violations(inRequest(name, null)), [], name);
    }
  }
});

test('every setting has a description, and those that are applied have an example, which is valid', () => {
  for (const [table, inRequest] of tables) {
    const { properties = {} } = table === jobTable ? schema : (schema.definitions?.OutputSettings ?? {});
    for (const [name, setting] of Object.entries<Setting>(table)) {
      const { description = '', examples: values = [] }: Schema = properties[name] ?? {};
      assert.ok(description.length > 10, name);
      if (setting.kind === 'unchecked' || setting.rejected !== undefined) continue;
      assert.is(values.length, 1, name);
      assert.equal(violations(inRequest(name, values[0])), [], name);
    }
  }
});

test('choices are listed for completion, without those that are rejected', () => {
  const found = schema.definitions?.OutputSettings?.properties?.encryption_method?.anyOf?.[0]?.enum ?? [];
  assert.ok(found.includes('aes-128-cbc'));
  assert.not.ok(found.includes('cbcs'));
});

test.run();
