import { parse } from 'node:path';
import { mapWithConcurrency } from '../../../src/shared/util/semaphore.js';
import type { ExpiryTimer } from '../../hosted-files/expiry-timer.js';
import { isToken } from '../../hosted-files/file-ref.js';
import { isExpired, neededRecheckMs } from '../../hosted-files/hosted-file-store-state.js';
import {
  type BucketFileStoreState,
  expiredPath,
  readStoredUpload,
  recordPath,
  renewUpload,
} from './bucket-file-store-state.js';

/** Objects are deleted one by one, because not every compatible server deletes several with one request. */
export const maxParallelRemovals = 8;

/** How long the marker of an expired token is kept: 30 days. */
const markerRetentionMs = 30 * 86_400_000;
/** How often each daemon looks for old markers and records without a file. */
const oldMarkersIntervalMs = 86_400_000;
/** How long a token is left alone whose files are being written. */
const activeDelayMs = 60_000;

/** Deletes the expired files of a store in a bucket. Several daemons may do that at once. */
export interface BucketExpiry {
  /**
   * Deletes the files of a token if all of them have expired. They are deleted together, so that none is `unknown` before it is `gone`.
   * Resolves to the expiry time of the last file, or null if no file is left.
   */
  removeExpiredToken(token: string): Promise<Date | null>;
  /** Deletes all that has expired, and schedules the expiry of the tokens that the timer does not know. */
  removeExpired(expiryTimer: ExpiryTimer): Promise<void>;
  /** Ends all requests. */
  close(): void;
}

/** Creates the expiry of a store. */
export function createBucketExpiry(state: BucketFileStoreState): BucketExpiry {
  const { folder, kind } = state;
  const closed = new AbortController();
  const { signal } = closed;
  let oldMarkersAtMs = Number.NEGATIVE_INFINITY;

  const removeExpiredToken = async (token: string): Promise<Date | null> => {
    if (state.activeTokens.has(token)) return new Date(state.now().getTime() + activeDelayMs);
    const objects = await folder.list(`${kind}/${token}/`, signal);
    if (objects.length === 0) return null;
    const latestMs = Math.max(...objects.map(({ modifiedAt }) => modifiedAt.getTime()));
    const storedAt = isExpired(state, new Date(latestMs))
      ? (await readStoredUpload(state, token, signal))?.storedAt
      : undefined;
    const latest = storedAt === undefined ? new Date(latestMs) : new Date(storedAt);
    if (!isExpired(state, latest)) return new Date(latest.getTime() + state.retentionSeconds * 1000);
    if ((await state.needOf(token)) !== null) {
      const recheckMs = state.renewsNeeded ? state.retentionSeconds * 1000 : neededRecheckMs;
      if (state.renewsNeeded) await renewUpload(state, token, signal);
      return new Date(state.now().getTime() + recheckMs);
    }
    // The marker comes first, so that files are `gone` and never `unknown`, also after a crash here.
    await folder.writeText(expiredPath(state, token), '{}', signal);
    await mapWithConcurrency(objects, maxParallelRemovals, ({ key }) => folder.remove(key, signal));
    if (kind === 'uploads') await folder.remove(recordPath(state, token), signal);
    return null;
  };

  /** Deletes the markers of long ago, and the records of uploads that failed while they were completed. */
  const removeOldMarkers = async (tokens: ReadonlySet<string>): Promise<void> => {
    const nowMs = state.now().getTime();
    if (nowMs - oldMarkersAtMs < oldMarkersIntervalMs) return;
    const markers = await folder.list(`${kind}/.expired/`, signal);
    const oldMarkers = markers.filter(({ modifiedAt }) => nowMs - modifiedAt.getTime() >= markerRetentionMs);
    const records = kind === 'uploads' ? await folder.list(`${kind}/.records/`, signal) : [];
    const orphans = records.filter(
      ({ key, modifiedAt }) => isExpired(state, modifiedAt) && !tokens.has(parse(key).name),
    );
    await mapWithConcurrency([...oldMarkers, ...orphans], maxParallelRemovals, ({ key }) =>
      folder.remove(key, signal),
    );
    oldMarkersAtMs = nowMs;
  };

  return {
    removeExpiredToken,
    async removeExpired(expiryTimer) {
      const tokens = (await folder.listFolders(`${kind}/`, signal)).filter(isToken);
      // The timer checks them when they are due. Listing each token every time would cost as many requests as there are outputs.
      const unknown = tokens.filter((token) => !expiryTimer.isScheduled(token));
      await mapWithConcurrency(unknown, maxParallelRemovals, async (token) => {
        const due = await removeExpiredToken(token);
        if (due !== null) expiryTimer.scheduleAt(token, due);
      });
      await removeOldMarkers(new Set(tokens));
    },
    close: () => closed.abort(),
  };
}
