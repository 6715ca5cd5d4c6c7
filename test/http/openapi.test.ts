import { Validator } from '@seriousme/openapi-schema-validator';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openApiDocument, openApiText } from '../../daemon/http/openapi/document.js';
import type { Operation } from '../../daemon/http/openapi/document-types.js';
import { type ErrorClassEntry, errorClasses } from '../../src/api/error-classes.js';
import { answers } from '../../src/api/records/answers.js';
import type { Field } from '../../src/api/records/field.js';
import { type Representation, type Route, type RouteName, routes } from '../../src/api/routes.js';
import { jobTable, outputTable } from '../../src/api/settings/index.js';
import type { Setting, SettingsTable } from '../../src/api/settings/setting.js';

const baseUrl = 'https://encode.example.com/venc';
const options = { baseUrl, maxOutputs: 7 };
const document = openApiDocument(options);
/** As a reader has it, who knows no type of ours. */
const read: unknown = JSON.parse(JSON.stringify(document));

const allRoutes = Object.entries<Route>(routes) as [RouteName, Route][];
const suffixes: Readonly<Record<Representation, string>> = { json: '.json', xml: '.xml', jsonp: '.js' };
const template = ({ path }: Route) => path.replace(/:(\w+)/g, '{$1}');
const operations = Object.values(document.paths).flatMap((item) => Object.values(item));

/** Follows a path of keys, and references on the way. */
function at(...keys: readonly string[]): unknown {
  return keys.reduce((place: unknown, key) => property(resolved(place), key), read);
}

function property(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null
    ? Object.getOwnPropertyDescriptor(value, key)?.value
    : undefined;
}

function resolved(value: unknown): unknown {
  const reference = property(value, '$ref');
  if (typeof reference !== 'string') return value;
  return at(...reference.replace('#/', '').split('/'));
}

test('the document is valid OpenAPI 3.1', async () => {
  const validator = new Validator();
  const { valid, errors } = await validator.validate(JSON.parse(JSON.stringify(document)));
  assert.ok(valid, JSON.stringify(errors, null, 1));
  assert.is(validator.version, '3.1');
});

test('every reference leads somewhere', () => {
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(
    ([, reference]) => reference,
  );
  assert.ok(references.length > 100);
  for (const reference of new Set(references)) {
    assert.ok(resolved({ $ref: reference }) !== undefined, reference);
  }
});

test('the same tables give the same text, and the text says what the document says', () => {
  assert.is(openApiText(7)(baseUrl), JSON.stringify(document));
  assert.is(openApiText(7)(baseUrl), openApiText(7)(baseUrl));
});

test('the servers are the address that is given, and the same below /api', () => {
  assert.equal(
    document.servers.map(({ url }) => url),
    [baseUrl, `${baseUrl}/api`],
  );
});

for (const [name, route] of allRoutes) {
  test(`${name} is an operation of that name, at its plain address and at each suffix`, () => {
    const method = route.method.toLowerCase();
    const plain = at('paths', template(route), method);
    assert.is(property(plain, 'operationId'), name);
    assert.ok(at('paths', template(route), method, 'responses', String(route.status)), 'it can succeed');
    for (const representation of route.path.includes(':name') ? [] : route.representations) {
      const path = `${template(route)}${suffixes[representation]}`;
      const content = at('paths', path, method, 'responses', String(route.status), 'content');
      const types = Object.keys(typeof content === 'object' && content !== null ? content : {});
      assert.ok(at('paths', path, method), path);
      assert.is(types.length, route.answer === undefined ? 0 : 1, path);
    }
  });
}

test('there is no address that no route has', () => {
  const known = allRoutes.flatMap(([, route]) => [
    template(route),
    ...(route.path.includes(':name')
      ? []
      : route.representations.map((form) => `${template(route)}${suffixes[form]}`)),
  ]);
  assert.equal(Object.keys(document.paths).sort(), [...new Set(known)].sort());
});

test('no two operations have one name', () => {
  const names = operations.map(({ operationId }) => operationId);
  assert.is(new Set(names).size, names.length);
});

test('every parameter of a path is told, and ids are whole numbers below 2^31', () => {
  for (const [path, item] of Object.entries(document.paths)) {
    const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    for (const [method, operation] of Object.entries(item)) {
      const told = parametersOf(operation).filter((parameter) => property(parameter, 'in') === 'path');
      assert.equal(
        told.map((parameter) => property(parameter, 'name')),
        names,
        `${method} ${path}`,
      );
    }
  }
  const id = at('components', 'parameters', 'id', 'schema');
  assert.equal(
    ['type', 'minimum', 'maximum'].map((key) => property(id, key)),
    ['integer', 1, 2_147_483_647],
  );
});

const statuses: readonly (readonly [RouteName, string])[] = [
  ['createJob', '201 400 401 403 404 409 413 415 422 429 503'],
  ['listJobs', '200 401 403 404 422 429'],
  ['jobDetails', '200 403 404 410 429'],
  ['jobEvents', '200 204 403 404 410 429 503'],
  ['cancelJob', '204 403 404 409 410 429'],
  ['resubmitJob', '204 403 404 409 410 429 503'],
  ['outputDetails', '200 400 404 410 429'],
  ['reportAll', '200 401 403 404 422 429'],
  ['upload', '201 400 401 403 404 408 415 422 429 503'],
  ['hostedFile', '200 206 404 410 416'],
  ['health', '200 404 503'],
  ['version', '200 404'],
  ['openApi', '200'],
  ['home', '200'],
];

for (const [name, expected] of statuses) {
  test(`${name} can be answered with ${expected}`, () => {
    const route: Route = routes[name];
    const responses = at('paths', template(route), route.method.toLowerCase(), 'responses');
    assert.is(Object.keys(responses ?? {}).join(' '), expected);
  });
}

test('the headers that clients go by are told', () => {
  const told: readonly (readonly [string, string, string, string])[] = [
    ['/v2/jobs', 'get', '200', 'X-Total-Count'],
    ['/v2/jobs', 'get', '200', 'Link'],
    ['/v2/jobs', 'post', '503', 'Retry-After'],
    ['/v2/jobs', 'post', '429', 'Retry-After'],
    ['/hosted/{token}/{name}', 'get', '206', 'Content-Range'],
    ['/v2/inputs/{id}.js', 'get', '200', 'X-Content-Type-Options'],
  ];
  for (const [path, method, status, header] of told) {
    assert.ok(
      at('paths', path, method, 'responses', status, 'headers', header),
      `${method} ${path} ${header}`,
    );
  }
  assert.ok(at('components', 'responses', 'MethodNotAllowed', 'headers', 'Allow'));
});

test('a cancel may come with any method', () => {
  assert.equal(Object.keys(document.paths['/v2/jobs/{id}/cancel'] ?? {}).sort(), [
    'delete',
    'get',
    'patch',
    'post',
    'put',
  ]);
});

test('keys come in a header or in the query, but where none is needed', () => {
  assert.is(at('components', 'securitySchemes', 'Service-Api-Key', 'in'), 'header');
  assert.is(at('components', 'securitySchemes', 'api_key', 'in'), 'query');
  for (const [name, route] of allRoutes) {
    const security = at('paths', template(route), route.method.toLowerCase(), 'security');
    assert.equal(security, route.key === 'none' ? [] : [{ 'Service-Api-Key': [] }, { api_key: [] }], name);
  }
});

test('every setting is there by each of its names, with its range, its choices, its default and its help', () => {
  const request = ['components', 'schemas', 'JobRequest', 'properties'];
  const output = [...request, 'outputs', 'anyOf', '1', 'properties'];
  assert.ok(allSettings(jobTable, request) + allSettings(outputTable, output) > 50);
});

/** Checks the settings of a table at a place of the document, and those inside of them; gives how many there were. */
function allSettings(table: SettingsTable, place: readonly string[]): number {
  const counts = Object.entries(table).map(([name, setting]) => {
    const told = at(...place, name);
    const text = JSON.stringify(told) ?? '';
    assert.ok(told !== undefined, `${place.join('.')} has no ${name}`);
    assert.ok(
      text.toLowerCase().includes(JSON.stringify(setting.help.toLowerCase()).slice(1, -1)),
      `help of ${name}`,
    );
    for (const value of limitsOf(setting))
      assert.ok(text.includes(JSON.stringify(value)), `${value} of ${name}`);
    if ('default' in setting) assert.ok(property(told, 'default') !== undefined, `default of ${name}`);
    for (const spelling of setting.spellings ?? []) {
      assert.is(property(at(...place, spelling), 'deprecated'), true, spelling);
    }
    const inner = setting.kind === 'list' ? setting.of : setting;
    if (inner.kind !== 'object') return 1;
    return 1 + allSettings(inner.fields, placeOfFields([...place, name]));
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

/** Where the fields of an object setting are told: it may stand alone, in a choice of forms, or with a condition. */
function placeOfFields(place: readonly string[]): readonly string[] {
  if (at(...place, 'properties') !== undefined) return [...place, 'properties'];
  const inner = ['anyOf', 'allOf'].find((word) => at(...place, word) !== undefined);
  if (inner === undefined) throw new Error(`${place.join('.')} has no fields`);
  return placeOfFields([...place, inner, '0']);
}

test('every record has exactly its fields, with their types', () => {
  for (const [name, field] of Object.entries<Field>(answers)) {
    const schema = `${name[0]?.toUpperCase()}${name.slice(1)}Answer`;
    assert.ok(allFields(field, ['components', 'schemas', schema]) > 0, name);
  }
});

/** Checks a field at a place of the document, and those inside of it; gives how many there were. */
function allFields(field: Field, place: readonly string[]): number {
  if (field.type === 'array') {
    assert.is(at(...place, 'type'), 'array', place.join('.'));
    return 1 + allFields(field.of, [...place, 'items']);
  }
  if (field.type !== 'object') {
    const whole = JSON.stringify([at(...place)]);
    assert.ok(
      whole.includes(`"${field.type}"`) || whole.includes('ErrorClass'),
      `${place.join('.')}: ${whole}`,
    );
    assert.is(whole.includes('"null"'), field.isNullable === true, `${place.join('.')}: ${whole}`);
    return 1;
  }
  const names = Object.keys(field.fields);
  assert.is(at(...place, 'additionalProperties'), false, place.join('.'));
  assert.equal(Object.keys(at(...place, 'properties') ?? {}), names);
  assert.equal(
    at(...place, 'required'),
    names.filter((name) => !field.fields[name]?.isOptional),
  );
  const counts = Object.entries(field.fields).map(([name, inner]) =>
    allFields(inner, [...place, 'properties', name]),
  );
  return counts.reduce((sum, count) => sum + count, 1);
}

test('JSONP shows no checksum', () => {
  for (const name of ['InputDetailsAnswer', 'OutputDetailsAnswer']) {
    assert.ok(at('components', 'schemas', name, 'properties', 'md5_checksum'));
    assert.is(at('components', 'schemas', `${name}InJsonp`, 'properties', 'md5_checksum'), undefined);
  }
});

test('every class of error that a job can fail with is told', () => {
  const told = JSON.stringify(at('components', 'schemas', 'ErrorClass', 'oneOf'));
  const faults = Object.entries<ErrorClassEntry>(errorClasses).filter(
    ([, { status, exitCode }]) => status === 422 && exitCode === 1,
  );
  assert.is(faults.length, 20);
  for (const [name, { meaning }] of faults) {
    assert.ok(told.includes(`"${name}"`), name);
    assert.ok(told.includes(JSON.stringify(meaning).slice(1, -1)), name);
  }
});

test('a job has at most as many outputs as the daemon allows', () => {
  assert.is(at('components', 'schemas', 'JobRequest', 'properties', 'outputs', 'anyOf', '0', 'maxItems'), 7);
});

function parametersOf(operation: Operation): readonly unknown[] {
  return (operation.parameters ?? []).map(resolved);
}

test.run();
