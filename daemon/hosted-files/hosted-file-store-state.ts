import { join } from 'node:path';
import type { KeyedMutex } from '../../src/shared/util/semaphore.js';

/** Options of a hosted file store. */
export interface HostedFileStoreOptions {
  readonly now: () => Date;
  /** An unguessable token of letters and digits. */
  readonly randomToken: () => string;
  /** How long a body may send nothing before it is given up, in milliseconds. */
  readonly stallTimeoutMs: number;
  /** How long a file stays; 24 hours where it is not given. */
  readonly retentionSeconds?: number;
  /** Room that receiving leaves on the volume for everything else; none where it is not given. */
  readonly minFreeBytes?: number;
}

/**
 * What the parts of a hosted file store share. Its folder holds TOKEN/NAME, and two folders of its own whose names are no tokens:
 * unfinished files, and what is known about received ones.
 */
export interface HostedFileStoreState extends Required<HostedFileStoreOptions> {
  readonly folder: string;
  readonly mutex: KeyedMutex<string>;
}

/** Folder of the files that are not yet whole; each is named after its token. */
export function unfinishedFolder(state: HostedFileStoreState): string {
  return join(state.folder, '.unfinished');
}

/** Folder of what is known about received files, one document a token. */
export function recordsFolder(state: HostedFileStoreState): string {
  return join(state.folder, '.records');
}

/** Whether a file that was put down at a time is past its own. */
export function isExpired(state: HostedFileStoreState, modifiedAt: Date): boolean {
  return state.now().getTime() - modifiedAt.getTime() >= state.retentionSeconds * 1000;
}
