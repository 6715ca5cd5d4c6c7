import { redact } from '../../src/shared/redact.js';
import { isCaptions } from '../../src/shared/settings/captions.js';
import type { OutputSettings } from '../../src/shared/settings/index.js';
import { isPlaylist } from '../../src/shared/settings/playlists.js';
import type { ReportedWarning } from '../../src/shared/settings/setting.js';
import { isTransferOnly } from '../../src/shared/settings/sources.js';
import { lostTrackText } from '../../src/shared/text/file-facts.js';
import { humanDuration, humanSize } from '../../src/shared/text/units.js';
import type { ResolvedOutput } from '../actions/check-outputs.js';
import { shownCommand } from '../ffmpeg/index.js';
import { audioStreams, type MediaFacts } from '../jobs/media.js';
import type { Product } from '../plan/plan-types.js';
import { expectedMedia } from '../plan/product.js';
import type { DryRunOutput, PlannedOutputs } from './plan-outputs.js';

/** What becomes of a file that is not uploaded yet, as texts for people. */
export interface UploadPlan {
  /** Why nothing is known before the upload, one sentence; null if something is. */
  readonly unknown: string | null;
  /** Why nothing can be made of the file; null if something can. */
  readonly failure: string | null;
  /** Whether the whole file was read. */
  readonly isWhole: boolean;
  /** What the file is; null if that is not known. */
  readonly input: string | null;
  readonly outputs: readonly PlannedOutput[];
  readonly warnings: readonly string[];
  /** The command lines of ffmpeg as the log of the job has them. */
  readonly commands: readonly string[];
}

/** One output of a plan. */
interface PlannedOutput {
  readonly name: string;
  /** Its container and length; what it is, if it is not encoded. */
  readonly file: string;
  /** null for an output without video, or one that is not encoded. */
  readonly video: string | null;
  readonly audio: readonly string[];
  /** null if that depends on what is in the file. */
  readonly size: string | null;
  /** The tracks that it lacks, and why. */
  readonly leftOut: readonly string[];
  /** Why it is not made; null if it is. */
  readonly problem: string | null;
}

/** What a plan is described with besides itself. */
interface PlanFacts {
  readonly outputs: readonly ResolvedOutput[];
  /** The warnings about the request. */
  readonly warnings: readonly ReportedWarning[];
  /** The folder of the input, which is not shown. */
  readonly folder: string;
  readonly isWhole: boolean;
  readonly sizeBytes: number;
}

/** The longest command line that is shown, in characters. */
const maxCommandCharacters = 8192;

const unknownReasons = {
  parts: 'What becomes of it is known after the upload: its start and its end do not say enough.',
  time: 'What becomes of it is known after the upload: its start and its end were not read in time.',
  size: 'What becomes of it is known after the upload: the disk of the daemon does not hold such a file.',
} as const;

/** The plan of a file of which nothing is known, and why. */
export function unknownPlan(reason: keyof typeof unknownReasons | null): UploadPlan {
  return {
    unknown: reason === null ? null : unknownReasons[reason],
    ...{ failure: null, isWhole: reason === null, input: null },
    ...{ outputs: [], warnings: [], commands: [] },
  };
}

/** Describes a plan. Secrets in URLs are removed. */
export function describePlan(planned: PlannedOutputs, facts: PlanFacts): UploadPlan {
  const { media, outputs, products, steps, warnings } = planned;
  const { folder, isWhole, sizeBytes } = facts;
  return {
    ...{ unknown: null, failure: null, isWhole },
    input: media.format === '' ? null : inputText(media, isWhole),
    outputs: outputs.map((output, index) =>
      describeOutput(output, {
        settings: facts.outputs[index]?.settings ?? {},
        product: products.find(({ outputId }) => outputId === output.number),
        sizeBytes,
      }),
    ),
    warnings: [...facts.warnings.map(({ field, message }) => `${field} ${message}`), ...warnings].map(redact),
    commands: steps
      .filter(({ does }) => does !== 'copy')
      .map(({ args }) => redact(shownCommand(args, folder)).slice(0, maxCommandCharacters)),
  };
}

/** An output, its settings, what is known of its file, and the size of the input. */
interface OutputFacts {
  readonly settings: OutputSettings;
  readonly product: Product | undefined;
  readonly sizeBytes: number;
}

function describeOutput(
  { number, label, left_out: leftOut, failure, skipped }: DryRunOutput,
  { settings, product, sizeBytes }: OutputFacts,
): PlannedOutput {
  const problem = skipped ?? (failure === null ? null : `${failure.errorClass}: ${failure.message}`);
  return {
    name: `${number}${label === null ? '' : ` (${label})`}`,
    file: product === undefined ? kindText(settings) : containerText(expectedMedia(product)),
    video: product === undefined ? null : videoText(product),
    audio: (product?.audio ?? []).map(audioText),
    size:
      product === undefined
        ? isTransferOnly(settings) && settings.source === undefined
          ? humanSize(sizeBytes)
          : null
        : sizeText(product, settings),
    leftOut: leftOut.map(lostTrackText),
    problem: problem === null ? null : redact(problem),
  };
}

/** What an output is that is not encoded. */
function kindText(settings: OutputSettings): string {
  if (isPlaylist(settings)) return 'playlist';
  if (isCaptions(settings)) return 'captions';
  return isTransferOnly(settings) ? 'the file as it is' : '';
}

function inputText(media: MediaFacts, isWhole: boolean): string {
  const { video } = media;
  const [first, ...more] = audioStreams(media);
  const rate = video === null || video.frameRate === null ? null : rateOf(video.frameRate);
  const length = isWhole || media.durationSeconds !== null ? '' : ', of unknown length';
  return [
    `${containerText(media)}${length}`,
    ...(video === null
      ? []
      : [[`${video.codec} ${video.width}x${video.height}`, ...(rate === null ? [] : [rate])].join(' ')]),
    ...(first === undefined ? [] : [audioText(first)]),
    ...(more.length === 0 ? [] : [`${more.length} more of audio`]),
  ].join('; ');
}

function containerText({ format, durationSeconds }: MediaFacts): string {
  return [format, ...(durationSeconds === null ? [] : [humanDuration(durationSeconds)])].join(', ');
}

function videoText({ video }: Product): string | null {
  if (video === null) return null;
  const { codec, width, height, frameSeconds, hdr, copied } = video;
  return [
    `${codec}, ${width}x${height}, ${fpsText(1 / frameSeconds)}`,
    ...(hdr === undefined ? [] : ['HDR']),
    ...(copied === undefined ? [] : ['copied']),
  ].join(', ');
}

function rateOf({ numerator, denominator }: { readonly numerator: number; readonly denominator: number }) {
  return fpsText(numerator / denominator);
}

function fpsText(rate: number): string {
  return `${Math.round(rate * 100) / 100} fps`;
}

function audioText({
  codec,
  channels,
  sampleRate,
  language,
}: Pick<Product['audio'][number], 'codec' | 'channels' | 'sampleRate' | 'language'>): string {
  const of = `${codec}, ${channels} ${channels === 1 ? 'channel' : 'channels'}, ${sampleRate} Hz`;
  return language === undefined ? of : `${of}, ${language}`;
}

/** The expected size of a file, if its settings decide it. */
function sizeText({ video, audio, expectedSeconds }: Product, settings: OutputSettings): string | null {
  const { bitrate } = video ?? {};
  if (bitrate?.targetBytes !== undefined) return `at most ${humanSize(bitrate.targetBytes)}`;
  const isVideoKnown = video === null || bitrate !== undefined;
  const isAudioKnown = audio.length === 0 || settings.audio_bitrate !== undefined;
  if (expectedSeconds === null || !isVideoKnown || (video === null && !isAudioKnown)) return null;
  const kbps = (bitrate?.targetKbps ?? 0) + audio.length * (settings.audio_bitrate ?? 0);
  const size = `about ${humanSize(Math.round((kbps * 1000 * expectedSeconds) / 8))}`;
  return isAudioKnown ? size : `${size} and its audio`;
}
