import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { VencError } from '../../src/shared/errors.js';
import { isTransferOnly } from '../../src/shared/settings/sources.js';
import { formatBytes } from '../../src/shared/text/numbers.js';
import { inputName } from '../ffmpeg/index.js';
import { isLocal } from '../jobs/expected-work.js';
import type { FileFacts } from '../jobs/job.js';
import type { Run } from '../jobs/run.js';
import { decodeInPlace } from '../transfer/decode-file.js';
import { defaultConnections, type Transfer } from '../transfer/transfer.js';
import { type HeldFile, holdInPlace } from '../transports/file/in-place.js';
import { transportWithCredentials } from '../transports/services.js';
import type { Transport } from '../transports/transport.js';
import type { RunLimiter } from './concurrency-limits.js';
import { repeatAfterCut } from './confirmed-claim.js';
import type { DiskReservation } from './disk-reservations.js';
import type { PipelineContext } from './pipeline-context.js';
import type { ReceivedFile } from './produced-file.js';
import { downloadWeight } from './progress-weights.js';
import { inStage, runStage } from './stages.js';

/** The downloaded input. */
export interface DownloadedInput {
  readonly path: string;
  /** Those of the received bytes. */
  readonly file: FileFacts;
  /** The bytes as they were received, if `path` has them decoded; absent if it has the same. */
  readonly received?: ReceivedFile;
  /** The disk space of the job, to be released at its end. */
  readonly reservation: DiskReservation;
  /** Closes an input that is read where it is. To be called at the end of the job. */
  readonly close: () => Promise<void>;
}

/**
 * Downloads the input into the scratch folder, once the limits and the disk space allow it. On failure the job fails
 * and null is returned.
 */
export function download(
  run: Run,
  context: PipelineContext,
  scratch: string,
  limiter: RunLimiter,
): Promise<DownloadedInput | null> {
  const { url } = run.job.input;
  return runStage(
    run,
    () =>
      limiter.runExclusive(isLocal(url) ? 'copies' : 'downloads', run.signal, () =>
        fetch(run, context, scratch, limiter),
      ),
    'DownloadFailureError',
    (failure) => run.change({ type: 'input-failed', failure }),
  );
}

async function fetch(
  run: Run,
  context: PipelineContext,
  scratch: string,
  limiter: RunLimiter,
): Promise<DownloadedInput> {
  const { input } = run.job;
  const path = join(scratch, inputName);
  const owner = { accountId: run.job.accountId, credentials: input.credentials };
  const transport = transportWithCredentials(context, input.url, owner);
  const { inPlace } = input;
  let held: HeldFile | null = null;
  const close = async () => held?.close();
  const receive: Transport['download'] =
    inPlace === undefined
      ? transport.download
      : async (from, toPath, transfer) => {
          held = await holdInPlace(from, inPlace, toPath, transfer);
          return held.facts;
        };
  if (receive === undefined) throw new TypeError('the scheme of the input does not support downloads');
  const sizeOf = async () => inPlace?.sizeBytes ?? (await transport.sizeOf?.(input.url, run.signal)) ?? null;
  const keepsSources = run.job.outputs.some(({ settings }) => settings.source !== undefined);
  const { sequenceNumber } = limiter;
  const reservation = await run.whileWaiting(
    context.space.reserve({ sequenceNumber, sizeOf, keepsSources }, run.signal),
  );
  try {
    const transfer: Transfer = {
      signal: run.signal,
      connections: input.connections ?? defaultConnections,
      needsMd5: input.expectedMd5 !== undefined,
      ...(input.aspera === undefined ? {} : { aspera: input.aspera }),
      onProgress: (done, total) => {
        reservation.setReceived(done, total);
        const percent = total === null || total === 0 ? 0 : (done / total) * 100;
        run.progress(input.id, {
          event: 'downloading',
          percent,
          overallPercent: percent * downloadWeight(input.url),
        });
      },
    };
    const { encoding, ...file } = await inStage(run, { name: 'download' }, () =>
      repeatAfterCut(run, () => receive(input.url, path, transfer)),
    );
    reservation.setReceived(file.sizeBytes, file.sizeBytes);
    const size = formatBytes(file.sizeBytes);
    const how = inPlace === undefined ? 'downloaded' : 'read in place';
    context.log('info', `Job ${run.job.id}: the input is ${how}, ${size}.`, { isDetail: true });
    if (input.expectedMd5 !== undefined && input.expectedMd5 !== file.md5) {
      throw new VencError(
        'ChecksumMismatchError',
        `The input has the MD5 ${file.md5}, not ${input.expectedMd5} (expected_md5_checksum).`,
      );
    }
    if (encoding === undefined) return { path, file, reservation, close };
    const received = await decodeInPlace(path, { encoding, signal: run.signal });
    if (received === path) return { path, file, reservation, close };
    context.log('info', `Job ${run.job.id}: the input was compressed (${encoding}) and is decoded.`, {
      isDetail: true,
    });
    const isTransferred = run.job.outputs.some(
      ({ settings }) => settings.source === undefined && isTransferOnly(settings),
    );
    if (isTransferred) return { path, file, received: { path: received, encoding }, reservation, close };
    await rm(received, { force: true });
    return { path, file, reservation, close };
  } catch (error) {
    reservation.release();
    await close();
    throw error;
  }
}
