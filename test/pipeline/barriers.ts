/** Blocks each caller until a test releases it, and records the calls in order. */
export class StepBarriers {
  readonly #open = new Set<string>();
  readonly #changed = new Set<() => void>();
  /** The calls so far. */
  readonly reached: string[] = [];

  /** Waits until the call is released; rejects with the signal's reason when that is aborted. */
  async pass(name: string, signal: AbortSignal): Promise<void> {
    this.reached.push(name);
    this.#notify();
    await this.#until(() => this.#open.has(name), signal);
  }

  /** Releases a call, before or after it arrives. */
  open(...names: readonly string[]): void {
    for (const name of names) this.#open.add(name);
    this.#notify();
  }

  /** Resolves once all of these calls have arrived. Rejects after a minute with the calls so far. */
  async come(...names: readonly string[]): Promise<void> {
    const timeout = new AbortController();
    const timer = setTimeout(() => timeout.abort(), 60_000);
    await this.#until(() => names.every((name) => this.reached.includes(name)), timeout.signal).catch(() => {
      throw new Error(`${names.join(', ')} never all came: ${this.reached.join(', ')}`);
    });
    clearTimeout(timer);
  }

  #until(isSo: () => boolean, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = (settle: () => void) => {
        this.#changed.delete(check);
        signal.removeEventListener('abort', stop);
        settle();
      };
      const check = () => {
        if (isSo()) end(resolve);
      };
      const stop = () => end(() => reject(signal.reason));
      this.#changed.add(check);
      signal.addEventListener('abort', stop, { once: true });
      if (signal.aborted) stop();
      else check();
    });
  }

  #notify(): void {
    for (const check of [...this.#changed]) check();
  }
}
