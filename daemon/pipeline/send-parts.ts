import { siblingInUrl } from '../../src/shared/text/url-text.js';
import { mapWithConcurrency } from '../../src/shared/util/semaphore.js';
import { videoAccess } from '../jobs/file-access.js';
import type { FileFacts, JobOutput } from '../jobs/job.js';
import { objectHeaders } from '../jobs/object-headers.js';
import type { PackagedFile } from '../packaging/write-segments.js';
import type { Transfer } from '../transfer/transfer.js';
import { schemeOf } from '../transports/registry.js';
import type { ProducedFile } from './produced-file.js';

/** Delivers one file of the scratch folder, and removes it there. */
export type SendFile = (path: string, to: string, transfer: Omit<Transfer, 'signal'>) => Promise<FileFacts>;

/**
 * Sends some files, at most `limit` at a time. After the first error no other is started, and those that run are
 * awaited.
 */
export async function sendConcurrently<T>(
  files: readonly T[],
  limit: number,
  send: (file: T) => Promise<unknown>,
): Promise<void> {
  const errors: unknown[] = [];
  await mapWithConcurrency(files, limit, async (file) => {
    if (errors.length === 0) await send(file).catch((error: unknown) => errors.push(error));
  });
  if (errors.length > 0) throw errors[0];
}

/**
 * How many segments of an output are uploaded at once by default (`parallel_upload_limit`), and at most for servers of
 * files.
 */
const defaultUploads = { s3: 30, others: 10 } as const;
const maxServerUploads = 4;
const serverSchemes: ReadonlySet<string> = new Set(['ftp', 'ftps', 'sftp']);

/** How many files of an output are uploaded to a URL at once. */
function concurrentUploads(url: string, limit: number | undefined): number {
  const scheme = schemeOf(url) ?? '';
  const requested = limit ?? (scheme === 's3' ? defaultUploads.s3 : defaultUploads.others);
  return serverSchemes.has(scheme) ? Math.min(requested, maxServerUploads) : requested;
}

/** The files that belong next to the main one. */
export function partsOf({ rendition, captionFiles = [], qualityLog }: ProducedFile): readonly PackagedFile[] {
  return [...(rendition?.files ?? []), ...captionFiles, ...(qualityLog === undefined ? [] : [qualityLog])];
}

/**
 * Delivers the files that belong next to the main one, which is delivered after them: the segments of a playlist,
 * captions and scores. `onBytes` is called with the bytes that were sent so far.
 */
export async function sendParts(
  { settings, destination }: Pick<JobOutput, 'settings' | 'destination'>,
  produced: ProducedFile,
  send: SendFile,
  onBytes: (doneBytes: number) => void,
): Promise<void> {
  const parts = partsOf(produced);
  const limit = concurrentUploads(destination, settings.parallel_upload_limit);
  const sent = new Map<string, number>();
  let sum = 0;
  // Playlists of other segments belong to them, so they follow.
  const groups = [false, true].map((isPlaylist) =>
    parts.filter(({ name }) => isPlaylistName(name) === isPlaylist),
  );
  for (const files of groups) {
    await sendConcurrently(files, limit, ({ path, name }) =>
      send(path, siblingInUrl(destination, name), {
        onProgress: (done) => {
          sum += done - (sent.get(name) ?? 0);
          sent.set(name, done);
          onBytes(sum);
        },
        access: videoAccess(settings),
        headers: partHeaders(settings, destination, name),
      }),
    );
  }
}

/** The headers of a file of a segmented output: a given type is that of its segments. */
export function partHeaders(
  settings: JobOutput['settings'],
  destination: string,
  name: string,
): Readonly<Record<string, string>> {
  const { 'content-type': type, ...others } = objectHeaders(settings, schemeOf(destination));
  return type === undefined || !isSegmentName(name) ? others : { ...others, 'content-type': type };
}

function isSegmentName(name: string): boolean {
  return !isPlaylistName(name) && !/\.(?:key|vtt|json)$/.test(name);
}

/** Whether a file of an output lists others, by its name. */
export function isPlaylistName(name: string): boolean {
  return /\.(?:m3u8|mpd)$/i.test(name);
}
