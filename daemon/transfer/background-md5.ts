import { Worker } from 'node:worker_threads';
import type { SummingAnswer, SummingOrder } from './md5-worker.js';

/** A file that is summed by another thread while it is written. */
export interface SumBeside {
  /** All bytes before this one are written. */
  reach(toByte: number): void;
  /** The MD5 of all bytes that were reached. Rejects where the thread could not read them. */
  digest(): Promise<string>;
  /** Nobody asks any more. Must be called. */
  end(): void;
}

/** The thread is told of so many new bytes at once. */
const stepBytes = 1 << 20;

/** One for all files: two would only take the processor from each other, and from the encodes. There is none where nothing is summed. */
let thread: SummingThread | null = null;

/** Has the file at a path, of which nothing need be written yet, summed by the thread, which is started where it is not there. */
export function sumBeside(path: string): SumBeside {
  thread ??= new SummingThread();
  const used = thread;
  const number = used.begin();
  let reachedBytes = 0;
  let toldBytes = 0;
  const tell = (): void => {
    toldBytes = reachedBytes;
    used.order({ number, type: 'reach', path, toByte: reachedBytes });
  };
  return {
    reach(toByte) {
      reachedBytes = toByte;
      if (reachedBytes - toldBytes >= stepBytes) tell();
    },
    digest() {
      tell();
      return used.digest(number);
    },
    end() {
      if (used.end(number) && thread === used) thread = null;
    },
  };
}

interface Waiting {
  readonly resolve: (md5: string) => void;
  readonly reject: (error: Error) => void;
}

class SummingThread {
  readonly #worker = new Worker(new URL('./md5-worker.js', import.meta.url));
  readonly #numbers = new Set<number>();
  readonly #waiting = new Map<number, Waiting>();
  #begun = 0;
  #fault: Error | null = null;

  constructor() {
    this.#worker.on('message', ({ number, md5 }: SummingAnswer) => {
      const waiting = this.#waiting.get(number);
      this.#waiting.delete(number);
      if (md5 === null) waiting?.reject(new Error('the thread could not read the file'));
      else waiting?.resolve(md5);
    });
    this.#worker.on('error', (error) => this.#fail(error));
    this.#worker.on('exit', () => this.#fail(new Error('the thread has ended')));
  }

  begin(): number {
    this.#begun += 1;
    this.#numbers.add(this.#begun);
    return this.#begun;
  }

  order(order: SummingOrder): void {
    this.#worker.postMessage(order);
  }

  digest(number: number): Promise<string> {
    return new Promise((resolve, reject) => {
      if (this.#fault !== null) return reject(this.#fault);
      this.#waiting.set(number, { resolve, reject });
      this.order({ number, type: 'digest' });
    });
  }

  /** Whether it was the last file, and the thread is ended. */
  end(number: number): boolean {
    this.#numbers.delete(number);
    if (this.#numbers.size > 0) this.order({ number, type: 'end' });
    else void this.#worker.terminate();
    return this.#numbers.size === 0;
  }

  #fail(error: Error): void {
    this.#fault ??= error;
    if (thread === this) thread = null;
    for (const { reject } of this.#waiting.values()) reject(this.#fault);
    this.#waiting.clear();
  }
}
