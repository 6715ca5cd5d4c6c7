import { printClosingLine } from '../suite-options.js';

/** What a suite counts, for its closing line. */
export interface SuiteReport {
  /** Counts an event by its name. */
  readonly count: (name: string) => void;
  /** Records how long something took, in ms, with a description of it for the slowest one. */
  readonly took: (ms: number, what: string) => void;
  /** Prints and counts a finding: what a check found to be wrong. Of several that begin alike, the first one is printed. */
  readonly find: (error: unknown) => void;
  /** The number of different findings. */
  readonly findingCount: () => number;
  /** Prints the closing line: suite, seed, counts by name, the slowest one, other figures, time. */
  readonly close: (figures: Readonly<Record<string, string>>) => void;
}

/** Starts the report of a suite. */
export function createSuiteReport(suite: string): SuiteReport {
  const began = performance.now();
  const counts = new Map<string, number>();
  const findings = new Set<string>();
  let slowest = { ms: 0, what: 'none' };
  return {
    count: (name) => counts.set(name, (counts.get(name) ?? 0) + 1),
    took: (ms, what) => {
      if (ms > slowest.ms) slowest = { ms, what };
    },
    find: (error) => {
      const message = error instanceof Error ? error.message : String(error);
      const key = message.slice(0, keyLength).replaceAll(/\d+/g, 'N');
      // Printed at once: a long form may take hours.
      if (!findings.has(key)) console.log(`Finding of ${suite}: ${message}\n`);
      findings.add(key);
    },
    findingCount: () => findings.size,
    close: (figures) => {
      const sorted = [...counts]
        .sort(([a], [b]) => a.localeCompare(b))
        .map(([name, count]) => `${name} ${count}`);
      const others = Object.entries(figures).map(([name, value]) => `${name} ${value}`);
      const slow = `slowest ${Math.round(slowest.ms)} ms (${slowest.what})`;
      printClosingLine(suite, [...sorted, slow, ...others], began);
    },
  };
}

/** Findings with the same beginning are the same one. */
const keyLength = 80;
