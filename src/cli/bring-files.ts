import type { RequestFields } from '../api/settings/flag-values.js';
import type { FileToUpload } from './upload-file.js';

/** Brings a local file to where the service can fetch it, and gives its address. */
export type BringFile = (file: FileToUpload) => Promise<string>;

/** Brings files one after the other, and gives their new addresses by the old ones. */
export async function bringFiles(
  files: ReadonlyMap<string, FileToUpload>,
  bring: BringFile,
): Promise<ReadonlyMap<string, string>> {
  const addresses = new Map<string, string>();
  for (const [address, file] of files) addresses.set(address, await bring(file));
  return addresses;
}

/** The request with the new addresses of its watermarks. */
export async function withAddresses(
  request: Record<string, unknown>,
  addresses: ReadonlyMap<string, string>,
): Promise<Record<string, unknown>> {
  if (addresses.size === 0) return request;
  const { replaceWatermarks } = await import('./local-watermarks.js');
  return replaceWatermarks(request, addresses);
}

/** Complains of values that no service takes before a long upload, not after it. `input` stands in for one that is still to come. */
export async function refuseWrongValues(request: RequestFields, input: object): Promise<void> {
  const [{ readJobRequest }, { invalidRequest }] = await Promise.all([
    import('../api/settings/read.js'),
    import('../api/errors.js'),
  ]);
  const reading = readJobRequest({ ...request, ...input }, { maxOutputs: Number.POSITIVE_INFINITY });
  if (!reading.ok) throw invalidRequest(reading.complaints);
}
