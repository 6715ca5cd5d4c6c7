import { readdirSync, readFileSync } from 'node:fs';
import { budget } from './budget.js';
import type { Codebase } from './rules.js';
import { readSources } from './source-file.js';

const folders = ['bin', 'src', 'daemon', 'scripts', 'test', 'bench'] as const;
const fixtures = 'test/fixtures/architecture';

/** Reads the codebase in the current folder. */
export function readCodebase(): Codebase {
  return { budget, files: readSources(process.cwd(), folders) };
}

/** Reads a small codebase that breaks one rule, and the violations that the rule must report, one per line. */
export function readFixture(rule: string): {
  readonly codebase: Codebase;
  readonly expected: readonly string[];
} {
  const folder = `${fixtures}/${rule}`;
  const text = (name: string) => readFileSync(`${folder}/${name}`, 'utf8');
  const hasBudget = readdirSync(folder).includes('budget.json');
  return {
    codebase: {
      files: readSources(folder, folders),
      budget: hasBudget ? JSON.parse(text('budget.json')) : {},
    },
    expected: text('expected.txt').trimEnd().split('\n'),
  };
}

/** The names of all fixtures. */
export function fixtureNames(): readonly string[] {
  return readdirSync(fixtures).sort();
}
