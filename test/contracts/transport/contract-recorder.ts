import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Test } from 'uvu';

/** Folder of what was proved, one file a suite: `dist/test/proved/`. */
export const resultsFolder = fileURLToPath(new URL('../../proved/', import.meta.url));

/** How one promise fared. */
export interface PromiseResult {
  readonly promise: string;
  /** How often it was tried, and how often kept. Never tried where it is not applicable. */
  readonly tried: number;
  readonly kept: number;
  /** Why it was not tried. */
  readonly notApplicable?: string;
}

/** What one suite proved. */
export interface ContractResults {
  readonly scheme: string;
  /** The program on the other side, with its version. */
  readonly against: string;
  readonly promises: readonly PromiseResult[];
}

/** Runs the tests of a contract and remembers how each promise fared. */
export interface ContractRecorder {
  /** A test of a promise; several may be of one. `title` is the test's name where it is not the promise itself. */
  readonly test: (promise: string, body: () => Promise<void>, title?: string) => void;
  readonly notApplicable: (promise: string, why: string) => void;
}

/** Opens the book of a suite. It is written down when the suite is over. */
export function createContractRecorder(test: Test, scheme: string, against: string): ContractRecorder {
  const promises = new Map<string, PromiseResult>();
  const at = (promise: string) => promises.get(promise) ?? { promise, tried: 0, kept: 0 };
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
        promises.set(promise, { ...after, kept: after.kept + 1 });
      });
    },
    notApplicable(promise, why) {
      promises.set(promise, { ...at(promise), notApplicable: why });
    },
  };
}
