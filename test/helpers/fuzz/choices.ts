import { randomNumbers } from '../random.js';

/** Random choices, the same for the same seed. */
export interface Choices {
  /** From 0 (inclusive) to 1 (exclusive). */
  readonly number: () => number;
  /** A whole number from `min` to `max`, both inclusive. */
  readonly integer: (min: number, max: number) => number;
  /** Whether something with this probability happens. */
  readonly chance: (probability: number) => boolean;
  /** One entry of a list that is not empty. */
  readonly pick: <T>(list: readonly T[]) => T;
  /** Up to `count` different entries of a list, in random order. */
  readonly sample: <T>(list: readonly T[], count: number) => readonly T[];
}

/** Random choices from a seed. */
export function createChoices(seed: number): Choices {
  const number = randomNumbers(seed);
  const integer = (min: number, max: number) => min + Math.floor(number() * (max - min + 1));
  const pick = <T>(list: readonly T[]): T => {
    if (list.length === 0) throw new TypeError('there is nothing to choose from');
    return list[integer(0, list.length - 1)] as T;
  };
  return {
    number,
    integer,
    pick,
    chance: (probability) => number() < probability,
    sample: (list, count) => {
      const rest = [...list];
      const size = Math.min(count, rest.length);
      return Array.from({ length: size }, () => rest.splice(integer(0, rest.length - 1), 1)).flat();
    },
  };
}

/** The seeds of the cases of a run, which no run with another seed has. The seed of a case repeats it alone. */
export function caseSeeds(seed: number, count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => seed * 1_000_000 + index);
}
