/*
 * The plan of the house, as rules that every line of it is held to: see test/helpers/architecture/rules.ts for the
 * rules and test/helpers/architecture/rooms.ts for who may look into whose room. Where building shows a better plan,
 * change those tables first and say why in the commit.
 *
 * Each rule has a little house in test/fixtures/architecture/<rule>/ that breaks it, with what it has to say about it
 * in expected.txt. To see one rule fail:
 *
 *   npm run build && VENC_ARCHITECTURE_FIXTURE=room-imports npx uvu dist/test "^architecture\.test\.js$"
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fixtureNames, readFixture, readHouse } from './helpers/architecture/read-house.js';
import { type House, type Rule, rules } from './helpers/architecture/rules.js';

const broken = process.env.VENC_ARCHITECTURE_FIXTURE;
const test = suite('the house');

/** Fails with all that a rule complains about. */
function hold(rule: Rule, house: House): void {
  const complaints = rule.check(house);
  if (complaints.length > 0) assert.unreachable(`${rule.statement}, but:\n${complaints.join('\n')}`);
}

if (broken === undefined) {
  const house = readHouse();
  for (const [name, rule] of Object.entries<Rule>(rules)) {
    test(rule.statement, () => hold(rule, house));
    test(`the rule ${name} tells of a house that breaks it`, () => {
      const fixture = readFixture(name);
      assert.equal(rule.check(fixture.house), fixture.expected);
    });
  }
  test('the house was read: the tests are started in its root', () => {
    const paths = house.files.map(({ path }) => path);
    for (const path of ['bin/venc.js', 'src/cli/main.ts', 'daemon/main.ts', 'test/architecture.test.ts']) {
      assert.ok(paths.includes(path), path);
    }
  });
  test('every rule has a house that breaks it, and no such house is left over', () => {
    assert.equal(fixtureNames(), Object.keys(rules).sort());
  });
} else {
  const rule = Object.entries<Rule>(rules).find(([name]) => name === broken)?.[1];
  test(rule?.statement ?? 'VENC_ARCHITECTURE_FIXTURE names a rule', () => {
    assert.ok(rule, `There is no rule ${broken}; there are: ${Object.keys(rules).join(', ')}`);
    if (rule !== undefined) hold(rule, readFixture(broken).house);
  });
}

test.run();
