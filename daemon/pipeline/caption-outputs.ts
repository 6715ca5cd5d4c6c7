import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { VencError } from '../../src/shared/errors.js';
import { captionFormat, isCaptions } from '../../src/shared/settings/captions.js';
import { languageCode, languageName } from '../../src/shared/text/languages.js';
import { fileNameInUrl, withoutExtension } from '../../src/shared/text/url-text.js';
import type { Captions } from '../captions/cues.js';
import { subripText } from '../captions/subrip.js';
import { timedTextFile } from '../captions/timed-text.js';
import { webvttText } from '../captions/webvtt.js';
import { ttmlText } from '../captions/write-ttml.js';
import type { JobOutput } from '../jobs/job.js';
import type { MediaFacts } from '../jobs/media.js';
import type { Run } from '../jobs/run.js';
import { writeCaptionPlaylist } from '../packaging/caption-renditions.js';
import { clipCaptions } from '../plan/decide/clip-captions.js';
import { captionGridOf } from '../plan/decide/packaging.js';
import type { PreparedCaptions } from '../plan/plan-types.js';
import type { PipelineContext } from './pipeline-context.js';
import type { ProducedFile, SourceFile } from './produced-file.js';
import type { ReadCaptionFiles } from './read-caption-files.js';
import { readClosedCaptions } from './read-closed-captions.js';
import { createSubtitleReader } from './read-subtitles.js';
import { runStage } from './stages.js';
import { emptyClipWarning, writeScc } from './write-scc.js';

/** The formats of caption files, and what ffprobe calls them. */
const writers = {
  webvtt: (captions: Captions) => webvttText(captions),
  srt: (captions: Captions) => subripText(captions),
  dfxp: (captions: Captions, language: string) => ttmlText(captions.cues, language),
  mp4: (captions: Captions) => timedTextFile(captions.cues),
} as const;

/** Clips of jobs in test mode, and of inputs whose end is not known. */
const [testSeconds, unknownSeconds] = [5, 360_000] as const;

/**
 * Yields a file of captions for each output of that type: those of its `caption_url`, or else a text track of the
 * input, or else the closed captions of its video, cut and shifted with the clip; a playlist has the segments next to
 * it. An output without captions fails.
 */
export async function* captionOutputs(
  run: Run,
  context: PipelineContext,
  source: SourceFile,
  {
    outputs,
    scratch,
    readCaptionFiles,
  }: {
    readonly outputs: readonly JobOutput[];
    readonly scratch: string;
    readonly readCaptionFiles: ReadCaptionFiles;
  },
): AsyncGenerator<CaptionOutput> {
  const { path: input, media } = source;
  const wanted = outputs.filter(({ settings }) => isCaptions(settings));
  if (wanted.length === 0 || media === null) return;
  // Reading text takes a moment, and this job encodes already.
  const readTracks = createSubtitleReader(run, context, {
    input,
    media,
    scratch,
    withEncoder: (work) => work(),
  });
  let closedCaptions: Promise<readonly PreparedCaptions[]> | null = null;
  const tracksOf = async (output: JobOutput, fromFiles: readonly PreparedCaptions[]) => {
    if (fromFiles.length > 0) return fromFiles;
    const tracks = await readTracks(output);
    if (tracks.length > 0) return tracks;
    closedCaptions ??= readClosedCaptions(run, context, source, scratch);
    // They do not say their language, so it is that of the request.
    const { language = null } = output.settings;
    return (await closedCaptions).map((track) => ({ ...track, language }));
  };
  for (const output of wanted) {
    await run.change({ type: 'output-started', id: output.id });
    const fromFiles = await readCaptionFiles(run, output);
    if (fromFiles === null) continue;
    const path = join(scratch, `output-${output.id}`);
    const made = await runStage(
      run,
      async () => {
        if (formatOf(output) === 'scc') {
          const [given] = fromFiles;
          const clip = clipOf(output, { isTest: run.job.test });
          const warnings = await writeScc(run, context, path, { given, source, scratch, ...clip });
          return { output, encoded: { product: { path }, media: factsOf('scc'), file: null }, warnings };
        }
        const track = chooseTrack(output, await tracksOf(output, fromFiles));
        const cut = cutTrack(output, track, { media, isTest: run.job.test });
        const encoded = await writeCaptions(output, cut, { path, outputs: run.job.outputs });
        return { output, encoded, warnings: cut.warnings };
      },
      'CaptionError',
      (failure) => run.change({ type: 'output-failed', id: output.id, failure }),
    );
    if (made !== null) yield made;
  }
}

/** The captions in the language that the request asks for, or else the default ones, or the first. */
function chooseTrack({ settings }: JobOutput, tracks: readonly PreparedCaptions[]): PreparedCaptions {
  const { language, caption_url: files = [] } = settings;
  const code = language === undefined ? null : languageCode(language);
  const isWanted = (track: PreparedCaptions) =>
    track.language !== null && languageCode(track.language) === code;
  const chosen =
    code !== null && files.length === 0
      ? tracks.find(isWanted)
      : (tracks.find(({ dispositions }) => dispositions.includes('default')) ?? tracks[0]);
  if (chosen !== undefined && chosen.captions.cues.length > 0) return chosen;
  const which = code === null || tracks.length === 0 ? '' : ` in the language ${language}`;
  throw new VencError('CaptionError', `The input has no captions${which}.`);
}

/** An output of captions, its file, and what was left out, one sentence each. */
interface CaptionOutput {
  readonly output: JobOutput;
  readonly encoded: ProducedFile;
  readonly warnings: readonly string[];
}

/** The captions of a clip. */
interface ClippedTrack {
  readonly captions: Captions;
  readonly language: string | null;
  readonly durationSeconds: number;
  /** What was cut, one sentence each. */
  readonly warnings: readonly string[];
}

/** The part of the input of which an output has the captions. Without a length, it ends with the input. */
function clipOf(
  { settings: { start_clip: startSeconds = 0, clip_length: length } }: JobOutput,
  { isTest }: { readonly isTest: boolean },
): { readonly startSeconds: number; readonly lengthSeconds: number | null } {
  const longest = isTest ? Math.min(length ?? testSeconds, testSeconds) : (length ?? null);
  return { startSeconds, lengthSeconds: longest };
}

/** Cuts and shifts captions with the clip of an output. */
function cutTrack(
  output: JobOutput,
  { captions, language }: PreparedCaptions,
  context: { readonly media: MediaFacts; readonly isTest: boolean },
): ClippedTrack {
  const { settings } = output;
  const { startSeconds, lengthSeconds } = clipOf(output, context);
  const inputSeconds = context.media.durationSeconds;
  const end = Math.min(startSeconds + (lengthSeconds ?? unknownSeconds), inputSeconds ?? unknownSeconds);
  const { cues, warnings } = clipCaptions(captions, {
    ...{ startSeconds, readFromSeconds: startSeconds, startsInFrame: false },
    ...{ lengthSeconds, expectedSeconds: end - startSeconds },
  });
  const lastSeconds = cues.reduce((latest, { endMs }) => Math.max(latest, endMs), 0) / 1000;
  return {
    captions: { ...captions, cues },
    language: settings.language ?? language,
    durationSeconds: inputSeconds === null && lengthSeconds === null ? lastSeconds : end - startSeconds,
    warnings: cues.length > 0 ? warnings : [...warnings, emptyClipWarning],
  };
}

function formatOf({ settings, destination }: JobOutput) {
  const found = captionFormat(settings, fileNameInUrl(destination));
  if ('reason' in found) throw new TypeError('the format of captions was not checked');
  return found.format;
}

function factsOf(format: string): MediaFacts {
  return { format, durationSeconds: null, totalBitrateKbps: null, video: null, audio: null };
}

async function writeCaptions(
  output: JobOutput,
  { captions, language, durationSeconds }: ClippedTrack,
  { path, outputs }: { readonly path: string; readonly outputs: readonly JobOutput[] },
): Promise<ProducedFile> {
  const format = formatOf(output);
  const file = { product: { path }, media: factsOf(format), file: null };
  if (format === 'scc') throw new TypeError('scc is not written from text');
  if (format !== 'm3u8') {
    await writeFile(path, writers[format](captions, language ?? ''));
    return file;
  }
  const label = languageName(language) ?? 'Subtitles';
  const rendition = await writeCaptionPlaylist(
    { captions, language, label, isDefault: false, isForced: false },
    {
      ...{ path, stem: withoutExtension(fileNameInUrl(output.destination)), durationSeconds },
      ...captionGridOf(output.settings, outputs),
    },
  );
  return { ...file, rendition };
}
