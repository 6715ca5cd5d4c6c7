import { randomNumbers } from '../random.js';
import { printClosingLine, suiteOptions } from '../suite-options.js';

/** Random choices that repeat for the same seed. */
export interface Choices {
  /** Whether an event with this probability happens. */
  happens(probability: number): boolean;
  /** A whole number from `min` to `max`, both included. */
  number(min: number, max: number): number;
  /** One of the given values, of which there must be at least one. */
  pick<T>(values: readonly T[]): T;
  /** Some of the given values, each at most once, in a random order. */
  sample<T>(values: readonly T[], count: number): readonly T[];
}

/** The seed and form of a chaos suite, its choices, and its closing line. */
export interface ChaosSuite {
  readonly seed: number;
  readonly isLong: boolean;
  readonly choices: Choices;
  /** Prints the closing line: name, seed, form, counts and time. Called once, when the suite is done. */
  close(counts: Readonly<Record<string, number>>): void;
}

/** Starts a suite. Suites with different names make different choices for the same seed. */
export function openChaosSuite(name: string): ChaosSuite {
  const { seed, isLong } = suiteOptions();
  const beganAt = performance.now();
  const nameHash = [...name].reduce((hash, letter) => (hash * 31 + (letter.codePointAt(0) ?? 0)) | 0, 7);
  return {
    seed,
    isLong,
    choices: createChoices(randomNumbers(seed ^ nameHash)),
    close(counts) {
      const parts = Object.entries(counts).map(([what, count]) => `${what} ${count}`);
      printClosingLine(`chaos/${name}`, parts, beganAt);
    },
  };
}

function createChoices(random: () => number): Choices {
  const number = (min: number, max: number) => min + Math.floor(random() * (max - min + 1));
  return {
    happens: (probability) => random() < probability,
    number,
    pick(values) {
      const value = values[number(0, values.length - 1)];
      if (value === undefined) throw new TypeError('there is nothing to choose from');
      return value;
    },
    sample(values, count) {
      const left = [...values];
      return Array.from({ length: Math.min(count, left.length) }, () =>
        left.splice(number(0, left.length - 1), 1),
      ).flat();
    },
  };
}
