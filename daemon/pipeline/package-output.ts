import { rm } from 'node:fs/promises';
import { VencError } from '../../src/shared/errors.js';
import { fileNameInUrl, siblingInUrl, withoutExtension } from '../../src/shared/text/url-text.js';
import type { JobOutput } from '../jobs/job.js';
import type { MediaFacts } from '../jobs/media.js';
import type { Run } from '../jobs/run.js';
import { writeCaptionFiles } from '../packaging/caption-renditions.js';
import { packageRendition } from '../packaging/package-rendition.js';
import type { PackagedPart } from '../packaging/rendition-files.js';
import { verifyRendition } from '../packaging/verify-rendition.js';
import { safeInputArgs } from '../plan/safe-input.js';
import type { EncodedFile } from './encode.js';
import type { PipelineContext } from './pipeline-context.js';
import type { ProducedFile } from './produced-file.js';
import { randomKey, readKey } from './read-key.js';
import { runStage } from './stages.js';

/** A file to deliver, and what packaging revealed, one sentence each. */
interface PackagedOutput {
  readonly file: ProducedFile;
  readonly warnings: readonly string[];
}

/** Segments that are longer than requested by more than this are reported. */
const reportedExcessSeconds = 0.5;

/** Builds of 2018 buffer at most 128 packets of audio by default, while they wait for the first frame of a slow video. */
const decodeArgs = ['-max_muxing_queue_size', '16384', '-f', 'null', '-'] as const;

/**
 * Cuts an encoded output into segments, if it asks for them, and writes their playlist, which then is its file. Writes the captions that
 * belong next to it. On failure the output fails (`SegmentingError`) and null is returned.
 */
export async function packageOutput(
  run: Run,
  context: PipelineContext,
  {
    output,
    encoded,
    scratch,
  }: { readonly output: JobOutput; readonly encoded: EncodedFile; readonly scratch: string },
): Promise<PackagedOutput | null> {
  const { product, media } = encoded;
  const { packaging } = product;
  if (packaging === undefined) {
    const requested = new Set((output.settings.caption_url ?? []).map(({ url }) => url));
    const captionFiles = await writeCaptionFiles(product.captionRenditions ?? [], {
      folder: scratch,
      prefix: `sidecar-${output.id}`,
      stem: withoutExtension(fileNameInUrl(output.destination)),
      // The captions of the request may have such a name themselves.
      isTaken: (name) => requested.has(siblingInUrl(output.destination, name)),
    });
    const files = captionFiles.length === 0 ? {} : { captionFiles };
    return { file: { ...encoded, ...files, file: null }, warnings: [] };
  }
  const prefix = `segments-${output.id}`;
  const cut = async (): Promise<PackagedOutput> => {
    const { encryption: decided } = packaging;
    const key = decided === null ? null : await readKey(run, context, { output, scratch }, decided);
    const captions = product.captionRenditions ?? [];
    const options = {
      folder: scratch,
      prefix,
      packaging,
      captions,
      media,
      key,
      randomKey,
      signal: run.signal,
    };
    const { playlist, files, parts, facts } = await packageRendition(product.path, options);
    await rm(product.path, { force: true });
    // Copied streams may be damaged where their source is. That is reported, and does not end the output.
    const strictness = product.video?.isCopied === true ? [] : ['-xerror'];
    const decode = (path: string) =>
      context.ffmpeg.run([...strictness, ...safeInputArgs(path), ...decodeArgs], {
        signal: run.signal,
        scratch,
        onProgress: () => {},
      });
    const name = `${prefix}-check`;
    for (const part of parts)
      await verifyRendition(part, {
        durationSeconds: durationOf(part, media),
        folder: scratch,
        name,
        decode,
      });
    const longest = facts.longestSegmentSeconds;
    return {
      file: { product: playlist, rendition: { files, facts }, media, file: null },
      warnings:
        longest > packaging.segmentSeconds + reportedExcessSeconds
          ? [
              `The longest segment has ${longest.toFixed(1)} seconds instead of ${packaging.segmentSeconds}, because segments begin at keyframes.`,
            ]
          : [],
    };
  };
  return runStage(
    run,
    () =>
      cut().catch((error: unknown) => {
        if (!(error instanceof RangeError)) throw error;
        const message = `The output could not be cut into segments: ${error.message}.`;
        throw new VencError('SegmentingError', message, { cause: error });
      }),
    'SegmentingError',
    (failure) => run.change({ type: 'output-failed', id: output.id, failure }),
  );
}

/** The duration of the file that was cut, as far as a part has it; null if it is not known. */
function durationOf({ kind }: PackagedPart, { video, audio, durationSeconds }: MediaFacts): number | null {
  return (kind === 'audio' ? audio?.durationSeconds : video?.durationSeconds) ?? durationSeconds;
}
