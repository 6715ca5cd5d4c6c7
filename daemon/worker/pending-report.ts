import type { LogEntry } from '../../src/shared/util/log.js';
import type { FileProgress } from '../jobs/progress.js';
import type { HeartbeatRequest } from '../jobs/worker-protocol.js';

type LogLine = HeartbeatRequest['log'][number];

/** What one heartbeat reports. One of the two functions is called when its outcome is known. */
interface TakenReport extends Pick<HeartbeatRequest, 'progress' | 'log'> {
  /** The daemon has the report, or does not accept it. */
  readonly answered: () => void;
  /** The daemon may not have the report: it is sent again. */
  readonly failed: () => void;
}

/** Maximum number of lines that wait for a daemon that cannot be reached. */
const maxLines = 1000;
/** Maximum length of the lines in a heartbeat, as JSON: daemons accept bodies of 1 MiB. */
const maxLogCharacters = 200_000;

/**
 * The progress and the log lines of a run that its next heartbeat reports. Of each file only the latest progress is
 * kept.
 */
export class PendingReport {
  readonly #progress = new Map<number, FileProgress>();
  readonly #log: LogLine[] = [];
  #droppedCount = 0;

  get hasLog(): boolean {
    return this.#log.length > 0;
  }

  /** Replaces the progress of a file. */
  setProgress(fileId: number, progress: FileProgress): void {
    this.#progress.set(fileId, progress);
  }

  /** Adds a line. Of too many lines, the oldest are dropped. */
  addLog({ level, message, outputId, isDetail, stderr }: LogEntry): void {
    this.#log.push({
      level,
      message,
      ...(outputId === undefined ? {} : { outputId }),
      ...(isDetail === undefined ? {} : { isDetail }),
      ...(stderr === undefined ? {} : { stderr }),
    });
    if (this.#log.length <= maxLines) return;
    this.#log.shift();
    this.#droppedCount += 1;
  }

  /** Takes what a heartbeat reports. */
  take(): TakenReport {
    const progress = [...this.#progress].map(([id, one]) => ({ id, ...one }));
    const taken = new Map(this.#progress);
    this.#progress.clear();
    const lines = this.#log.splice(0, this.#lineCount());
    const droppedCount = this.#droppedCount;
    const dropped: readonly LogLine[] =
      droppedCount === 0
        ? []
        : [{ level: 'warn', message: `${droppedCount} lines of the log are missing here.` }];
    return {
      progress,
      log: [...dropped, ...lines],
      answered: () => {
        this.#droppedCount -= droppedCount;
      },
      failed: () => {
        this.#log.unshift(...lines);
        for (const [id, one] of taken) if (!this.#progress.has(id)) this.#progress.set(id, one);
      },
    };
  }

  /** How many lines the next heartbeat reports: at least one, if there is any. */
  #lineCount(): number {
    let characters = 0;
    const count = this.#log.findIndex((line) => {
      characters += JSON.stringify(line).length;
      return characters > maxLogCharacters;
    });
    return count === -1 ? this.#log.length : Math.max(count, 1);
  }
}
