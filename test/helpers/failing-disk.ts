import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Disk, type DiskFile, realDisk } from '../../src/shared/util/disk.js';
import type { CrashKind, StoreFailures } from '../contracts/job-store/store-facts.js';

interface Undo {
  readonly folder: string;
  readonly undo: () => void;
}

interface InjectedFailure {
  readonly kind: CrashKind | 'no-space';
  stepsLeft: number;
}

/**
 * The real disk with a failure at a chosen step: the process crashes, the machine crashes, or there is no space left. After a crash every
 * step fails. A crash of the machine loses every name whose folder was not synced, and all but 20 characters of what was written to a file and not synced. Removals are
 * durable at once, which is the worst case that a disk may show.
 */
export class FailingDisk implements Disk, StoreFailures {
  #failure: InjectedFailure | null = null;
  #hasCrashed = false;
  #hasTriggered = false;
  #unsyncedNames: Undo[];
  /** How much of each file is durable. */
  readonly #unsyncedFiles: Map<string, number>;

  /** A new disk inherits the unsynced data of a previous one on which the process crashed. */
  constructor(previous?: FailingDisk) {
    this.#unsyncedNames = previous?.unsynced.names ?? [];
    this.#unsyncedFiles = new Map(previous?.unsynced.files);
  }

  /** Names and files that a crash of the machine would lose. */
  get unsynced(): { readonly names: Undo[]; readonly files: ReadonlyMap<string, number> } {
    return { names: [...this.#unsyncedNames], files: this.#unsyncedFiles };
  }

  crashAt(step: number, kind: CrashKind): void {
    this.#arm({ kind, stepsLeft: step });
  }

  failWithoutSpaceAt(step: number): void {
    this.#arm({ kind: 'no-space', stepsLeft: step });
  }

  get hasTriggered(): boolean {
    return this.#hasTriggered;
  }

  /** Makes every later step fail. A crash of the machine also undoes everything that was not synced. */
  crash(kind: CrashKind): void {
    if (this.#hasCrashed) return;
    this.#hasCrashed = true;
    if (kind !== 'machine') return;
    for (const [path, length] of this.#unsyncedFiles)
      restore(path, textAt(path)?.slice(0, length + 20) ?? null);
    for (const { undo } of this.#unsyncedNames.reverse()) undo();
    this.#unsyncedNames = [];
    this.#unsyncedFiles.clear();
  }

  async makeFolder(path: string): Promise<void> {
    this.#step();
    const isNew = !existsSync(path);
    await realDisk.makeFolder(path);
    if (isNew)
      this.#unsyncedNames.push({
        folder: dirname(path),
        undo: () => rmSync(path, { recursive: true, force: true }),
      });
  }

  async create(path: string): Promise<DiskFile> {
    this.#step();
    const file = await realDisk.create(path);
    this.#unsyncedFiles.set(path, 0);
    return {
      write: async (text) => {
        if (!this.#unsyncedFiles.has(path)) this.#unsyncedFiles.set(path, textAt(path)?.length ?? 0);
        this.#step(() => writeFileSync(path, text.slice(0, text.length / 2), { flag: 'a' }));
        await file.write(text);
        this.#requireRunning();
      },
      sync: async () => {
        this.#step();
        await file.sync();
        this.#requireRunning();
        this.#unsyncedFiles.delete(path);
      },
      close: () => file.close(),
    };
  }

  async append(path: string, lines: string): Promise<number> {
    this.#step();
    return realDisk.append(path, lines);
  }

  async truncate(path: string, length: number): Promise<void> {
    this.#step();
    await realDisk.truncate(path, length);
    this.#requireRunning();
    this.#unsyncedFiles.delete(path);
  }

  async rename(from: string, to: string): Promise<void> {
    this.#step();
    const before = { from: textAt(from), to: textAt(to) };
    await realDisk.rename(from, to);
    const syncedLength = this.#unsyncedFiles.get(from);
    this.#unsyncedFiles.delete(from);
    this.#unsyncedFiles.delete(to);
    if (syncedLength !== undefined) this.#unsyncedFiles.set(to, syncedLength);
    this.#unsyncedNames.push({ folder: dirname(to), undo: () => restore(to, before.to) });
    this.#unsyncedNames.push({ folder: dirname(from), undo: () => restore(from, before.from) });
  }

  async remove(path: string): Promise<void> {
    this.#step();
    await realDisk.remove(path);
    this.#unsyncedFiles.delete(path);
  }

  async syncFolder(path: string): Promise<void> {
    this.#step();
    await realDisk.syncFolder(path);
    this.#requireRunning();
    this.#unsyncedNames = this.#unsyncedNames.filter(({ folder }) => folder !== path);
  }

  #arm(failure: InjectedFailure): void {
    this.#failure = failure;
    this.#hasTriggered = false;
  }

  /** Nothing is acknowledged after a crash, although the step began before it. */
  #requireRunning(): void {
    if (this.#hasCrashed) throw new Error('The machine has crashed.');
  }

  /** Counts a step. Throws instead of executing the step at which the failure is due, after `halfDone` has done half of it. */
  #step(halfDone: () => void = () => undefined): void {
    this.#requireRunning();
    if (this.#failure === null) return;
    this.#failure.stepsLeft -= 1;
    if (this.#failure.stepsLeft >= 0) return;
    const { kind } = this.#failure;
    this.#failure = null;
    this.#hasTriggered = true;
    halfDone();
    if (kind === 'no-space') throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
    this.crash(kind);
    throw new Error('The machine crashes.');
  }
}

function textAt(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

function restore(path: string, text: string | null): void {
  if (text === null) rmSync(path, { force: true });
  else if (existsSync(dirname(path))) writeFileSync(path, text);
}
