import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Disk, type DiskFile, realDisk } from '../../src/shared/util/disk.js';
import type { CrashKind, StoreFaults } from '../contracts/job-store/store-facts.js';

interface Undo {
  readonly folder: string;
  readonly undo: () => void;
}

interface Fault {
  readonly kind: CrashKind | 'no-room';
  stepsLeft: number;
}

/**
 * The real disk, with a fault at a step of choice: the process dies there, the machine does, or there is no room. What
 * dies stays dead. A machine that dies forgets every name that no fsync of its folder made safe, and
 * half of every file that none was made of; removals it keeps at once, which is the worst that a disk may do.
 */
export class FaultyDisk implements Disk, StoreFaults {
  #fault: Fault | null = null;
  #isDead = false;
  #hasStruck = false;
  #unsafeNames: Undo[];
  readonly #unsafeFiles: Set<string>;

  /** A disk on which a process died goes on with what that one left unsafe. */
  constructor(former?: FaultyDisk) {
    this.#unsafeNames = former?.whatIsUnsafe.names ?? [];
    this.#unsafeFiles = new Set(former?.whatIsUnsafe.files);
  }

  /** Names and files that the death of the machine would undo. */
  get whatIsUnsafe(): { readonly names: Undo[]; readonly files: ReadonlySet<string> } {
    return { names: [...this.#unsafeNames], files: this.#unsafeFiles };
  }

  crashAt(step: number, kind: CrashKind): void {
    this.#arm({ kind, stepsLeft: step });
  }

  failWithoutSpaceAt(step: number): void {
    this.#arm({ kind: 'no-room', stepsLeft: step });
  }

  get hasTriggered(): boolean {
    return this.#hasStruck;
  }

  /** Whatever was under way ends here; the machine's death undoes what was not safe. */
  crash(kind: CrashKind): void {
    if (this.#isDead) return;
    this.#isDead = true;
    if (kind !== 'machine') return;
    for (const path of this.#unsafeFiles) restore(path, textAt(path)?.slice(0, 20) ?? null);
    for (const { undo } of this.#unsafeNames.reverse()) undo();
    this.#unsafeNames = [];
    this.#unsafeFiles.clear();
  }

  async makeFolder(path: string): Promise<void> {
    this.#step();
    const isNew = !existsSync(path);
    await realDisk.makeFolder(path);
    if (isNew)
      this.#unsafeNames.push({
        folder: dirname(path),
        undo: () => rmSync(path, { recursive: true, force: true }),
      });
  }

  async create(path: string): Promise<DiskFile> {
    this.#step();
    const file = await realDisk.create(path);
    this.#unsafeFiles.add(path);
    return {
      write: async (text) => {
        this.#step(() => writeFileSync(path, text.slice(0, text.length / 2)));
        await file.write(text);
      },
      sync: async () => {
        this.#step();
        await file.sync();
        this.#unsafeFiles.delete(path);
      },
      close: () => file.close(),
    };
  }

  async rename(from: string, to: string): Promise<void> {
    this.#step();
    const before = { from: textAt(from), to: textAt(to) };
    await realDisk.rename(from, to);
    if (this.#unsafeFiles.delete(from)) this.#unsafeFiles.add(to);
    this.#unsafeNames.push({ folder: dirname(to), undo: () => restore(to, before.to) });
    this.#unsafeNames.push({ folder: dirname(from), undo: () => restore(from, before.from) });
  }

  async remove(path: string): Promise<void> {
    this.#step();
    await realDisk.remove(path);
    this.#unsafeFiles.delete(path);
  }

  async syncFolder(path: string): Promise<void> {
    this.#step();
    await realDisk.syncFolder(path);
    this.#unsafeNames = this.#unsafeNames.filter(({ folder }) => folder !== path);
  }

  #arm(fault: Fault): void {
    this.#fault = fault;
    this.#hasStruck = false;
  }

  /** Counts a step, and throws in its place where the fault strikes, having done what of it is `halfDone` by then. */
  #step(halfDone: () => void = () => undefined): void {
    if (this.#isDead) throw new Error('The machine is dead.');
    if (this.#fault === null) return;
    this.#fault.stepsLeft -= 1;
    if (this.#fault.stepsLeft >= 0) return;
    const { kind } = this.#fault;
    this.#fault = null;
    this.#hasStruck = true;
    halfDone();
    if (kind === 'no-room') throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
    this.crash(kind);
    throw new Error('The machine dies.');
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
