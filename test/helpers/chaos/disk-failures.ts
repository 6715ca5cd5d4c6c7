import { dirname } from 'node:path';

/** A kind of failure that a disk or a process without resources shows. */
export type DiskFailureKind =
  | 'short write'
  | 'ENOSPC'
  | 'EIO'
  | 'EMFILE'
  | 'failing fsync'
  | 'failing rename';

/** Everything that changes the disk, and the open of a folder to sync it. */
type Step = 'open' | 'make' | 'write' | 'sync' | 'rename' | 'link' | 'remove' | 'touch';

/** The steps at which each kind occurs, and the error code. */
const failures: Readonly<
  Record<DiskFailureKind, { readonly code: string; readonly steps: readonly Step[] }>
> = {
  'short write': { code: 'ENOSPC', steps: ['write'] },
  ENOSPC: { code: 'ENOSPC', steps: ['open', 'make', 'write', 'sync', 'rename', 'link'] },
  EIO: { code: 'EIO', steps: ['open', 'make', 'write', 'sync', 'rename', 'link', 'remove', 'touch'] },
  EMFILE: { code: 'EMFILE', steps: ['open'] },
  'failing fsync': { code: 'EIO', steps: ['sync'] },
  'failing rename': { code: 'EIO', steps: ['rename'] },
};

/** The kinds of failures, by name. */
export const diskFailureKinds: readonly DiskFailureKind[] = [
  'short write',
  'ENOSPC',
  'EIO',
  'EMFILE',
  'failing fsync',
  'failing rename',
];

/** An open file; its descriptor is -1 once it is closed. */
interface OpenFile {
  readonly fd: number;
}

/** A failure to inject below a folder. */
export interface DiskFailure {
  readonly folder: string;
  readonly kind: DiskFailureKind;
  /** Number of steps of this kind that succeed before. */
  readonly afterSteps: number;
  /** Whether every later step fails as well, until the failure is cleared. */
  readonly isLasting: boolean;
}

/**
 * Replaces the functions of `node:fs/promises`, and some of `node:fs`, in this process, so that the real code of the daemon runs into failures. They act like the
 * originals except below the folder of a failure. Also records which data and names a power cut would lose.
 *
 * Not the `Disk` interface: hosted files, partial files and locks do not use it. Not a preloaded C library: a test machine may lack a compiler.
 */
export class FsFailures {
  #failure: DiskFailure | null = null;
  #stepsLeft = 0;
  #hasTriggered = false;
  #watched = '';
  readonly #unsyncedFiles = new Set<string>();
  readonly #unsyncedFolders = new Set<string>();
  readonly #open = new Map<OpenFile, string>();
  readonly #violations: string[] = [];

  /** Injects a failure from now on. */
  arm(failure: DiskFailure): void {
    this.#failure = failure;
    this.#stepsLeft = failure.afterSteps;
    this.#hasTriggered = false;
  }

  /** Ends the failure. */
  clear(): void {
    this.#failure = null;
  }

  /** Whether the last failure has occurred. */
  get hasTriggered(): boolean {
    return this.#hasTriggered;
  }

  /** Records from now on what is not durable below a folder. */
  watch(folder: string): void {
    this.#watched = folder;
    this.#unsyncedFiles.clear();
    this.#unsyncedFolders.clear();
    this.#violations.length = 0;
  }

  /**
   * What a power cut would lose of acknowledged changes: files that got their name before their data was synced, and folders whose new
   * names are not synced.
   */
  get unsynced(): readonly string[] {
    return [
      ...this.#violations,
      ...[...this.#unsyncedFolders].map((folder) => `${folder}: a name is not synced`),
    ];
  }

  /** Counts a step; throws if the failure is due. With a short write, `half` does a part of it first. */
  async step(step: Step, path: string, half: () => Promise<unknown> = async () => {}): Promise<void> {
    const failure = this.#failure;
    if (failure === null || !path.startsWith(failure.folder) || !failures[failure.kind].steps.includes(step))
      return;
    this.#stepsLeft -= 1;
    if (this.#stepsLeft >= 0) return;
    this.#hasTriggered = true;
    if (!failure.isLasting) this.#failure = null;
    if (failure.kind === 'short write') await half();
    const { code } = failures[failure.kind];
    throw Object.assign(new Error(`${code}: injected by the test, ${step} '${path}'`), { code, path });
  }

  /** Whether the next write is to be a short one without an error, as `write(2)` may do. */
  takesShortWrite(path: string): boolean {
    const failure = this.#failure;
    if (failure?.kind !== 'short write' || failure.isLasting || !path.startsWith(failure.folder))
      return false;
    this.#stepsLeft -= 1;
    if (this.#stepsLeft >= 0) return false;
    this.#failure = null;
    this.#hasTriggered = true;
    return true;
  }

  /** The files below a folder that are open now. */
  openFiles(folder: string): readonly string[] {
    for (const handle of [...this.#open.keys()]) if (handle.fd === -1) this.#open.delete(handle);
    return [...this.#open.values()].filter((path) => path.startsWith(folder));
  }

  noteOpened(handle: OpenFile, path: string): void {
    this.#open.set(handle, path);
  }

  noteWritten(path: string): void {
    if (this.#isWatched(path)) this.#unsyncedFiles.add(path);
  }

  noteSynced(path: string): void {
    this.#unsyncedFiles.delete(path);
    this.#unsyncedFolders.delete(path);
  }

  noteNamed(path: string): void {
    if (this.#isWatched(path)) this.#unsyncedFolders.add(dirname(path));
  }

  noteRenamed(from: string, to: string): void {
    if (!this.#isWatched(to)) return;
    if (this.#unsyncedFiles.delete(from))
      this.#violations.push(`${to}: got its name before its data was synced`);
    this.noteNamed(to);
  }

  #isWatched(path: string): boolean {
    return this.#watched !== '' && path.startsWith(this.#watched);
  }
}
