import { invalidRequest, VencError } from '../../src/shared/errors.js';
import {
  workerClaimFields,
  workerCredentialsFields,
  workerHeartbeatFields,
  workerJoinFields,
} from '../../src/shared/records/worker-messages.js';
import { fileNameInUrl, siblingInUrl } from '../../src/shared/text/url-text.js';
import { claimLostError, isKnownClaim } from '../jobs/claims.js';
import type { FileFacts, Job, JobOutput, OutputDestination, RenditionFacts } from '../jobs/job.js';
import type { Change } from '../jobs/legal-changes.js';
import { parseRecord } from '../jobs/parse-record.js';
import type { Credential } from '../jobs/saved-credentials.js';
import { isFileOf, parseWorkerChange } from '../jobs/worker-changes.js';
import type { ClaimAnswer, HeartbeatAnswer, JoinAnswer } from '../jobs/worker-protocol.js';
import type { AppContext } from './app-context.js';
import { isCredentialOfJob, isDeliveredByDaemon, isPartName } from './worker-urls.js';

/** A claim as a worker names it. */
export interface NamedClaim {
  readonly jobId: number;
  readonly token: string;
}

/** Admits a worker. Labels are compared in lower case, as jobs have them. */
export async function joinWorker(
  { remoteClaims, log }: Pick<AppContext, 'remoteClaims' | 'log'>,
  body: unknown,
  keyId: string | null = null,
): Promise<JoinAnswer> {
  const request = parseRecord(workerJoinFields, body);
  const labels = request.labels.map((label) => label.toLowerCase());
  const answer = await remoteClaims.join({ ...request, labels }, keyId);
  log('info', `The worker ${answer.name} has joined (venc ${request.version}, ffmpeg ${request.ffmpeg}).`);
  return answer;
}

/** The outcome of a wait for a job: a claim, or none and whether the worker is to take no further jobs. */
type ClaimOutcomeOfWorker =
  | { readonly claim: ClaimAnswer }
  | { readonly claim: null; readonly isDraining: boolean };

/**
 * Waits for a job for a worker, at most for the given time; not at all for one that takes none now. If the worker has disconnected meanwhile, its claim ends
 * and the job waits again.
 */
export async function claimForWorker(
  { remoteClaims, workers }: Pick<AppContext, 'remoteClaims' | 'workers'>,
  body: unknown,
  {
    signal,
    timeoutMs,
    keyId = null,
  }: { readonly signal: AbortSignal; readonly timeoutMs: number; readonly keyId?: string | null },
): Promise<ClaimOutcomeOfWorker> {
  const { workerId, closedBy, closedUntil = null } = parseRecord(workerClaimFields, body);
  if (closedBy !== undefined) await workers.find(workerId, { by: closedBy, until: closedUntil });
  const answer = closedBy === undefined ? await remoteClaims.claim(workerId, signal, timeoutMs, keyId) : null;
  if (answer === null) return { claim: null, isDraining: await workers.isDraining(workerId) };
  const endClaim = () => void remoteClaims.end(answer.job.id, answer.token);
  // The client may also disconnect before it has the whole answer.
  if (signal.aborted) endClaim();
  else signal.addEventListener('abort', endClaim, { once: true });
  return { claim: answer };
}

/** Records a worker's heartbeat. */
export async function receiveHeartbeat(
  { remoteClaims }: Pick<AppContext, 'remoteClaims'>,
  { jobId, token }: NamedClaim,
  body: unknown,
  keyId: string | null = null,
): Promise<HeartbeatAnswer> {
  const request = parseRecord(workerHeartbeatFields, body);
  const job = await remoteClaims.reportedJob(jobId, token);
  const unknown = [
    ...request.progress.flatMap(({ id }, index) => (isFileOf(job, id) ? [] : [`progress[${index}].id`])),
    ...request.log.flatMap(({ outputId = job.input.id }, index) =>
      isFileOf(job, outputId) ? [] : [`log[${index}].outputId`],
    ),
  ];
  if (unknown.length > 0)
    throw invalidRequest(unknown.map((name) => `${name} must be the id of a file of job ${jobId}`));
  // A line is a detail, or has no such member.
  const log = request.log.map(({ isDetail, ...line }) => (isDetail === true ? { ...line, isDetail } : line));
  return remoteClaims.heartbeat(jobId, token, { ...request, log }, keyId);
}

/** Stores a change of a job by its worker. */
export async function changeByWorker(
  { remoteClaims, store, workerFiles }: Pick<AppContext, 'remoteClaims' | 'store' | 'workerFiles'>,
  { jobId, token }: NamedClaim,
  body: unknown,
): Promise<Job> {
  // A change may be repeated after the end of its claim; `change` checks the claim.
  const job = await store.get(jobId);
  if (job === null || token === '' || !isKnownClaim(job, token)) throw claimLostError(jobId);
  const { number, change } = parseWorkerChange(job, body);
  if (job.claim === token) requireOwnFiles(job, change, (url) => workerFiles.deliveredFile(token, url));
  return remoteClaims.change(jobId, token, number, change);
}

/** The saved credentials for a URL of the job of a claim; null if there are none. */
export async function findWorkerCredentials(
  { remoteClaims, savedCredentials }: Pick<AppContext, 'remoteClaims' | 'savedCredentials'>,
  { jobId, token }: NamedClaim,
  body: unknown,
): Promise<Credential | null> {
  const request = parseRecord(workerCredentialsFields, body);
  // A worker removes what it has delivered of a cancelled job with them.
  const job = await remoteClaims.jobOf(jobId, token, true);
  if (!isCredentialOfJob(job, request))
    throw new VencError('ForbiddenError', `Job ${jobId} has no URL that these credentials are for.`);
  return savedCredentials.find({ accountId: job.accountId, ...request });
}

type FinishedOutput = Extract<Change, { readonly type: 'output-finished' }>;

/**
 * Checks that a remote worker reports only files that its output has: those next to it by their names, and a file that
 * the daemon delivered by its size and checksum. Throws `ForbiddenError` otherwise. `delivered` returns what this
 * daemon delivered for the claim.
 */
function requireOwnFiles(job: Job, change: Change, delivered: (url: string) => FileFacts | null): void {
  if (change.type !== 'output-finished') return;
  const output = job.outputs.find(({ id }) => id === change.id);
  if (output === undefined) return;
  const place = change.primaryUploadError === undefined ? output : (output.secondary ?? output);
  const foreign = partNames(change).find((name) => !isNameAt(output, place, name));
  if (foreign !== undefined)
    throw new VencError(
      'ForbiddenError',
      `Output ${output.id} of job ${job.id} cannot have a file with the name ${foreign}: the worker reported a file that is not one of the job.`,
    );
  const difference = differenceOf(change, output, delivered(place.destination));
  if (isDeliveredByDaemon(place.destination) && difference !== null)
    throw new VencError(
      'ForbiddenError',
      `The daemon received a file with another ${difference} for output ${output.id} of job ${job.id} than the worker reported.`,
    );
}

/**
 * In what the delivered file differs from the reported one; null if it does not, or if it was delivered before this
 * start of the daemon.
 */
function differenceOf(
  { file, rendition }: FinishedOutput,
  { settings }: JobOutput,
  known: FileFacts | null,
): string | null {
  if (known === null) return null;
  if (known.md5 !== file.md5) return 'checksum';
  // The size of segments is that of all files, as is that of a playlist with its manifest.
  const isOfSeveral = rendition !== undefined || settings.packaging !== undefined;
  const isOther = isOfSeveral ? known.sizeBytes > file.sizeBytes : known.sizeBytes !== file.sizeBytes;
  return isOther ? 'size' : null;
}

function isNameAt(output: JobOutput, place: Pick<OutputDestination, 'destination'>, name: string): boolean {
  // The captions of an output that is captions are in its own playlist.
  if (name === fileNameInUrl(place.destination) || name === fileNameInUrl(output.destination)) return true;
  const url = siblingInUrl(place.destination, name);
  return isPartName(output, place, name) && !output.settings.caption_url?.some((given) => given.url === url);
}

function partNames({ captionFiles = [], rendition }: FinishedOutput): readonly string[] {
  return [...captionFiles.map(({ name }) => name), ...(rendition === undefined ? [] : namesIn(rendition))];
}

/**
 * The names of files in the facts of a rendition. A track whose segments are files of their own has a name that they
 * begin with.
 */
function namesIn({ keyframes, captions = [], tracks = [] }: RenditionFacts): readonly string[] {
  const ofTracks = tracks.flatMap(({ playlist, files }) => [
    playlist,
    ...(files.by === 'segment' ? [files.header, `${files.stem}-00001.m4s`] : [files.name]),
  ]);
  const ofCaptions = captions.flatMap(({ playlist, file }) => [playlist, file]);
  return [keyframes?.name, ...ofTracks, ...ofCaptions].filter((name) => name !== undefined);
}
