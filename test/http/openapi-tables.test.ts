import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type ErrorClassEntry, jobErrorClasses } from '../../src/shared/error-classes.js';
import { responses } from '../../src/shared/records/answers.js';
import type { Field } from '../../src/shared/records/field.js';
import { jobTable, outputTable } from '../../src/shared/settings/index.js';
import type { Setting, SettingsTable } from '../../src/shared/settings/setting.js';
import { at, property, readOptions } from '../helpers/answers/document.js';

test('every setting is there under each of its names, with its range, its choices, its default and its help', () => {
  const request = ['components', 'schemas', 'CreateJobRequest', 'properties'];
  const output = [...request, 'outputs', 'anyOf', '1', 'properties'];
  assert.ok(allSettings(jobTable, request) + allSettings(outputTable, output) > 50);
});

/** Checks the settings of a table in a schema, and nested ones; returns their number. */
function allSettings(table: SettingsTable, path: readonly string[]): number {
  const counts = Object.entries(table).map(([name, setting]) => {
    const reported = at(...path, name);
    const text = JSON.stringify(reported) ?? '';
    assert.ok(reported !== undefined, `${path.join('.')} has no ${name}`);
    assert.ok(
      text.toLowerCase().includes(JSON.stringify(setting.help.toLowerCase()).slice(1, -1)),
      `help of ${name}`,
    );
    for (const value of limitsOf(setting))
      assert.ok(text.includes(JSON.stringify(value)), `${value} of ${name}`);
    if ('default' in setting) assert.ok(property(reported, 'default') !== undefined, `default of ${name}`);
    for (const spelling of setting.spellings ?? []) {
      assert.is(property(at(...path, spelling), 'deprecated'), true, spelling);
    }
    const inner = setting.kind === 'list' ? setting.of : setting;
    if (inner.kind !== 'object') return 1;
    return 1 + allSettings(inner.fields, pathOfFields([...path, name]));
  });
  return counts.reduce((sum, count) => sum + count, 0);
}

function limitsOf(setting: Setting): readonly unknown[] {
  switch (setting.kind) {
    case 'integer':
    case 'number':
      return [setting.min, setting.max];
    case 'choice':
    case 'number-choice':
      return setting.choices;
    default:
      return [];
  }
}

/** The schema with the fields of an object setting: the schema itself, one of several alternatives, or one with a condition. */
function pathOfFields(path: readonly string[]): readonly string[] {
  if (at(...path, 'properties') !== undefined) return [...path, 'properties'];
  const inner = ['anyOf', 'allOf'].find((word) => at(...path, word) !== undefined);
  if (inner === undefined) throw new Error(`${path.join('.')} has no fields`);
  return pathOfFields([...path, inner, '0']);
}

test('the description of a setting that is unsupported or has no effect says so', () => {
  const tables: Readonly<Record<string, SettingsTable>> = {
    CreateJobRequest: jobTable,
    OutputSettings: outputTable,
  };
  for (const [schema, table] of Object.entries(tables)) {
    for (const [name, { rejected, noEffect }] of Object.entries(table)) {
      const reported = String(at('components', 'schemas', schema, 'properties', name, 'description'));
      assert.match(reported, rejected ?? noEffect ?? '');
    }
  }
});

test('every record has exactly its fields, with their types', () => {
  for (const [name, field] of Object.entries<Field>(responses)) {
    const schema = `${name[0]?.toUpperCase()}${name.slice(1)}Answer`;
    assert.ok(allFields(field, ['components', 'schemas', schema]) > 0, name);
  }
});

/** Checks a field in a schema, and nested ones; returns their number. */
function allFields(field: Field, path: readonly string[]): number {
  if (field.type === 'array') {
    assert.is(at(...path, 'type'), 'array', path.join('.'));
    return 1 + allFields(field.of, [...path, 'items']);
  }
  if (field.type !== 'object') {
    const whole = JSON.stringify([at(...path)]);
    assert.ok(
      whole.includes(`"${field.type}"`) || whole.includes('ErrorClass'),
      `${path.join('.')}: ${whole}`,
    );
    assert.is(whole.includes('"null"'), field.isNullable === true, `${path.join('.')}: ${whole}`);
    return 1;
  }
  const names = Object.keys(field.fields);
  assert.is(at(...path, 'additionalProperties'), field.isOpen === true, path.join('.'));
  assert.equal(Object.keys(at(...path, 'properties') ?? {}), names);
  assert.equal(
    at(...path, 'required'),
    names.filter((name) => !field.fields[name]?.isOptional),
  );
  const counts = Object.entries(field.fields).map(([name, inner]) =>
    allFields(inner, [...path, 'properties', name]),
  );
  return counts.reduce((sum, count) => sum + count, 1);
}

test('JSONP contains no checksum', () => {
  for (const name of ['InputDetailsAnswer', 'OutputDetailsAnswer']) {
    assert.ok(at('components', 'schemas', name, 'properties', 'md5_checksum'));
    assert.is(at('components', 'schemas', `${name}InJsonp`, 'properties', 'md5_checksum'), undefined);
  }
});

test('every error class of job failures is described', () => {
  const reported = JSON.stringify(at('components', 'schemas', 'ErrorClass', 'oneOf'));
  const failures = Object.entries<ErrorClassEntry>(jobErrorClasses);
  assert.is(failures.length, 32);
  for (const [name, { meaning }] of failures) {
    assert.ok(reported.includes(`"${name}"`), name);
    assert.ok(reported.includes(JSON.stringify(meaning).slice(1, -1)), name);
  }
});

test('a job has at most as many outputs as the daemon allows', () => {
  assert.is(
    at('components', 'schemas', 'CreateJobRequest', 'properties', 'outputs', 'anyOf', '0', 'maxItems'),
    readOptions.maxOutputs,
  );
});

test.run();
