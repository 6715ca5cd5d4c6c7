import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { errorRepresentation, representationOf } from '../../daemon/http/accept-preferences.js';
import { isVencError } from '../../src/shared/errors.js';
import { routes } from '../../src/shared/routes.js';

const none = { suffix: null, format: null, accept: undefined };

const accepted: readonly (readonly [string, 'json' | 'xml'])[] = [
  ['*/*', 'json'],
  ['application/json', 'json'],
  ['application/xml', 'xml'],
  ['text/xml', 'xml'],
  ['Application/XML; charset=utf-8', 'xml'],
  ['application/xml, text/xml, */*', 'xml'],
  ['application/json, application/xml', 'json'],
  ['application/xml;q=0.5, application/json', 'json'],
  ['application/json;q=0.2, application/xml;q=0.9', 'xml'],
  ['application/xml;q=0, */*', 'json'],
  ['*/*, application/xml', 'xml'],
  ['text/html,application/xhtml+xml,*/*;q=0.8', 'json'],
  ['image/svg+xml', 'json'],
  ['nonsense xml ;;;', 'json'],
  ['', 'json'],
];

for (const [accept, form] of accepted) {
  test(`Accept: ${accept} is answered in ${form}`, () => {
    assert.is(representationOf(routes.jobDetails, { ...none, accept }), form);
    assert.is(errorRepresentation({ ...none, accept }), form);
  });
}

test('the suffix takes precedence over format, and format over Accept', () => {
  const xml = 'application/xml';
  assert.is(representationOf(routes.inputDetails, { suffix: 'json', format: 'xml', accept: xml }), 'json');
  assert.is(representationOf(routes.inputDetails, { suffix: 'js', format: 'xml', accept: xml }), 'jsonp');
  assert.is(representationOf(routes.inputDetails, { suffix: null, format: 'json', accept: xml }), 'json');
  assert.is(representationOf(routes.inputDetails, { suffix: null, format: 'xml', accept: '*/*' }), 'xml');
  assert.is(representationOf(routes.inputDetails, { suffix: null, format: '', accept: '*/*' }), 'json');
});

for (const preferences of [
  { suffix: 'js' as const },
  { format: 'js' },
  { format: 'yaml' },
  { format: '__proto__' },
]) {
  test(`a format that a route does not have is 404: ${JSON.stringify(preferences)}`, () => {
    try {
      representationOf(routes.jobDetails, { ...none, ...preferences });
      assert.unreachable();
    } catch (error) {
      assert.ok(isVencError(error, 'NotFoundError'));
    }
  });
}

test('a route without records has no suffix and ignores format and Accept', () => {
  assert.is(representationOf(routes.hostedFile, { ...none, format: 'xml' }), 'json');
  assert.is(representationOf(routes.jobEvents, { ...none, accept: 'application/xml' }), 'json');
  assert.throws(() => representationOf(routes.jobEvents, { ...none, suffix: 'xml' }));
});

test.run();
