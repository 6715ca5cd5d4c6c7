import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseFlags } from '../../src/shared/settings/flags.js';
import { parseJobRequest } from '../../src/shared/settings/parse-job-request.js';

const input = 'http://x/a';

const accepted: readonly (readonly [
  body: object,
  priority: number | undefined,
  requires: unknown,
  outputs: unknown,
])[] = [
  [{}, undefined, undefined, undefined],
  [{ priority: -10 }, -10, undefined, undefined],
  [{ priority: '10', requires: [] }, 10, undefined, undefined],
  [{ requires: 'GPU' }, undefined, ['gpu'], undefined],
  [{ requires: ['Zone-2', 'a.b_c'] }, undefined, ['zone-2', 'a.b_c'], undefined],
  [{ requires: ['x'.repeat(64)], outputs: [{ requires: 'NVENC' }] }, undefined, ['x'.repeat(64)], ['nvenc']],
];

for (const [body, priority, requires, ofOutput] of accepted) {
  test(`${JSON.stringify(body)} is accepted`, () => {
    const result = parseJobRequest({ input, ...body }, { maxOutputs: 1 });
    assert.ok(result.ok);
    assert.equal([result.request.priority, result.request.requires], [priority, requires]);
    assert.equal(result.request.outputs[0]?.requires, ofOutput);
    assert.equal(result.warnings, []);
  });
}

const form = 'must have only letters, digits, ".", "_" and "-"';

const rejected: readonly (readonly [body: object, validationErrors: readonly string[]])[] = [
  [{ priority: 11 }, ['priority must be a whole number from -10 to 10']],
  [{ priority: 1.5 }, ['priority must be a whole number from -10 to 10']],
  [{ priority: 'high' }, ['priority must be a whole number from -10 to 10']],
  [{ requires: 'gpu av1' }, [`requires ${form}`]],
  [{ requires: 'gpu,av1' }, [`requires ${form}`]],
  [{ requires: ['gpu', 'ü', ''] }, [`requires[1] ${form}`, 'requires[2] must not be empty']],
  [{ requires: 'x'.repeat(65) }, ['requires must have at most 64 characters']],
  [{ requires: [7] }, ['requires[0] must be a string']],
  [{ requires: Array(21).fill('a') }, ['requires must have at most 20 entries']],
  [{ outputs: [{ requires: ['a b'] }] }, [`outputs[0].requires[0] ${form}`]],
];

for (const [body, validationErrors] of rejected) {
  test(`${JSON.stringify(body)} is rejected`, () => {
    const result = parseJobRequest({ input, ...body }, { maxOutputs: 1 });
    assert.equal(!result.ok && result.validationErrors, validationErrors);
  });
}

test('a priority of an output is ignored with a warning', () => {
  const result = parseJobRequest({ input, outputs: [{ priority: 1 }] }, { maxOutputs: 1 });
  assert.ok(result.ok);
  assert.equal(
    result.warnings.map(({ field }) => field),
    ['outputs[0].priority'],
  );
});

test('the flags set the fields of the job', () => {
  assert.equal(parseFlags({ priority: '-3', requires: ['gpu', 'a,b'] }), {
    jobFlags: { priority: -3, requires: ['gpu', 'a', 'b'] },
    outputFlags: {},
  });
});

test.run();
