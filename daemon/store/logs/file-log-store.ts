import { constants, open, readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { LogRecord } from '../../../src/shared/records.js';
import { isTemporaryName, replaceFile } from '../../../src/shared/util/atomic-files.js';
import type { Disk } from '../../../src/shared/util/disk.js';
import { isObject } from '../../../src/shared/util/is-object.js';
import { type LogEntry, logLevels } from '../../../src/shared/util/log.js';
import { removeAbandonedFiles } from '../data-folder/data-folder.js';
import { type DataLayout, firstIdOfDoneFolder, idOfJobLog, jobLogFile } from '../data-folder/layout.js';
import { acceptedMessage, type LogListener, type LogName, type LogStore } from '../log-store.js';
import { LogWriter } from './log-writer.js';

/** The dependencies of a `FileLogStore`. */
export interface FileLogStoreOptions {
  readonly layout: DataLayout;
  readonly disk: Disk;
  /** Whether there is a job with this id: the log of a removed job is not written. */
  readonly hasJob: (id: number) => Promise<boolean>;
  /** When a job was created (ISO 8601); null if there is none. */
  readonly createdAtOf: (id: number) => Promise<string | null>;
  /** Called with the error when writing begins to fail, and with null when it works again. */
  readonly onStateChange: (error: unknown) => void;
  readonly limits?: LogLimits;
  /** See `LogWriterOptions`. */
  readonly recoveryMs?: number;
}

/** Limits of the files. */
interface LogLimits {
  /** A log of a job that is longer is shortened to about three quarters. */
  readonly jobBytes: number;
  /** A log of the daemon that is longer becomes the earlier part. */
  readonly daemonBytes: number;
}

const defaultLimits: LogLimits = { jobBytes: 256 * 1024, daemonBytes: 4 * 1024 * 1024 };

/** Maximum number of lines of the daemon that are read. */
const maxDaemonLines = 10_000;

/**
 * Creates the store of logs in a data folder. The caller must hold the lock of the folder. Touches no file before the
 * first line.
 */
export function createFileLogStore(options: FileLogStoreOptions): LogStore {
  return new FileLogStore(options);
}

/** Keeps logs as one JSON object per line: `logs/daemon.log`, and `logs/jobs/N/ID.log` for each job. */
class FileLogStore implements LogStore {
  readonly #options: FileLogStoreOptions;
  readonly #limits: LogLimits;
  readonly #writer: LogWriter;
  readonly #listeners = new Set<LogListener>();
  #lastId = 0;
  #isClosed = false;

  constructor(options: FileLogStoreOptions) {
    this.#options = options;
    this.#limits = options.limits ?? defaultLimits;
    this.#writer = new LogWriter({
      disk: options.disk,
      isWanted: (path) => this.#isWanted(path),
      onAppended: (path, sizeBytes) => this.#limitSize(path, sizeBytes),
      onStateChange: options.onStateChange,
      ...(options.recoveryMs === undefined ? {} : { recoveryMs: options.recoveryMs }),
    });
  }

  add(entry: LogEntry): void {
    if (this.#isClosed) return;
    const { layout } = this.#options;
    const line = toLogRecord(this.#nextId(), entry);
    const text = JSON.stringify(line);
    if (entry.isDetail !== true) {
      this.#writer.add(layout.daemonLog, text);
      this.#emit('daemon', line);
    }
    if (entry.jobId === undefined) return;
    if (entry.isImplied !== true) this.#writer.add(jobLogFile(layout, entry.jobId), text);
    this.#emit(entry.jobId, line);
  }

  async read(name: LogName): Promise<readonly LogRecord[]> {
    const { layout } = this.#options;
    const { jobBytes, daemonBytes } = this.#limits;
    if (name !== 'daemon') {
      const lines = parseLogLines(await this.#readEnd(jobLogFile(layout, name), jobBytes * 2));
      return this.#withAcceptance(name, lines);
    }
    const texts = [
      await readEnd(layout.earlierDaemonLog, daemonBytes * 2),
      await this.#readEnd(layout.daemonLog, daemonBytes * 2),
    ];
    return parseLogLines(texts.join('\n'), maxDaemonLines);
  }

  watch(listener: LogListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async removeJob(id: number): Promise<void> {
    const path = jobLogFile(this.#options.layout, id);
    await this.#writer.runExclusive(path, async () => {
      this.#writer.drop(path);
      await this.#options.disk.remove(path).catch(() => undefined);
    });
  }

  async removeOrphans(): Promise<void> {
    const { layout, disk } = this.#options;
    const folders = await readdir(layout.jobLogs).catch(() => []);
    // One folder at a time: there may be a million logs.
    for (const name of folders.filter((one) => firstIdOfDoneFolder(one) !== null)) {
      const folder = join(layout.jobLogs, name);
      const files = await readdir(folder).catch(() => []);
      if (files.some(isTemporaryName)) await removeAbandonedFiles(folder, disk).catch(() => undefined);
      for (const file of files) {
        if (this.#isClosed) return;
        const id = idOfJobLog(file);
        if (id !== null && !(await this.#hasJob(id))) await this.removeJob(id);
      }
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#writer.flush();
  }

  /** The lines of a job after the one that its record implies. Files of older versions have that line themselves. */
  async #withAcceptance(jobId: number, lines: readonly LogRecord[]): Promise<readonly LogRecord[]> {
    const message = acceptedMessage(jobId);
    if (lines[0]?.message === message) return lines;
    const time = await this.#options.createdAtOf(jobId).catch(() => null);
    if (time === null) return lines;
    return [toLogRecord(String(Date.parse(time) * 1000), { time, level: 'info', message, jobId }), ...lines];
  }

  /** A number that grows with every line, over restarts as well unless the clock is set back. */
  #nextId(): string {
    this.#lastId = Math.max(this.#lastId + 1, Date.now() * 1000);
    return String(this.#lastId);
  }

  #emit(name: LogName, line: LogRecord): void {
    for (const listener of this.#listeners) listener(name, line);
  }

  async #isWanted(path: string): Promise<boolean> {
    const id = idOfJobLog(basename(path));
    return id === null || (await this.#hasJob(id));
  }

  /**
   * A job that cannot be looked up counts as existing: its lines are kept, and a later start removes them if it is
   * gone.
   */
  #hasJob(id: number): Promise<boolean> {
    return this.#options.hasJob(id).catch(() => true);
  }

  async #limitSize(path: string, sizeBytes: number): Promise<void> {
    const { layout, disk } = this.#options;
    if (path === layout.daemonLog) {
      // Without room for an earlier part, the lines are dropped: the file must not grow without limit.
      if (sizeBytes > this.#limits.daemonBytes)
        await disk.rename(path, layout.earlierDaemonLog).catch(() => disk.remove(path));
    } else if (sizeBytes > this.#limits.jobBytes) await this.#shorten(path);
  }

  /** Keeps the first quarter and the last half of what a log of a job may have. */
  async #shorten(path: string): Promise<void> {
    const { jobBytes } = this.#limits;
    const text = await readEnd(path, jobBytes * 2);
    const marker = toLogRecord(this.#nextId(), {
      time: new Date().toISOString(),
      level: 'warn',
      message: 'Lines were left out here, because the log of the job is too long.',
    });
    const kept = { firstCharacters: jobBytes / 4, lastCharacters: jobBytes / 2 };
    const shortened = shortenLog(text, kept, JSON.stringify(marker));
    // Not synced: logs need not survive a power cut, and an fsync would delay the jobs.
    const { disk } = this.#options;
    await replaceFile(path, (file) => file.write(shortened), { disk, isDurable: false });
  }

  /** The end of a file with the lines that were added until now. */
  async #readEnd(path: string, maxBytes: number): Promise<string> {
    await this.#writer.flushFile(path);
    return readEnd(path, maxBytes);
  }
}

/** The last bytes of a file as text; empty if it cannot be read. */
async function readEnd(path: string, maxBytes: number): Promise<string> {
  try {
    // Not blocking: something else than a file may have this name.
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const found = await file.stat();
      if (!found.isFile()) return '';
      const bytes = Buffer.alloc(Math.min(found.size, maxBytes));
      const { bytesRead } = await file.read(bytes, 0, bytes.length, found.size - bytes.length);
      return bytes.toString('utf8', 0, bytesRead);
    } finally {
      await file.close();
    }
  } catch {
    return '';
  }
}

/** The record of a line. */
function toLogRecord(id: string, { time, level, message, jobId, outputId, stderr }: LogEntry): LogRecord {
  return {
    id,
    time,
    level,
    message,
    ...(jobId === undefined ? {} : { job_id: jobId }),
    ...(outputId === undefined ? {} : { output_id: outputId }),
    ...(stderr === undefined ? {} : { stderr }),
  };
}

/** The last lines of a text, at most `maxLines`. Parts of lines and lines of other programs are left out. */
function parseLogLines(text: string, maxLines = Number.POSITIVE_INFINITY): readonly LogRecord[] {
  const found: LogRecord[] = [];
  const lines = text.split('\n');
  for (let line = lines.pop(); line !== undefined && found.length < maxLines; line = lines.pop()) {
    const record = line === '' ? null : parseLogLine(line);
    if (record !== null) found.push(record);
  }
  return found.reverse();
}

function parseLogLine(line: string): LogRecord | null {
  try {
    const value: unknown = JSON.parse(line);
    return isLogRecord(value) ? value : null;
  } catch {
    return null;
  }
}

function isLogRecord(value: unknown): value is LogRecord {
  if (!isObject(value)) return false;
  const { id, time, level, message, job_id, output_id, stderr } = value;
  return (
    [id, time, message].every((text) => typeof text === 'string') &&
    logLevels.some((known) => known === level) &&
    [job_id, output_id].every((number) => number === undefined || Number.isInteger(number)) &&
    (stderr === undefined || (Array.isArray(stderr) && stderr.every((text) => typeof text === 'string')))
  );
}

/**
 * Shortens the text of a log: keeps whole lines at its beginning and at its end, of at most so many characters, and
 * `marker` in between.
 */
function shortenLog(
  text: string,
  kept: { readonly firstCharacters: number; readonly lastCharacters: number },
  marker: string,
): string {
  const firstEnd = text.lastIndexOf('\n', kept.firstCharacters) + 1;
  const lastStart = text.indexOf('\n', text.length - kept.lastCharacters) + 1;
  return lastStart <= firstEnd ? text : `${text.slice(0, firstEnd)}${marker}\n${text.slice(lastStart)}`;
}
