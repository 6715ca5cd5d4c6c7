import type { Guard } from '../../net/ssrf-guard.js';
import type { LeftoverBook } from '../../transfer/orphans.js';
import type { RemoteOptions } from '../../transfer/with-retry.js';
import type { Services } from '../services.js';

/** A guard that lets connections to some hosts pass though they are private: those that the daemon's own configuration leads to. */
export type GuardFor = (exemptHosts: readonly string[]) => Guard;

/** What transfers from and to Swift depend on. */
export interface SwiftOptions extends Omit<RemoteOptions, 'guard'> {
  readonly guardFor: GuardFor;
  readonly service: Services['swift'];
  readonly leftovers: LeftoverBook;
  /** The largest file that goes up as one object, in bytes; the service's own limit of 5 GiB where it is not given. */
  readonly maxObjectBytes?: number;
  /** Size of the segments of larger ones, in bytes; 1 GiB where it is not given. */
  readonly segmentBytes?: number;
}
