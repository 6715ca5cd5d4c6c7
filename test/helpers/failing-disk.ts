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
 * step fails. A crash of the machine loses every name whose folder was not synced and half of every file that was not synced. Removals are
 * durable at once, which is the worst case that a disk may show.
 */
export class FailingDisk implements Disk, StoreFailures {
  #failure: InjectedFailure | null = null;
  #hasCrashed = false;
  #hasTriggered = false;
  #unsyncedNames: Undo[];
  readonly #unsyncedFiles: Set<string>;

  /** A new disk inherits the unsynced data of a previous one on which the process crashed. */
  constructor(previous?: FailingDisk) {
    this.#unsyncedNames = previous?.unsynced.names ?? [];
    this.#unsyncedFiles = new Set(previous?.unsynced.files);
  }

  /** Names and files that a crash of the machine would lose. */
  get unsynced(): { readonly names: Undo[]; readonly files: ReadonlySet<string> } {
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
    for (const path of this.#unsyncedFiles) restore(path, textAt(path)?.slice(0, 20) ?? null);
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
    this.#unsyncedFiles.add(path);
    return {
      write: async (text) => {
        this.#step(() => writeFileSync(path, text.slice(0, text.length / 2)));
        await file.write(text);
      },
      sync: async () => {
        this.#step();
        await file.sync();
        this.#unsyncedFiles.delete(path);
      },
      close: () => file.close(),
    };
  }

  async append(path: string, lines: string): Promise<number> {
    this.#step();
    return realDisk.append(path, lines);
  }

  async rename(from: string, to: string): Promise<void> {
    this.#step();
    const before = { from: textAt(from), to: textAt(to) };
    await realDisk.rename(from, to);
    if (this.#unsyncedFiles.delete(from)) this.#unsyncedFiles.add(to);
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
    this.#unsyncedNames = this.#unsyncedNames.filter(({ folder }) => folder !== path);
  }

  #arm(failure: InjectedFailure): void {
    this.#failure = failure;
    this.#hasTriggered = false;
  }

  /** Counts a step. Throws instead of executing the step at which the failure is due, after `halfDone` has done half of it. */
  #step(halfDone: () => void = () => undefined): void {
    if (this.#hasCrashed) throw new Error('The machine has crashed.');
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
