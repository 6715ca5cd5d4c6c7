import type { FileFacts } from '../jobs/job.js';
import type { Orphan } from '../transfer/cleanup-journal.js';
import type { Transfer } from '../transfer/transfer.js';

/**
 * Moves whole files between URLs and this machine's disk: one implementation a family of schemes. Every one is held to
 * `test/contracts/transport.ts`.
 *
 * - Nothing stands under a final name, here or there, before it is complete; a transfer that failed or was
 *   stopped leaves nothing behind.
 * - What is returned was measured on the very bytes that passed.
 * - Nothing hangs: a transfer in which nothing moves for the stall timeout ends with a `...TimeoutError`.
 * - Errors are `VencError`s with the class that the table of the contract gives (wrong password, missing file,
 *   refused, unreachable, stalled, no room, forbidden address), the same on every scheme; no message holds a secret.
 */
export interface Transport {
  /** Schemes without the colon, e.g. `http`. */
  readonly schemes: readonly string[];
  /**
   * Why a URL of this scheme cannot be an input (or a destination) here, as a sentence without subject, e.g.
   * "must name a file below one of the --files-root folders"; null where it can. Looks at names and at the disk of the
   * daemon only, never at the network. Absent where the scheme can't be used that way at all.
   */
  readonly checkInput?: (url: string, accountId: string) => Promise<string | null>;
  readonly checkOutput?: (url: string, accountId: string) => Promise<string | null>;
  /** Brings the file at `from` to `toPath`, which does not exist yet. */
  readonly download?: (from: string, toPath: string, transfer: Transfer) => Promise<FileFacts>;
  /** Delivers the file at `fromPath` to `to`. May move the file instead of copying it. */
  readonly upload?: (fromPath: string, to: string, transfer: Transfer) => Promise<FileFacts>;
  /** Takes away a file that `upload` delivered, since the rest of its output came to nothing. That there is none is as good. */
  readonly remove?: (url: string) => Promise<void>;
  /**
   * The size of the file at `from` in bytes, or null where the server does not tell: asked before a download that would have to wait for
   * room. Rejects as a download would.
   */
  readonly sizeOf?: (from: string, signal: AbortSignal) => Promise<number | null>;
  /** Takes away what a killed program left unfinished. That there is nothing any more is as good. */
  readonly removeOrphan?: (orphan: Orphan) => Promise<void>;
}
