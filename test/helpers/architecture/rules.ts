import { type Budget, checkBudget } from './check-budget.js';
import {
  checkDocblocks,
  checkLength,
  checkNamedExports,
  checkNoAny,
  checkNoSuppressions,
  checkTimeouts,
  maxLineCount,
} from './check-form.js';
import { checkCycles, checkImports, moduleOf } from './check-imports.js';
import { checkExits, checkOwners, exitOwners, owners } from './check-owners.js';
import { checkPureCode, checkPureImports, pureModules } from './check-purity.js';
import { checkTestsRun } from './check-tests.js';
import { moduleMap } from './modules.js';
import type { SourceFile } from './source-file.js';

/** Everything that the rules check. */
export interface Codebase {
  readonly files: readonly SourceFile[];
  readonly budget: Budget;
}

/** A rule: a statement about the codebase, and the function that finds its violations. */
export interface Rule {
  readonly statement: string;
  /** The violations, each beginning with its location; empty if the rule holds. */
  readonly check: (codebase: Codebase) => readonly string[];
}

/** The rules, by the name of the fixture that breaks each. */
export const rules = {
  'module-imports': {
    statement: 'modules import only what the module map allows',
    check: ({ files }) => checkImports(files, moduleMap),
  },
  'no-cycles': { statement: 'there are no import cycles', check: ({ files }) => checkCycles(files) },
  'tests-run': {
    statement: 'no test file forgets to run its tests',
    check: ({ files }) => checkTestsRun(files),
  },
  'pure-imports': {
    statement: 'pure modules import nothing that reaches outside the process',
    check: ({ files }) => checkPureImports(files, pureModules),
  },
  'pure-code': {
    statement: 'pure modules use no clock, random number, process or network',
    check: ({ files }) => checkPureCode(files, pureModules),
  },
  'one-owner': {
    statement: 'every package has one owner',
    check: ({ files }) => checkOwners(files, owners),
  },
  'one-exit': {
    statement: 'the process is ended in one place',
    check: ({ files }) => checkExits(files, exitOwners),
  },
  'file-length': {
    statement: `no file is longer than ${maxLineCount} lines`,
    check: ({ files }) => checkLength(files, maxLineCount),
  },
  'module-size': {
    statement: 'no module has more lines or files than its budget',
    check: ({ files, budget }) =>
      checkBudget(files, budget, (path) => moduleOf(path, moduleMap)?.folder ?? null),
  },
  docblocks: { statement: 'every export has a docblock', check: ({ files }) => checkDocblocks(files) },
  'named-exports': { statement: 'every export has a name', check: ({ files }) => checkNamedExports(files) },
  'no-any': { statement: 'nothing has the type any', check: ({ files }) => checkNoAny(files) },
  'no-suppressions': {
    statement: 'compiler errors are not suppressed',
    check: ({ files }) => checkNoSuppressions(files),
  },
  'timeout-signals': {
    statement: 'signals with a time are not collected before it is over',
    check: ({ files }) => checkTimeouts(files),
  },
} as const satisfies Readonly<Record<string, Rule>>;
