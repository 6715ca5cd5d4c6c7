/** The distribution of some times, in milliseconds. */
interface Distribution {
  readonly count: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly max: number;
}

/** Times of operations by name, in milliseconds. */
export class Latencies {
  readonly #samples = new Map<string, number[]>();

  /** Adds the time of one operation. */
  add(name: string, milliseconds: number): void {
    const list = this.#samples.get(name) ?? [];
    this.#samples.set(name, list);
    list.push(milliseconds);
  }

  /** Measures an operation, whether it succeeds or not. */
  async time<T>(name: string, work: () => Promise<T>): Promise<T> {
    const start = performance.now();
    try {
      return await work();
    } finally {
      this.add(name, performance.now() - start);
    }
  }

  /** The number of operations with this name. */
  count(name: string): number {
    return this.#samples.get(name)?.length ?? 0;
  }

  /** One line per name: `name: count, p50/p95/p99/max 1.0/2.0/3.0/4.0 ms`. */
  lines(): readonly string[] {
    return [...this.#samples].map(([name, samples]) => `${name}: ${latencyText(samples)}`);
  }
}

/** Formats times as `count, p50/p95/p99/max 1.0/2.0/3.0/4.0 ms`. */
export function latencyText(samples: readonly number[]): string {
  const { count, p50, p95, p99, max } = distributionOf(samples);
  return `${count}, p50/p95/p99/max ${[p50, p95, p99, max].map((ms) => ms.toFixed(1)).join('/')} ms`;
}

/** The distribution of times; all NaN for none. */
export function distributionOf(samples: readonly number[]): Distribution {
  const sorted = Float64Array.from(samples).sort();
  const quantile = (share: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
  return {
    count: sorted.length,
    p50: quantile(0.5),
    p95: quantile(0.95),
    p99: quantile(0.99),
    max: sorted.at(-1) ?? Number.NaN,
  };
}
