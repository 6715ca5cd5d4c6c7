import type { Freezer } from '../../src/shared/util/freezer.js';
import type { HeldSlot, PausableRun } from '../jobs/run.js';
import { whenTrue } from './when-true.js';

/** Pauses one run: its programs are stopped, and others may have its slots until they are free again. */
export class RunPause implements PausableRun {
  readonly #freezer: Pick<Freezer, 'freeze' | 'thaw'>;
  readonly #slots = new Set<HeldSlot>();
  readonly #waiters = new Set<() => void>();
  /** Aborted when the run is paused again. */
  #continuing = new AbortController();
  #isOn = false;

  constructor(freezer: Pick<Freezer, 'freeze' | 'thaw'>) {
    this.#freezer = freezer;
  }

  get isOn(): boolean {
    return this.#isOn;
  }

  /** Pauses the run, or lets it continue as soon as it has its slots again. */
  set(isOn: boolean): void {
    if (isOn === this.#isOn) return;
    this.#isOn = isOn;
    if (isOn) {
      this.#continuing.abort();
      this.#freezer.freeze();
      for (const slot of this.#slots) slot.release();
      return;
    }
    this.#continuing = new AbortController();
    for (const wake of [...this.#waiters]) wake();
    if (this.#slots.size === 0) this.#freezer.thaw();
    else void this.#continue(this.#continuing.signal);
  }

  hold(slot: HeldSlot): () => void {
    this.#slots.add(slot);
    return () => void this.#slots.delete(slot);
  }

  whenEnded(signal: AbortSignal): Promise<void> {
    const onChange = (listener: () => void) => {
      this.#waiters.add(listener);
      return () => void this.#waiters.delete(listener);
    };
    return whenTrue(() => !this.#isOn, onChange, signal);
  }

  async #continue(signal: AbortSignal): Promise<void> {
    const taken = await Promise.allSettled([...this.#slots].map((slot) => slot.takeAgain(signal)));
    if (signal.aborted || taken.some(({ status }) => status === 'rejected')) return;
    this.#freezer.thaw();
  }
}
