import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isCaptions } from '../../src/shared/settings/captions.js';
import { fileNameInUrl } from '../../src/shared/text/url-text.js';
import { type Captions, normalizeCues } from '../captions/cues.js';
import { parseSubrip } from '../captions/subrip.js';
import { parseSubstation } from '../captions/substation.js';
import { parseWebvtt } from '../captions/webvtt.js';
import { type JobOutput, toJobFailure } from '../jobs/job.js';
import type { MediaFacts } from '../jobs/media.js';
import type { Run } from '../jobs/run.js';
import { checkCombination } from '../plan/check-combination.js';
import { textFormOf, usesSubtitles } from '../plan/decide/captions.js';
import type { PreparedCaptions } from '../plan/plan-types.js';
import { extractSubtitlesArgs, type SubtitleFile } from '../plan/write/captions.js';
import type { WithEncoder } from './measure-audio.js';
import type { PipelineContext } from './pipeline-context.js';

/** The file whose subtitles are read. */
interface SubtitledFile {
  readonly input: string;
  readonly media: MediaFacts;
  readonly scratch: string;
  readonly withEncoder: WithEncoder;
}

const parsers = { srt: parseSubrip, webvtt: parseWebvtt, ass: parseSubstation } as const;

/**
 * Reads the text subtitles of a file that outputs are made from. It is read once, by one run of ffmpeg, if an output
 * has tracks for them. They are read before the encoding because a clip must cut and shift them: seeking loses the
 * captions that are shown where it starts. Tracks that cannot be read are omitted.
 */
export function createSubtitleReader(
  run: Run,
  context: PipelineContext,
  file: SubtitledFile,
): (output: JobOutput) => Promise<readonly PreparedCaptions[]> {
  let read: Promise<readonly PreparedCaptions[]> | null = null;
  const tracks = (file.media.subtitles ?? []).filter(({ codec }) => textFormOf(codec) !== null);
  return async (output) => {
    if (tracks.length === 0 || !hasTracksFor(output, context)) return [];
    read ??= readTracks(run, context, file, tracks);
    return await read;
  };
}

function hasTracksFor({ settings, destination }: JobOutput, { ffmpeg }: PipelineContext): boolean {
  if (isCaptions(settings)) return true;
  const combination = checkCombination(settings, fileNameInUrl(destination), ffmpeg.capabilities, 'output');
  return combination.ok && combination.video !== null && usesSubtitles(settings, combination.container);
}

async function readTracks(
  run: Run,
  context: PipelineContext,
  { input, media, scratch, withEncoder }: SubtitledFile,
  tracks: NonNullable<MediaFacts['subtitles']>,
): Promise<readonly PreparedCaptions[]> {
  const files = tracks.map((facts) => ({ facts, path: join(scratch, `subtitles-${facts.streamIndex}`) }));
  try {
    await withEncoder(() =>
      context.ffmpeg.run(extractSubtitlesArgs(input, files, media.analysis), {
        signal: run.signal,
        scratch,
        onProgress: () => {},
      }),
    );
  } catch (error) {
    run.signal.throwIfAborted();
    const { message } = toJobFailure(error, 'CaptionError');
    context.log('warn', `Job ${run.job.id}: the subtitles of the input cannot be read: ${message}`);
    return [];
  }
  const prepared: PreparedCaptions[] = [];
  for (const file of files) {
    prepared.push(await readTrack(file));
    await rm(file.path, { force: true });
  }
  return prepared;
}

async function readTrack({ facts, path }: SubtitleFile): Promise<PreparedCaptions> {
  const { streamIndex, codec, language, title, dispositions = [] } = facts;
  const form = textFormOf(codec);
  const text = await readFile(path, 'utf8');
  return {
    captions: form === null ? noCaptions : parse(text, form.muxer),
    streamIndex,
    language: language ?? null,
    title: title ?? null,
    dispositions,
  };
}

const noCaptions: Captions = { syntax: 'other', cues: [], language: null, warnings: [] };

/** Parses what ffmpeg wrote. A track without captions has no valid file. */
function parse(text: string, muxer: keyof typeof parsers): Captions {
  try {
    return normalizeCues(parsers[muxer](text));
  } catch (error) {
    if (error instanceof RangeError) return noCaptions;
    throw error;
  }
}
