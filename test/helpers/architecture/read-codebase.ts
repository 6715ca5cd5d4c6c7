import { readdirSync, readFileSync } from 'node:fs';
import { jobTable, outputTable } from '../../../src/shared/settings/index.js';
import {
  supportedJobFields,
  supportedOutputSettings,
} from '../../../src/shared/settings/support/supported-settings.js';
import { budget } from './budget.js';
import { settingPaths } from './check-settings.js';
import type { Codebase } from './rules.js';
import { readSources } from './source-file.js';

const folders = ['bin', 'src', 'daemon', 'scripts', 'test', 'bench'] as const;
const fixtures = 'test/fixtures/architecture';

/** Reads the codebase in the current folder. */
export function readCodebase(): Codebase {
  const inOutputs = ([path, support]: readonly [string, unknown]) => [`outputs.${path}`, support] as const;
  return {
    budget,
    files: readSources(process.cwd(), folders),
    settings: [...settingPaths(jobTable), ...settingPaths(outputTable, 'outputs.')],
    supported: {
      ...supportedJobFields,
      ...Object.fromEntries(Object.entries(supportedOutputSettings).map(inOutputs)),
    },
  };
}

/** Reads a small codebase that breaks one rule, and the violations that the rule must report, one per line. */
export function readFixture(rule: string): {
  readonly codebase: Codebase;
  readonly expected: readonly string[];
} {
  const folder = `${fixtures}/${rule}`;
  const text = (name: string) => readFileSync(`${folder}/${name}`, 'utf8');
  const tables: Pick<Codebase, 'settings' | 'supported' | 'budget'> = readdirSync(folder).includes(
    'tables.json',
  )
    ? JSON.parse(text('tables.json'))
    : { settings: [], supported: {}, budget: {} };
  return {
    codebase: { files: readSources(folder, folders), ...tables },
    expected: text('expected.txt').trimEnd().split('\n'),
  };
}

/** The names of all fixtures. */
export function fixtureNames(): readonly string[] {
  return readdirSync(fixtures).sort();
}
