/** The median of several samples and their spread: the first and the third quartile. */
export interface Spread {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

/** One row of the table. */
export interface Figure {
  readonly name: string;
  /** `x`: a ratio, per round, of the measured thing to its reference. */
  readonly unit: 'x' | 'ms' | 'MB' | 'KB' | '%' | 'files' | 'lines' | 'points' | 'probes';
  readonly value: Spread;
  /** Maximum median that meets the target; null for a figure without a target. */
  readonly atMost: number | null;
  /** Minimum median that meets the target, for figures where higher is better. */
  readonly atLeast?: number;
  /** The absolute numbers behind the figure. */
  readonly basis: string;
}

/**
 * Measures several things in turn: each once per round, with the order reversed in every second round, so that a
 * temporary slowdown of the machine affects all of them. The samples of a first round are discarded.
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

/** The spread of samples. Throws `RangeError` if there are none. */
export function spreadOf(samples: readonly number[]): Spread {
  if (samples.length === 0 || samples.some((sample) => !Number.isFinite(sample))) {
    throw new RangeError(`no valid samples: ${samples.join(', ') || 'none'}`);
  }
  const sorted = samples.toSorted((a, b) => a - b);
  return { median: quantile(sorted, 0.5), low: quantile(sorted, 0.25), high: quantile(sorted, 0.75) };
}

/** The ratios, per round, of samples to the samples of a reference. */
export function ratiosOf(samples: readonly number[], reference: readonly number[]): readonly number[] {
  return samples.map((sample, round) => sample / (reference[round] ?? Number.NaN));
}

/** Whether a figure reaches its target; null if it has none. */
export function isMet({ value, atMost, atLeast }: Figure): boolean | null {
  if (atLeast !== undefined) return value.median >= atLeast;
  return atMost === null ? null : value.median <= atMost;
}

/** The duration of a task, in milliseconds. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

function quantile(sorted: readonly number[], share: number): number {
  const position = (sorted.length - 1) * share;
  const below = sorted[Math.floor(position)] ?? Number.NaN;
  const above = sorted[Math.ceil(position)] ?? below;
  return below + (above - below) * (position - Math.floor(position));
}

const digits = {
  x: 2,
  ms: 3,
  MB: 1,
  KB: 2,
  '%': 1,
  files: 0,
  lines: 0,
  points: 2,
  probes: 0,
} as const satisfies Record<Figure['unit'], number>;

const head = ['figure', 'median', 'quartiles', 'target', '', 'in numbers'];

/** Formats the figures as a table in Markdown. */
export function markdownOf(figures: readonly Figure[]): string {
  const rows = [head, head.map(() => '---'), ...figures.map(rowOf)];
  return rows.map((row) => `| ${row.join(' | ')} |\n`).join('');
}

/** Formats the figures as an aligned table with a header, one per line. */
export function tableOf(figures: readonly Figure[]): string {
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
