import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { VencError } from '../../src/shared/errors.js';
import { captionFormat, isCaptions } from '../../src/shared/settings/captions.js';
import { languageCode } from '../../src/shared/text/languages.js';
import { fileNameInUrl } from '../../src/shared/text/url-text.js';
import { type Captions, clipCues } from '../captions/cues.js';
import { subripText } from '../captions/subrip.js';
import { timedTextFile } from '../captions/timed-text.js';
import { webvttText } from '../captions/webvtt.js';
import { ttmlText } from '../captions/write-ttml.js';
import type { JobOutput } from '../jobs/job.js';
import type { MediaFacts } from '../jobs/media.js';
import type { Run } from '../jobs/run.js';
import type { PreparedCaptions } from '../plan/plan-types.js';
import type { PipelineContext } from './pipeline-context.js';
import type { ProducedFile, SourceFile } from './produced-file.js';
import type { ReadCaptionFiles } from './read-caption-files.js';
import { readClosedCaptions } from './read-closed-captions.js';
import { createSubtitleReader } from './read-subtitles.js';
import { runStage } from './stages.js';

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
 * Yields a file of captions for each output of that type: those of its `caption_url`, or else a text track of the input, or else the closed
 * captions of its video, cut and shifted with the clip. An output without captions fails.
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
): AsyncGenerator<{ readonly output: JobOutput; readonly encoded: ProducedFile }> {
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
        const chosen = chooseTrack(output, await tracksOf(output, fromFiles));
        await writeFile(path, contentOf(output, chosen, { media, isTest: run.job.test }));
        return chosen;
      },
      'CaptionError',
      (failure) => run.change({ type: 'output-failed', id: output.id, failure }),
    );
    if (made === null) continue;
    yield { output, encoded: { product: { path }, media: factsOf(output), file: null } };
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

function contentOf(
  { settings, destination }: JobOutput,
  { captions, language }: PreparedCaptions,
  { media, isTest }: { readonly media: MediaFacts; readonly isTest: boolean },
): string | Buffer {
  const { start_clip: start = 0, clip_length: length } = settings;
  const lengthSeconds = Math.min(length ?? unknownSeconds, isTest ? testSeconds : unknownSeconds);
  const end = Math.min(start + lengthSeconds, media.durationSeconds ?? unknownSeconds);
  const cues = clipCues(captions.cues, start * 1000, end * 1000);
  const found = captionFormat(settings, fileNameInUrl(destination));
  if ('reason' in found) throw new TypeError('the format of captions was not checked');
  return writers[found.format]({ ...captions, cues }, settings.language ?? language ?? '');
}

function factsOf({ settings, destination }: JobOutput): MediaFacts {
  const found = captionFormat(settings, fileNameInUrl(destination));
  const format = 'format' in found ? found.format : '';
  return { format, durationSeconds: null, totalBitrateKbps: null, video: null, audio: null };
}
