import { fileNameInUrl, siblingInUrl } from '../../src/shared/text/url-text.js';
import { applyAsHolder } from '../jobs/changes.js';
import type { Job, JobOutput, OutputDestination } from '../jobs/job.js';
import { s3UrlOf } from '../jobs/s3-web-url.js';
import { sourceUrlsOf } from '../jobs/source-urls.js';
import { thumbnailSets } from '../jobs/thumbnails.js';
import type { CredentialsRequest } from '../jobs/worker-protocol.js';
import { createReplacementGuard, isDeliveredBy, requireFreePlaces } from '../pipeline/replacement-guard.js';
import { thumbnailPatterns } from '../pipeline/written-files.js';
import { partNamePattern } from '../plan/part-names.js';
import type { ReplacementGuard } from '../transfer/transfer.js';
import { schemeOf } from '../transports/registry.js';
import { credentialUse } from '../transports/services.js';
import type { AppContext } from './app-context.js';

/*
 * What a remote worker may ask the daemon for: only the files and credentials that its job names.
 */

/** A URL of a job, and the name of the credentials that the request gives for it. */
interface NamedUrl {
  readonly url: string;
  readonly credentials: string | undefined;
}

/** Schemes of files that the daemon reads or delivers for a worker. */
const localSources: ReadonlySet<string | null> = new Set(['upload', 'file']);
const localDestinations: ReadonlySet<string | null> = new Set(['hosted', 'file']);

/** Whether a URL is a file that the job reads and that only the daemon has. */
export function isReadableByWorker(job: Job, url: string): boolean {
  return localSources.has(schemeOf(url)) && sourcesOf(job).some((source) => source.url === url);
}

/**
 * Whether a URL is a destination of the job, or of a file that belongs next to it, and only the daemon can write it.
 */
export function isWritableByWorker(job: Job, url: string): boolean {
  return isDeliveredByDaemon(url) && outputAt(job, url) !== null;
}

/** The output of a job that may deliver a file to a URL; null if there is none. */
function outputAt(job: Job, url: string): JobOutput | null {
  const isAt = (output: JobOutput) =>
    placesOf(output).some(
      (place) =>
        place.destination === url ||
        isPartOf(output, place, url) ||
        thumbnailPatterns(output, place).some((pattern) => pattern.test(url)),
    );
  return job.outputs.find(isAt) ?? null;
}

/** Whether the credentials that a worker asks for are those of a URL of its job. */
export function isCredentialOfJob(job: Job, { scheme, name }: CredentialsRequest): boolean {
  return namedUrlsOf(job).some(
    ({ url, credentials = null }) =>
      credentialUse(url) === 'saved' && schemeOf(url) === scheme && credentials === name,
  );
}

/**
 * The URLs that a job reads and delivers to, except for files next to its outputs, which have the credentials of these.
 */
export function namedUrlsOf(job: Job): readonly NamedUrl[] {
  return [...sourcesOf(job), ...destinationsOf(job)];
}

/** The input, and the files that outputs need besides it. */
function sourcesOf({ input, outputs }: Job): readonly NamedUrl[] {
  const ofOutputs = outputs.flatMap(({ settings }) => {
    // The pipeline uses the credentials of the output, or those of the job.
    return sourceUrlsOf(settings).flatMap((url) =>
      [settings.credentials, input.credentials].map((credentials) => ({ url, credentials })),
    );
  });
  return [{ url: input.url, credentials: input.credentials }, ...ofOutputs];
}

function destinationsOf({ outputs }: Job): readonly NamedUrl[] {
  return outputs.flatMap((output) => {
    const { settings } = output;
    const own = placesOf(output).map(({ destination }) => destination);
    const ofThumbnails = thumbnailSets(settings).flatMap(({ base_url: url, credentials }) =>
      url === undefined
        ? []
        : [{ url: s3UrlOf(url) ?? url, credentials: credentials ?? settings.credentials }],
    );
    return [...own.map((url) => ({ url, credentials: settings.credentials })), ...ofThumbnails];
  });
}

/** Whether only the daemon can write to a URL. */
export function isDeliveredByDaemon(url: string): boolean {
  return localDestinations.has(schemeOf(url));
}

function placesOf({ destination, url, secondary }: JobOutput): readonly OutputDestination[] {
  return [{ destination, url }, ...(secondary === undefined ? [] : [secondary])];
}

/**
 * Whether a URL is that of a file next to an output: a segment, a playlist, a key or captions, but not one that the job
 * reads.
 */
function isPartOf(output: JobOutput, place: OutputDestination, url: string): boolean {
  const name = fileNameInUrl(url);
  if (name.includes('/') || url !== siblingInUrl(place.destination, name)) return false;
  return isPartName(output, place, name) && !output.settings.caption_url?.some((given) => given.url === url);
}

/**
 * Whether an output may have a file with this name next to it. At the secondary URL most of them have the names of the
 * first one.
 */
export function isPartName(
  { settings, destination }: JobOutput,
  place: Pick<OutputDestination, 'destination'>,
  name: string,
): boolean {
  return [destination, place.destination].some((url) =>
    partNamePattern(settings, fileNameInUrl(url))?.test(name),
  );
}

/*
 * The files of this machine that a remote worker delivers through the daemon are guarded as those of its own runs are.
 */

/** A URL of the job of a claim. */
interface UrlOfClaim {
  readonly job: Job;
  readonly token: string;
  readonly url: string;
}

/** The guard for a file that a worker delivers to a URL. */
export function replacementFor(
  { store, now }: Pick<AppContext, 'store' | 'now'>,
  { job, token, url }: UrlOfClaim,
): ReplacementGuard {
  let latest = job;
  const id = outputAt(job, url)?.id ?? 0;
  return createReplacementGuard({
    outputId: id,
    job: () => latest,
    async store(files) {
      latest = await store.update(job.id, (stored) =>
        applyAsHolder(stored, token, { type: 'output-delivering', id, files }, now()),
      );
    },
  });
}

/**
 * Rejects with `UploadFailureError` if a file of this machine is in the way of the output that is delivered to a URL.
 */
export async function requireFreePlaceAt(job: Job, url: string): Promise<void> {
  const output = job.outputs.find(({ destination }) => destination === url);
  if (output !== undefined) await requireFreePlaces(job, output);
}

/** A function that finds out, by its identity, whether the output that is delivered to a URL delivered a file. */
export function isOwnFile(job: Job, url: string): (file: string) => boolean {
  const output = outputAt(job, url);
  return (file) => output !== null && isDeliveredBy(output, file);
}
