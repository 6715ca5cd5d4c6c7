import { VencError } from '../../src/shared/errors.js';
import { fileNameInUrl, siblingInUrl } from '../../src/shared/text/url-text.js';
import type { FileFacts, Job, JobOutput, OutputDestination, RenditionFacts } from '../jobs/job.js';
import type { Change } from '../jobs/legal-changes.js';
import { isDeliveredByDaemon, isPartName } from './worker-urls.js';

type FinishedOutput = Extract<Change, { readonly type: 'output-finished' }>;

/**
 * Checks that a remote worker reports only files that its output has: those next to it by their names, and a file that the daemon delivered by
 * its size and checksum. Throws `ForbiddenError` otherwise. `delivered` returns what this daemon delivered for the claim.
 */
export function requireOwnFiles(
  job: Job,
  change: Change,
  delivered: (url: string) => FileFacts | null,
): void {
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
  const difference = differenceOf(change, delivered(place.destination));
  if (isDeliveredByDaemon(place.destination) && difference !== null)
    throw new VencError(
      'ForbiddenError',
      `The daemon received a file with another ${difference} for output ${output.id} of job ${job.id} than the worker reported.`,
    );
}

/** In what the delivered file differs from the reported one; null if it does not, or if it was delivered before this start of the daemon. */
function differenceOf({ file, rendition }: FinishedOutput, known: FileFacts | null): string | null {
  if (known === null) return null;
  if (known.md5 !== file.md5) return 'checksum';
  // The size of segments is that of all files.
  const isOther =
    rendition === undefined ? known.sizeBytes !== file.sizeBytes : known.sizeBytes > file.sizeBytes;
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

/** The names of files in the facts of a rendition. A track whose segments are files of their own has a name that they begin with. */
function namesIn({ keyframes, captions = [], tracks = [] }: RenditionFacts): readonly string[] {
  const ofTracks = tracks.flatMap(({ playlist, files }) => [
    playlist,
    ...(files.by === 'segment' ? [files.header, `${files.stem}-00001.m4s`] : [files.name]),
  ]);
  const ofCaptions = captions.flatMap(({ playlist, file }) => [playlist, file]);
  return [keyframes?.name, ...ofTracks, ...ofCaptions].filter((name) => name !== undefined);
}
