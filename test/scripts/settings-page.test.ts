import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { crossRules, examples } from '../../scripts/docs/examples.js';
import { settingsPage } from '../../scripts/docs/settings-page.js';
import { addJobOptions, buildRequestBody } from '../../src/cli/input/job-args.js';
import { settingFlags } from '../../src/shared/settings/flags.js';
import { jobTable, outputTable } from '../../src/shared/settings/index.js';
import { parseJobRequest } from '../../src/shared/settings/parse-job-request.js';
import { checkSupport } from '../../src/shared/settings/support.js';
import { settingPaths } from '../helpers/setting-paths.js';

const page = settingsPage();
const limits = { maxOutputs: 50 };

test('docs/settings.md matches the tables; npm run docs updates it', () => {
  assert.fixture(readFileSync('docs/settings.md', 'utf8'), page);
});

test('every setting and every flag has its own row', () => {
  for (const path of [...settingPaths(jobTable), ...settingPaths(outputTable)]) {
    assert.match(
      page,
      new RegExp(
        `^\\| \`${path}\`[, ].*\\| (supported( except .+)?|no effect.*: .+|\\*\\*rejected.*) \\|$`,
        'm',
      ),
      path,
    );
  }
  for (const { flag } of settingFlags()) assert.match(page, `| \`${flag}\` |`, flag);
});

for (const { title, request, words } of examples) {
  test(`the example "${title}" is valid, and its flags make the same request`, async () => {
    const command = addJobOptions(new Command().argument('<input>').exitOverride());
    command.parse(words, { from: 'user' });
    const typed = await buildRequestBody({ request: null, input: command.args[0] ?? null }, command.opts());
    const [given, made] = [parseJobRequest(request, limits), parseJobRequest(typed, limits)];
    if (!given.ok) assert.unreachable(given.validationErrors.join('; '));
    assert.equal(given.warnings, []);
    assert.equal(made, given);
    if (!given.ok) return;
    const { outputs, ...job } = given.request;
    assert.equal(checkSupport(jobTable, job, '').validationErrors, []);
    for (const output of outputs) assert.equal(checkSupport(outputTable, output, '').validationErrors, []);
  });
}

for (const { rule, broken } of crossRules) {
  test(`a request that breaks the rule "${rule}" is rejected`, () => {
    const reading = parseJobRequest({ input: 'http://a/b.mp4', outputs: [broken] }, limits);
    assert.is(reading.ok, false);
    if (!reading.ok) assert.is(reading.validationErrors.length, 1);
  });
}

test.run();
