import { readdirSync, readFileSync } from 'node:fs';
import { honouredJobFields, honouredOutputSettings } from '../../../daemon/plan/honoured.js';
import { jobTable, outputTable } from '../../../src/api/settings/index.js';
import { settingPaths } from './check-settings.js';
import type { House } from './rules.js';
import { readSources } from './source-file.js';

const folders = ['bin', 'src', 'daemon', 'docs', 'test', 'bench'] as const;
const fixtures = 'test/fixtures/architecture';

/** The house itself, read from the folder that the tests are started in. */
export function readHouse(): House {
  const inOutputs = ([path, honour]: readonly [string, unknown]) => [`outputs.${path}`, honour] as const;
  return {
    files: readSources(process.cwd(), folders),
    settings: [...settingPaths(jobTable), ...settingPaths(outputTable, 'outputs.')],
    honoured: {
      ...honouredJobFields,
      ...Object.fromEntries(Object.entries(honouredOutputSettings).map(inOutputs)),
    },
  };
}

/** A little house that breaks one rule, and what the rule has to say about it, line by line. */
export function readFixture(rule: string): { readonly house: House; readonly expected: readonly string[] } {
  const folder = `${fixtures}/${rule}`;
  const text = (name: string) => readFileSync(`${folder}/${name}`, 'utf8');
  const tables: Pick<House, 'settings' | 'honoured'> = readdirSync(folder).includes('tables.json')
    ? JSON.parse(text('tables.json'))
    : { settings: [], honoured: {} };
  return {
    house: { files: readSources(folder, folders), ...tables },
    expected: text('expected.txt').trimEnd().split('\n'),
  };
}

/** The rules that there are fixtures for. */
export function fixtureNames(): readonly string[] {
  return readdirSync(fixtures).sort();
}
