import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { languageCode, parseLanguage } from '../../../src/shared/text/languages.js';

const cases: readonly (readonly [string, string | null])[] = [
  ['en', 'eng'],
  ['EN-us', 'eng'],
  ['eng', 'eng'],
  ['ger', 'deu'],
  ['deu', 'deu'],
  ['zh-Hant-TW', 'zho'],
  ['chi', 'zho'],
  ['cmn', 'cmn'],
  ['und', null],
  ['xx', null],
  ['', null],
  ['english', null],
  ['e', null],
  ['eng,fra', null],
];

for (const [text, expected] of cases) {
  test(`the code of "${text}" is ${expected}`, () => assert.is(languageCode(text), expected));
}

for (const [text, expected] of [
  ['en_US', 'en-US'],
  ['por-BR', 'por-BR'],
  ['German', 'deu'],
  ['english ', 'eng'],
  ['Akan', 'aka'],
  ['Klingonese', null],
  ['und', null],
  ['', null],
] as const) {
  test(`"${text}" declares ${expected}`, () => assert.is(parseLanguage(text), expected));
}

test('every code of two letters has one of three that means the same language', () => {
  const letters = [...'abcdefghijklmnopqrstuvwxyz'];
  const found = letters.flatMap((first) => letters.map((second) => first + second)).filter(languageCode);
  assert.is(found.length, 183);
  // Twi is a part of Akan, whose code browsers prefer.
  const canonical = (code: string) => Intl.getCanonicalLocales(code)[0]?.replace('tw', 'ak');
  for (const short of found) assert.is(canonical(languageCode(short) ?? ''), canonical(short));
});

test.run();
