import { Validator } from '@seriousme/openapi-schema-validator';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openApiBytes } from '../../daemon/http/openapi/document.js';
import type { OpenApiDocument, Operation } from '../../daemon/http/openapi/document-types.js';
import { type Representation, type Route, type RouteName, routes } from '../../src/shared/routes.js';
import { at, property, readOptions, resolved } from '../helpers/answers/document.js';

const { baseUrl, maxOutputs } = readOptions;
const text = Buffer.concat(openApiBytes(maxOutputs)(baseUrl)).toString();
const document: OpenApiDocument = JSON.parse(text);

const allRoutes = Object.entries<Route>(routes) as [RouteName, Route][];
const suffixes: Readonly<Record<Representation, string>> = {
  json: '.json',
  xml: '.xml',
  jsonp: '.js',
  text: '.txt',
};
const template = ({ path }: Route) => path.replace(/:(\w+)/g, '{$1}');
const operations = Object.values(document.paths).flatMap((item) => Object.values(item));

test('the document is valid OpenAPI 3.1', async () => {
  const validator = new Validator();
  const { valid, errors } = await validator.validate(JSON.parse(text));
  assert.ok(valid, JSON.stringify(errors, null, 1));
  assert.is(validator.version, '3.1');
});

test('every reference resolves', () => {
  const references = [...text.matchAll(/"\$ref":"([^"]+)"/g)].map(([, reference]) => reference);
  assert.ok(references.length > 100);
  for (const reference of new Set(references)) {
    assert.ok(resolved({ $ref: reference }) !== undefined, reference);
  }
});

test('the same tables give the same text', () => {
  assert.is(Buffer.concat(openApiBytes(maxOutputs)(baseUrl)).toString(), text);
});

test('the servers are the given address, and the same below /api', () => {
  assert.equal(
    document.servers.map(({ url }) => url),
    [baseUrl, `${baseUrl}/api`],
  );
});

for (const [name, route] of allRoutes) {
  test(`${name} is an operation with that id, at its plain address and with each suffix`, () => {
    const method = route.method.toLowerCase();
    const plain = at('paths', template(route), method);
    assert.is(property(plain, 'operationId'), name);
    assert.ok(at('paths', template(route), method, 'responses', String(route.status)), 'it can succeed');
    for (const representation of route.path.endsWith(':name') ? [] : route.representations) {
      const path = `${template(route)}${suffixes[representation]}`;
      const content = at('paths', path, method, 'responses', String(route.status), 'content');
      const types = Object.keys(typeof content === 'object' && content !== null ? content : {});
      assert.ok(at('paths', path, method), path);
      assert.is(types.length, route.response === undefined ? 0 : 1, path);
    }
  });
}

test('every address belongs to a route', () => {
  const known = allRoutes.flatMap(([, route]) => [
    template(route),
    ...(route.path.endsWith(':name')
      ? []
      : route.representations.map((form) => `${template(route)}${suffixes[form]}`)),
  ]);
  assert.equal(Object.keys(document.paths).sort(), [...new Set(known)].sort());
});

test('operation ids are unique', () => {
  const names = operations.map(({ operationId }) => operationId);
  assert.is(new Set(names).size, names.length);
});

test('every path parameter is described, and ids are integers below 2^31', () => {
  for (const [path, item] of Object.entries(document.paths)) {
    const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    for (const [method, operation] of Object.entries(item)) {
      const reported = parametersOf(operation).filter((parameter) => property(parameter, 'in') === 'path');
      assert.equal(
        reported.map((parameter) => property(parameter, 'name')),
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
  ['listJobs', '200 401 403 404 422 429 503'],
  ['jobDetails', '200 401 403 404 410 429 503'],
  ['jobEvents', '200 204 401 403 404 410 429 503'],
  ['events', '200 401 403 404 410 422 429 503'],
  ['cancelJob', '204 401 403 404 409 410 429 503'],
  ['resendNotifications', '204 401 403 404 409 410 429 503'],
  ['resubmitJob', '204 401 403 404 409 410 429 503'],
  ['outputDetails', '200 400 401 403 404 410 429 503'],
  ['reportAll', '200 401 403 404 422 429 503'],
  ['upload', '200 201 400 401 403 404 408 409 413 415 422 429 503'],
  ['uploadState', '200 401 403 404 422 429 503'],
  ['cancelUpload', '204 401 403 404 422 429 503'],
  ['hostedFile', '200 206 304 404 410 416 503'],
  ['health', '200 404 503'],
  ['metrics', '200 401 403 429 503'],
  ['version', '200 404'],
  ['workerInfo', '200 401 403 404 429 503'],
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

test('the headers that clients use are described', () => {
  const reported: readonly (readonly [string, string, string, string])[] = [
    ['/v2/jobs', 'get', '200', 'X-Total-Count'],
    ['/v2/jobs', 'get', '200', 'Link'],
    ['/v2/jobs', 'post', '503', 'Retry-After'],
    ['/v2/jobs', 'post', '429', 'Retry-After'],
    ['/hosted/{token}/{name}', 'get', '206', 'Content-Range'],
    ['/v2/inputs/{id}.js', 'get', '200', 'X-Content-Type-Options'],
  ];
  for (const [path, method, status, header] of reported) {
    assert.ok(
      at('paths', path, method, 'responses', status, 'headers', header),
      `${method} ${path} ${header}`,
    );
  }
  assert.ok(at('components', 'responses', 'MethodNotAllowed', 'headers', 'Allow'));
});

test('a cancel accepts any method', () => {
  assert.equal(Object.keys(document.paths['/v2/jobs/{id}/cancel'] ?? {}).sort(), [
    'delete',
    'get',
    'patch',
    'post',
    'put',
  ]);
});

test('keys are sent in a header or in the query, except on public routes', () => {
  assert.is(at('components', 'securitySchemes', 'Service-Api-Key', 'in'), 'header');
  assert.is(at('components', 'securitySchemes', 'api_key', 'in'), 'query');
  for (const [name, route] of allRoutes) {
    const security = at('paths', template(route), route.method.toLowerCase(), 'security');
    const usual = [{ 'Service-Api-Key': [] }, { api_key: [] }];
    const expected = {
      none: [],
      read: usual,
      full: usual,
      owner: [...usual, { bearer: [] }, { basic: [] }, {}],
      worker: [{ worker: [] }],
    }[route.key];
    assert.equal(security, expected, name);
  }
});

function parametersOf(operation: Operation): readonly unknown[] {
  return (operation.parameters ?? []).map(resolved);
}

test.run();
