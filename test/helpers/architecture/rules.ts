import { checkCircles } from './check-circles.js';
import {
  checkDocblocks,
  checkLength,
  checkNamedExports,
  checkNoAny,
  checkNoHush,
  greatestLineCount,
} from './check-form.js';
import { checkImports } from './check-imports.js';
import { checkExits, checkOwners, exitOwners, owners } from './check-owners.js';
import { checkPureCode, checkPureImports, pureRooms } from './check-purity.js';
import { checkSettings, type Honoured } from './check-settings.js';
import { checkTestsRun } from './check-tests.js';
import { floorPlan } from './rooms.js';
import type { SourceFile } from './source-file.js';

/** Everything that rules look at. */
export interface House {
  readonly files: readonly SourceFile[];
  /** Paths of all settings. */
  readonly settings: readonly string[];
  readonly honoured: Honoured;
}

/** A rule: a statement about the house, and what finds the places where it is not true. */
export interface Rule {
  readonly statement: string;
  /** One complaint a place, each beginning with the place; none when all is well. */
  readonly check: (house: House) => readonly string[];
}

/** The rules of the house, by the name of the fixture that breaks each. */
export const rules = {
  'room-imports': {
    statement: 'imports lead only into rooms that the floor plan opens',
    check: ({ files }) => checkImports(files, floorPlan),
  },
  'no-circles': { statement: 'no import leads in a circle', check: ({ files }) => checkCircles(files) },
  'tests-run': {
    statement: 'no test file forgets to run its tests',
    check: ({ files }) => checkTestsRun(files),
  },
  'settings-honoured': {
    statement: 'every setting is honoured by a named file or declined with a reason',
    check: ({ settings, honoured, files }) => checkSettings(settings, honoured, files),
  },
  'pure-imports': {
    statement: 'pure rooms import nothing that reaches out of the program',
    check: ({ files }) => checkPureImports(files, pureRooms),
  },
  'pure-code': {
    statement: 'pure rooms ask neither clock nor chance nor process nor network',
    check: ({ files }) => checkPureCode(files, pureRooms),
  },
  'one-owner': {
    statement: 'every outside thing has one owner',
    check: ({ files }) => checkOwners(files, owners),
  },
  'one-exit': {
    statement: 'the program is ended in one place',
    check: ({ files }) => checkExits(files, exitOwners),
  },
  'file-length': {
    statement: `no file is longer than ${greatestLineCount} lines`,
    check: ({ files }) => checkLength(files, greatestLineCount),
  },
  docblocks: { statement: 'every export has a docblock', check: ({ files }) => checkDocblocks(files) },
  'named-exports': { statement: 'every export has a name', check: ({ files }) => checkNamedExports(files) },
  'no-any': { statement: 'nothing is of the type any', check: ({ files }) => checkNoAny(files) },
  'no-hush': { statement: 'the compiler is nowhere hushed', check: ({ files }) => checkNoHush(files) },
} as const satisfies Readonly<Record<string, Rule>>;
