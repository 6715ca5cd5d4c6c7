import type { SsrfGuard } from '../../net/ssrf-guard.js';
import type { CleanupJournal } from '../../transfer/orphans.js';
import type { RemoteOptions } from '../../transfer/with-retry.js';
import type { Services } from '../services.js';

/** A guard that lets connections to some hosts pass though they are private: those that the daemon's own configuration leads to. */
export type SsrfGuardFactory = (exemptHosts: readonly string[]) => SsrfGuard;

/** What transfers from and to Swift depend on. */
export interface SwiftOptions extends Omit<RemoteOptions, 'guard'> {
  readonly guardFor: SsrfGuardFactory;
  readonly service: Services['swift'];
  readonly cleanupJournal: CleanupJournal;
  /** The largest file that goes up as one object, in bytes; the service's own limit of 5 GiB where it is not given. */
  readonly maxObjectBytes?: number;
  /** Size of the segments of larger ones, in bytes; 1 GiB where it is not given. */
  readonly segmentBytes?: number;
}
