/*
 * Checks the codebase against the rules of test/helpers/architecture/rules.ts. The module map, which says which module may import
 * which, is test/helpers/architecture/modules.ts. If a better structure emerges, change those tables first and say why in the commit.
 *
 * Each rule has a fixture in test/fixtures/architecture/<rule>/: a small codebase that breaks it, with the violations in
 * expected.txt. To see one rule fail:
 *
 *   npm run build && VENC_ARCHITECTURE_FIXTURE=module-imports npx uvu dist/test "^architecture\.test\.js$"
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fixtureNames, readCodebase, readFixture } from './helpers/architecture/read-codebase.js';
import { type Codebase, type Rule, rules } from './helpers/architecture/rules.js';

const broken = process.env.VENC_ARCHITECTURE_FIXTURE;
const test = suite('architecture');

/** Fails with all violations of a rule. */
function hold(rule: Rule, codebase: Codebase): void {
  const violations = rule.check(codebase);
  if (violations.length > 0) assert.unreachable(`${rule.statement}, but:\n${violations.join('\n')}`);
}

if (broken === undefined) {
  const codebase = readCodebase();
  for (const [name, rule] of Object.entries<Rule>(rules)) {
    test(rule.statement, () => hold(rule, codebase));
    test(`the rule ${name} reports the fixture that breaks it`, () => {
      const fixture = readFixture(name);
      assert.equal(rule.check(fixture.codebase), fixture.expected);
    });
  }
  test('the codebase is found: the tests run in its root', () => {
    const paths = codebase.files.map(({ path }) => path);
    for (const path of [
      'bin/venc.js',
      'src/cli/main.ts',
      'daemon/app/start-daemon.ts',
      'test/architecture.test.ts',
    ]) {
      assert.ok(paths.includes(path), path);
    }
  });
  test('every rule has a fixture that breaks it, and every fixture has a rule', () => {
    assert.equal(fixtureNames(), Object.keys(rules).sort());
  });
} else {
  const rule = Object.entries<Rule>(rules).find(([name]) => name === broken)?.[1];
  test(rule?.statement ?? 'VENC_ARCHITECTURE_FIXTURE names a rule', () => {
    assert.ok(rule, `There is no rule ${broken}; there are: ${Object.keys(rules).join(', ')}`);
    if (rule !== undefined) hold(rule, readFixture(broken).codebase);
  });
}

test.run();
