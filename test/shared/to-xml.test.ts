import { SaxesParser } from 'saxes';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { responses } from '../../src/shared/records/answers.js';
import type { Field } from '../../src/shared/records/field.js';
import { toXml } from '../../src/shared/to-xml.js';
import { matchesGolden } from '../helpers/golden.js';
import { readByTypes } from './read-by-types.js';
import { completeSample, fullSample, minimalSample } from './sample-records.js';

const rows = Object.entries<Field>(responses);
/** For readability, each element of a golden file is on its own line. */
const inLines = (xml: string): string => xml.replaceAll('><', '>\n<');

for (const [name, shape] of rows) {
  test(`${name} as XML matches its golden file`, () => {
    const texts = [fullSample, minimalSample].map((sample) => inLines(toXml(sample(shape), shape)));
    matchesGolden(`shared/xml/${name}.xml.txt`, texts.join('\n'));
  });

  test(`the XML of ${name}, read by types, equals the JSON`, () => {
    for (const sample of [fullSample, minimalSample, completeSample]) {
      const record = sample(shape);
      assert.equal(readByTypes(toXml(record, shape), shape), JSON.parse(JSON.stringify(record)));
    }
  });
}

const text = {
  type: 'object',
  fields: { text: { type: 'string', description: 'a text' } },
  description: 'a record',
} as const;
const textIn = (value: unknown): unknown => readByTypes(toXml({ text: value }, text), text);

test('every text survives a round trip, and characters that XML cannot hold become U+FFFD', () => {
  const samples: readonly (readonly [string, string])[] = [
    ['', ''],
    [' a  b ', ' a  b '],
    ['a\tb\nc\r\nd\re', 'a\tb\nc\r\nd\re'],
    ['<b attribute="x">&amp;</b> ]]> --> \'"', '<b attribute="x">&amp;</b> ]]> --> \'"'],
    ['Grüße, 日本, 😀\u{10FFFF}', 'Grüße, 日本, 😀\u{10FFFF}'],
    ['\u0085\u00A0\u2028\u2029\u200E\uFEFFa', '\u0085\u00A0\u2028\u2029\u200E\uFEFFa'],
    ['\u0000\u0008\u000B\u000C\u001Fz', `${'\uFFFD'.repeat(5)}z`],
    ['\uD800 \uDC00 \uDC00\uD800', '\uFFFD \uFFFD \uFFFD\uFFFD'],
    ['\uFFFE\uFFFF\uFFFD', '\uFFFD\uFFFD\uFFFD'],
  ];
  for (const [given, expected] of samples) assert.equal(textIn(given), { text: expected });
});

test('every single code unit makes XML that parses', () => {
  for (let code = 0; code <= 0xffff; code += 1) {
    const character = String.fromCharCode(code);
    const back = textIn(character);
    const isKept = /[\t\n\r\x20-\uD7FF\uE000-\uFFFD]/.test(character);
    assert.equal(back, { text: isKept ? character : '\uFFFD' });
  }
});

test('an entry in an object of its own name is written once, and any other object unchanged', () => {
  const inner = {
    type: 'object',
    fields: { job: { type: 'integer', description: 'id' } },
    description: 'one',
  } as const;
  const list = (item: string): Field => ({
    type: 'array',
    name: 'list',
    item,
    of: inner,
    description: 'a list',
  });
  assert.match(toXml([{ job: 1 }], list('job')), '<list type="array"><job type="integer">1</job></list>');
  assert.match(
    toXml([{ job: 1 }], list('entry')),
    '<list type="array"><entry><job type="integer">1</job></entry></list>',
  );
});

test('numbers that are not finite are nil, as they are null in JSON', () => {
  const shape = {
    type: 'object',
    fields: { a: { type: 'number', description: 'a' } },
    description: 'a',
  } as const;
  for (const a of [Number.NaN, Number.POSITIVE_INFINITY, null]) {
    assert.match(toXml({ a }, shape), '<a type="float" nil="true"/>');
  }
});

test('fields that are not in the table are omitted', () => {
  assert.not.match(toXml({ text: 'a', other: '<' }, text), 'other');
});

test('each answer is one XML document in UTF-8', () => {
  for (const [, shape] of rows) {
    const xml = toXml(fullSample(shape), shape);
    assert.ok(xml.startsWith('<?xml version="1.0" encoding="UTF-8"?>\n<api-response>'));
    new SaxesParser({ xmlns: true }).write(xml).close();
  }
});

test.run();
