/** Holds back what comes to it until a test lets it go, and keeps a record of what came, in order. */
export class Gates {
  readonly #open = new Set<string>();
  readonly #changed = new Set<() => void>();
  /** What has come so far. */
  readonly reached: string[] = [];

  /** Waits until it may go on; rejects with the signal's reason when that is aborted. */
  async pass(name: string, signal: AbortSignal): Promise<void> {
    this.reached.push(name);
    this.#tell();
    await this.#until(() => this.#open.has(name), signal);
  }

  /** Lets go, whether it has come already or not. */
  open(...names: readonly string[]): void {
    for (const name of names) this.#open.add(name);
    this.#tell();
  }

  /** Resolves when all of these have come. Gives up after ten seconds, with what has. */
  async come(...names: readonly string[]): Promise<void> {
    const tooLate = new AbortController();
    const timer = setTimeout(() => tooLate.abort(), 10_000);
    await this.#until(() => names.every((name) => this.reached.includes(name)), tooLate.signal).catch(() => {
      throw new Error(`${names.join(', ')} never all came: ${this.reached.join(', ')}`);
    });
    clearTimeout(timer);
  }

  #until(isSo: () => boolean, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = (settle: () => void) => {
        this.#changed.delete(look);
        signal.removeEventListener('abort', stop);
        settle();
      };
      const look = () => {
        if (isSo()) end(resolve);
      };
      const stop = () => end(() => reject(signal.reason));
      this.#changed.add(look);
      signal.addEventListener('abort', stop, { once: true });
      if (signal.aborted) stop();
      else look();
    });
  }

  #tell(): void {
    for (const look of [...this.#changed]) look();
  }
}
