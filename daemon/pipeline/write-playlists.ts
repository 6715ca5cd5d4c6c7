import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { VencError } from '../../src/shared/errors.js';
import { isPlaylist, playlistExtension } from '../../src/shared/settings/playlists.js';
import { isFinal } from '../../src/shared/states.js';
import type { Job, JobOutput } from '../jobs/job.js';
import type { MediaFacts } from '../jobs/media.js';
import { manifestNameOf, outputsOfPlaylist } from '../jobs/playlists.js';
import type { Run } from '../jobs/run.js';
import { composeManifest } from '../packaging/compose-manifest.js';
import { composePlaylist } from '../packaging/compose-playlist.js';
import { composeSmil } from '../packaging/compose-smil.js';
import { streamsOf } from '../packaging/playlist-sources.js';
import { findMisalignment, type NamedTimes, type SegmentTimes } from '../packaging/verify-alignment.js';
import type { RunLimiter } from './concurrency-limits.js';
import { deliver } from './deliver.js';
import type { PipelineContext } from './pipeline-context.js';
import type { ProducedFile } from './produced-file.js';
import { runStage } from './stages.js';

/** What records show of a playlist. */
const playlistMedia: MediaFacts = {
  format: 'm3u8',
  durationSeconds: null,
  totalBitrateKbps: null,
  video: null,
  audio: null,
};

/** What writing the playlists of a job needs. */
interface PlaylistOptions {
  readonly scratch: string;
  readonly limiter: RunLimiter;
  /** When the segments of outputs begin. Those of earlier runs of the job are unknown. */
  readonly segmentTimes: ReadonlyMap<number, SegmentTimes>;
}

/**
 * Returns a function that writes and delivers the playlists of a job (`type: playlist`) of which all outputs have
 * ended, each once: at no time does one name a file that is not in place. It is to be called whenever an output has
 * ended. A playlist fails if an output that it names failed.
 */
export function createPlaylistWriter(
  context: PipelineContext,
  options: PlaylistOptions,
): (run: Run, job: Job) => Promise<void> {
  const begun = new Set<number>();
  return async (run, job) => {
    const ready = job.outputs.filter(
      (output) =>
        isPlaylist(output.settings) &&
        !isFinal(output.state) &&
        !begun.has(output.id) &&
        outputsOfPlaylist(job.outputs, output).every(({ state }) => isFinal(state)),
    );
    for (const { id } of ready) begun.add(id);
    for (const { id } of ready) await writePlaylist(run, context, id, options);
  };
}

async function writePlaylist(
  run: Run,
  context: PipelineContext,
  id: number,
  { scratch, limiter, segmentTimes }: PlaylistOptions,
): Promise<void> {
  const job = await run.change({ type: 'output-queued', id });
  const output = job.outputs.find((one) => one.id === id);
  if (output === undefined) throw new TypeError('a job lost an output');
  await run.change({ type: 'output-started', id });
  const composed = await runStage(
    run,
    async () => {
      const warnings = verifyAlignment(output, job.outputs, segmentTimes);
      const made = await compose(output, job.outputs, join(scratch, `playlist-${id}`));
      return { ...made, warnings: [...warnings, ...made.warnings] };
    },
    'SegmentingError',
    (failure) => run.change({ type: 'output-failed', id, failure }),
  );
  if (composed === null) return;
  const writeFor = async (second: JobOutput) =>
    (await compose(second, job.outputs, join(scratch, `playlist-${id}-second`))).encoded;
  await deliver(run, context, { output, ...composed, thumbnails: [], writeFor, scratch, limiter });
}

/**
 * Verifies that the segments of the renditions of a playlist begin together. Throws `SegmentingError` if they do not,
 * or returns a warning if that is because a rendition copies the video of the input.
 */
function verifyAlignment(
  playlist: JobOutput,
  outputs: readonly JobOutput[],
  segmentTimes: ReadonlyMap<number, SegmentTimes>,
): readonly string[] {
  if (playlistExtension(playlist.settings, playlist.destination) === '.smil') return [];
  const renditions = streamsOf(playlist, outputs).flatMap(({ source }): readonly NamedTimes[] => {
    const times = source === null ? undefined : segmentTimes.get(source.id);
    return source === null || times === undefined
      ? []
      : [{ ...times, name: source.label ?? `output ${source.id}` }];
  });
  const found = findMisalignment(renditions);
  if (found === null) return [];
  const message = `The segments of the renditions do not begin together: ${found}.`;
  if (renditions.some(({ isInputCopied }) => isInputCopied)) return [message];
  throw new VencError('SegmentingError', message);
}

/** Writes a playlist, a manifest, or both (`packaging: cmaf`), whose second file belongs next to the first. */
async function compose(
  output: JobOutput,
  outputs: readonly JobOutput[],
  path: string,
): Promise<{ readonly encoded: ProducedFile; readonly warnings: readonly string[] }> {
  const { settings, destination } = output;
  const isBoth = settings.packaging === 'cmaf';
  const extension = playlistExtension(settings, destination);
  const { text, warnings } =
    extension === '.m3u8'
      ? composePlaylist(output, outputs)
      : { text: (extension === '.mpd' ? composeManifest : composeSmil)(output, outputs), warnings: [] };
  await writeFile(path, text);
  const encoded = { product: { path }, media: { ...playlistMedia, format: extension.slice(1) }, file: null };
  if (!isBoth) return { encoded, warnings };
  const manifest = composeManifest(output, outputs);
  const file = { path: `${path}.mpd`, name: manifestNameOf(output), sizeBytes: Buffer.byteLength(manifest) };
  await writeFile(file.path, manifest);
  return { encoded: { ...encoded, rendition: { files: [file] } }, warnings };
}
