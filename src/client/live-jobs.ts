import type { FollowedProgress } from './job-progress.js';
import type { JobTidings } from './job-updates.js';
import type { JobEvent } from './read-events.js';

/** What came of one job's stream since the last look. */
export interface LiveNews {
  readonly id: number;
  /** The newest event; null where there is none but the end. */
  readonly job: FollowedProgress | null;
  /** The stream is over. */
  readonly hasEnded: boolean;
  /** Milliseconds to leave the service alone then. */
  readonly retryMs: number;
}

interface LiveJob {
  newest: FollowedProgress | null;
  hasEnded: boolean;
  retryMs: number;
}

/** What comes within so many milliseconds is taken at once: of many streams each piece alone would cost more than what it brings. */
const gatherMs = 100;

/**
 * The streams of several jobs, brought together. Of each job the newest event alone is kept, so that nothing piles up. The end of a
 * stream is told at once, all else ten times a second at most.
 */
export class LiveJobs {
  readonly #jobs = new Map<number, LiveJob>();
  /** The ids of those that have something to tell. */
  readonly #fresh = new Set<number>();
  readonly #eventIds = new Map<number, string>();
  #wake: () => void = () => {};
  #takenAt = Number.NEGATIVE_INFINITY;
  /** Tells what has come when the time is there. */
  #gathering: NodeJS.Timeout | undefined;

  /** Whether a job's stream is open, or has something left to tell. */
  has(id: number): boolean {
    return this.#jobs.has(id);
  }

  /** With which event a job's stream is to be taken up again. */
  eventId(id: number): string | undefined {
    return this.#eventIds.get(id);
  }

  /** Listens to a job's stream from now on. */
  add(id: number, { listen }: Extract<JobTidings, { kind: 'events' }>): void {
    const live: LiveJob = { newest: null, hasEnded: false, retryMs: 0 };
    this.#jobs.set(id, live);
    const onEvent = ({ job, eventId, retryMs }: JobEvent) => {
      live.newest = job;
      live.retryMs = retryMs ?? 0;
      this.#eventIds.set(id, eventId);
      this.#tell(id);
    };
    void listen(onEvent).then(() => {
      live.hasEnded = true;
      this.#fresh.add(id);
      this.#tellAll();
    });
  }

  #tell(id: number): void {
    this.#fresh.add(id);
    if (this.#gathering !== undefined) return;
    const waitMs = this.#takenAt + gatherMs - performance.now();
    if (waitMs > 0) this.#gathering = setTimeout(() => this.#tellAll(), waitMs).unref();
    else this.#wake();
  }

  #tellAll(): void {
    this.#endGathering();
    this.#wake();
  }

  #endGathering(): void {
    clearTimeout(this.#gathering);
    this.#gathering = undefined;
  }

  /** Takes what came since the last look. Streams that are over are gone afterwards. */
  take(): readonly LiveNews[] {
    const news: LiveNews[] = [];
    this.#endGathering();
    this.#takenAt = performance.now();
    for (const id of this.#fresh) {
      const live = this.#jobs.get(id);
      if (live === undefined) continue;
      const { newest, hasEnded, retryMs } = live;
      news.push({ id, job: newest, hasEnded, retryMs });
      live.newest = null;
      if (hasEnded) this.#jobs.delete(id);
    }
    this.#fresh.clear();
    return news;
  }

  /** How many streams are open, or have something left to tell. */
  get size(): number {
    return this.#jobs.size;
  }

  /** Resolves as soon as there is something to take, or after so many milliseconds. One call at a time. */
  async changed(withinMs = Number.POSITIVE_INFINITY): Promise<void> {
    if (this.#fresh.size > 0 && this.#gathering === undefined) return;
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      if (Number.isFinite(withinMs)) timer = setTimeout(resolve, withinMs);
    });
    clearTimeout(timer);
  }
}
