import { randomNumbers } from '../random.js';
import { printClosingLine, suiteOptions } from '../suite-options.js';
import type { ProcessUsage } from './process-usage.js';

/** The seed and form of a load suite, its random numbers, and what it prints. */
export interface LoadSuite {
  readonly seed: number;
  readonly isLong: boolean;
  /** Random numbers from 0 to 1, the same for the same seed. */
  readonly random: () => number;
  /** Prints a line that explains the figures, such as a limit of the machine. */
  print(text: string): void;
  /** Prints the closing line: name, seed, form, the parts, and the time since the suite began. */
  close(parts: readonly string[]): void;
}

/** Begins a load suite, named after its file. */
export function beginLoadSuite(name: string): LoadSuite {
  const { seed, isLong } = suiteOptions();
  const began = performance.now();
  return {
    seed,
    isLong,
    random: randomNumbers(seed),
    print: (text) => console.log(`load/${name}: ${text}`),
    close: (parts) => printClosingLine(`load/${name}`, parts, began),
  };
}

/** Formats the memory and descriptors of a process at several moments, by name. */
export function usageText(moments: Readonly<Record<string, ProcessUsage>>): string {
  const names = Object.keys(moments).join(', ');
  const all = Object.values(moments);
  const memory = all.map(({ megabytes }) => megabytes.toFixed(0)).join(' -> ');
  const descriptors = all.map(({ descriptors: count }) => count).join(' -> ');
  return `memory ${memory} MB, descriptors ${descriptors} (${names})`;
}
