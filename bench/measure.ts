/** The middle of several samples and how far they spread: the median, the first and the third quartile. */
export interface Spread {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

/** One figure of the table. */
export interface Figure {
  readonly name: string;
  /** `x`: a ratio, by round, of the thing measured to what stands beside it. */
  readonly unit: 'x' | 'ms' | 'MB';
  readonly value: Spread;
  /** Greatest median that is good enough; null if the figure is there to be known only. */
  readonly atMost: number | null;
  /** Least median that is good enough, for figures of which more is better. */
  readonly atLeast?: number;
  /** What the figure rests on, in absolute numbers. */
  readonly basis: string;
}

/**
 * Measures several things side by side: each once a round, in turn, every second round in the opposite order, so that
 * whatever slows the machine for a while slows all of them. A first round is thrown away.
 */
export async function alternate<Name extends string, Sample>(
  rounds: number,
  things: Readonly<Record<Name, () => Promise<Sample>>>,
): Promise<Readonly<Record<Name, readonly Sample[]>>> {
  const names = Object.keys(things) as Name[];
  const samples = Object.fromEntries(names.map((name) => [name, [] as Sample[]])) as Record<Name, Sample[]>;
  for (const name of names) await things[name]();
  for (let round = 0; round < rounds; round += 1) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) samples[name].push(await things[name]());
  }
  return samples;
}

/** The spread of samples, of which there must be one at least. */
export function spreadOf(samples: readonly number[]): Spread {
  if (samples.length === 0 || samples.some((sample) => !Number.isFinite(sample))) {
    throw new RangeError(`these are no samples: ${samples.join(', ') || 'none at all'}`);
  }
  const sorted = samples.toSorted((a, b) => a - b);
  return { median: quantile(sorted, 0.5), low: quantile(sorted, 0.25), high: quantile(sorted, 0.75) };
}

/** The ratios, round by round, of one thing's samples to another's. */
export function ratiosOf(samples: readonly number[], beside: readonly number[]): readonly number[] {
  return samples.map((sample, round) => sample / (beside[round] ?? Number.NaN));
}

/** Whether a figure reaches its target; null if it has none. */
export function isMet({ value, atMost, atLeast }: Figure): boolean | null {
  if (atLeast !== undefined) return value.median >= atLeast;
  return atMost === null ? null : value.median <= atMost;
}

/** How long something takes, in milliseconds. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

function quantile(sorted: readonly number[], share: number): number {
  const place = (sorted.length - 1) * share;
  const below = sorted[Math.floor(place)] ?? Number.NaN;
  const above = sorted[Math.ceil(place)] ?? below;
  return below + (above - below) * (place - Math.floor(place));
}

const digits = { x: 2, ms: 3, MB: 1 } as const satisfies Record<Figure['unit'], number>;

/** The figures as an aligned table, one a line, with a head. */
export function tableOf(figures: readonly Figure[]): string {
  const head = ['figure', 'median', 'quartiles', 'target', '', 'in numbers'];
  const rows = [head, ...figures.map(rowOf)];
  const widths = head.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function rowOf(figure: Figure): readonly string[] {
  const { name, unit, value, atMost, atLeast, basis } = figure;
  const text = (number: number): string => number.toFixed(digits[unit]);
  const met = isMet(figure);
  const target = atLeast !== undefined ? `>= ${text(atLeast)}` : atMost === null ? '' : `<= ${text(atMost)}`;
  return [
    name,
    `${text(value.median)} ${unit}`,
    `${text(value.low)}-${text(value.high)}`,
    target,
    met === null ? '' : met ? 'met' : 'missed',
    basis,
  ];
}
