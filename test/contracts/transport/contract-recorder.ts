import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Test } from 'uvu';

/** Folder of the results, one file per suite: `dist/test/proved/`. */
export const resultsFolder = fileURLToPath(new URL('../../proved/', import.meta.url));

/** The test results of one promise. */
export interface PromiseResult {
  readonly promise: string;
  /** How many tests ran and how many passed. Both are 0 if the promise is not applicable. */
  readonly tried: number;
  readonly passed: number;
  /** Why it does not apply. */
  readonly notApplicable?: string;
}

/** The results of one suite. */
export interface ContractResults {
  readonly scheme: string;
  /** The server program with its version. */
  readonly against: string;
  readonly promises: readonly PromiseResult[];
}

/** Runs the tests of a contract and records the results of each promise. */
export interface ContractRecorder {
  /** Tests a promise; a promise may have several tests. `title` is the name of the test; it defaults to the promise. */
  readonly test: (promise: string, body: () => Promise<void>, title?: string) => void;
  readonly notApplicable: (promise: string, why: string) => void;
}

/** Starts recording a suite. The results are written when the suite ends. */
export function createContractRecorder(test: Test, scheme: string, against: string): ContractRecorder {
  const promises = new Map<string, PromiseResult>();
  const at = (promise: string) => promises.get(promise) ?? { promise, tried: 0, passed: 0 };
  test.after(() => {
    const results: ContractResults = { scheme, against, promises: [...promises.values()] };
    mkdirSync(resultsFolder, { recursive: true });
    const name = `${scheme} ${against}`.replace(/[^a-z0-9]+/gi, '-');
    writeFileSync(join(resultsFolder, `${name}.json`), JSON.stringify(results));
  });
  return {
    test(promise, body, title = promise) {
      promises.set(promise, at(promise));
      test(title, async () => {
        const before = at(promise);
        promises.set(promise, { ...before, tried: before.tried + 1 });
        await body();
        const after = at(promise);
        promises.set(promise, { ...after, passed: after.passed + 1 });
      });
    },
    notApplicable(promise, why) {
      promises.set(promise, { ...at(promise), notApplicable: why });
    },
  };
}
