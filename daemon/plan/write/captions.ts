import type { Analysis, SubtitleFacts, VideoFacts } from '../../jobs/media.js';
import { textFormOf } from '../decide/captions.js';
import { finalMatrix } from '../decide/colours.js';
import type { Decision, VideoDecision } from '../decide/decisions.js';
import { storedLanguage } from '../decide/languages.js';
import { type Container, isMatroska } from '../formats.js';
import type { CaptionTrack, PlannedFile, PlanPaths } from '../plan-types.js';
import { fileArgument, safeInputArgs, safeInputOptions } from '../safe-input.js';
import { secondsArgument } from './input.js';
import { accurateFlags } from './watermarks.js';

type FileTrack = Extract<CaptionTrack, { readonly from: 'file' }>;

function fileTracks({ captions = [] }: Decision): readonly FileTrack[] {
  return captions.filter((track) => track.from === 'file');
}

/** The files of captions that the steps of an output read. */
export function captionFilesOf(decision: Decision, paths: PlanPaths): readonly PlannedFile[] {
  const { burned } = decision.video ?? {};
  return [...fileTracks(decision), ...(burned?.from === 'file' ? [burned] : [])].map((file) => ({
    path: pathOf(file, paths),
    content: file.content,
    holds: 'captions',
  }));
}

function pathOf({ name }: Pick<FileTrack, 'name'>, { scratch }: PlanPaths): string {
  return `${scratch}/${name}`;
}

/**
 * The files of captions as inputs. Times of ffmpeg count from the start of the clip. If more is read before that, `-ss`
 * of the output removes it from all inputs, so they are delayed by as much.
 */
export function captionInputArgs(
  decision: Decision,
  skipSeconds: number,
  paths: PlanPaths,
): readonly string[] {
  const delayOf = ({ startSeconds }: FileTrack) =>
    wholeMilliseconds(skipSeconds + (startSeconds - decision.clip.startSeconds));
  return fileTracks(decision).flatMap((track) => [
    ...(track.demuxer === 'mov'
      ? safeInputOptions
      : ['-protocol_whitelist', 'file,pipe', '-format_whitelist', track.demuxer, '-f', track.demuxer]),
    ...(delayOf(track) === 0 ? [] : ['-itsoffset', secondsArgument(delayOf(track))]),
    ...['-i', fileArgument(pathOf(track, paths))],
  ]);
}

/**
 * Rounded up, because packets have whole milliseconds, and one that would be rounded to a time before the clip is lost.
 */
function wholeMilliseconds(seconds: number): number {
  return Math.ceil(seconds * 1000) / 1000;
}

/** The number of inputs that the captions of an output need. */
export function captionInputCount(decision: Decision): number {
  return fileTracks(decision).length;
}

/** The sources of the caption tracks, as `-map` names them. `firstInput` is the number of the first file. */
export function captionStreams({ captions = [] }: Decision, firstInput: number): readonly string[] {
  let next = firstInput;
  return captions.map((track) => {
    if (track.from === 'input') return `0:${track.streamIndex}`;
    next += 1;
    return `${next - 1}:0`;
  });
}

/** The arguments for the caption tracks of an output: they are copied, with their languages, titles and uses. */
export function captionTrackArgs({ captions = [], container, video }: Decision): readonly string[] {
  if (captions.length === 0) return [];
  const titleTag = titleTagOf(container);
  const hasDefault = captions.some(({ dispositions }) => dispositions.includes('default'));
  return [
    // Builds of 2018 mark all tracks of a Matroska file as the default if none is.
    ...(video !== null && !hasDefault && isMatroska(container) ? ['-disposition:v:0', 'default'] : []),
    '-c:s',
    'copy',
    ...captions.flatMap(({ language, title, dispositions }, index) => [
      // Builds of 2018 otherwise write a WebM file whose unknown languages are read as English.
      ...[`-metadata:s:s:${index}`, `language=${languageIn(container, language)}`],
      ...(title === null ? [] : [`-metadata:s:s:${index}`, `${titleTag}=${title}`]),
      ...[`-disposition:s:${index}`, dispositions.length === 0 ? '0' : dispositions.join('+')],
    ]),
  ];
}

/** The tag of the title of a track. MP4 has no titles; players show the name of the handler. */
export function titleTagOf({ muxer }: Container): 'handler_name' | 'title' {
  return /^(?:mp4|mov|ipod|3gp|3g2)$/.test(muxer) ? 'handler_name' : 'title';
}

/** Languages that the muxer of QuickTime files knows only by the codes of ISO 639-2 for bibliographies. */
const quickTimeCodes: Readonly<Record<string, string>> = {
  ...{ deu: 'ger', nld: 'dut', ell: 'gre', isl: 'ice', zho: 'chi', sqi: 'alb', mkd: 'mac' },
  ...{ hye: 'arm', kat: 'geo', bod: 'tib', mya: 'bur', msa: 'may' },
};

/** The code of a language in a file of this container. */
export function languageIn(container: Container, language: string | null): string {
  const stored = (language === null ? null : storedLanguage(language, container)) ?? 'und';
  return container.muxer === 'mov' ? (quickTimeCodes[stored] ?? stored) : stored;
}

/**
 * The filter that draws text. The steps run in the scratch folder, so the names of the file and the folder of fonts
 * are enough, and need no escapes. It may change the pixel format.
 */
export function burnFilters({ burned, codecOptions }: VideoDecision): readonly string[] {
  if (burned?.from !== 'file') return [];
  const fonts = burned.fontsFolder === undefined ? '' : `:fontsdir=${burned.fontsFolder}`;
  return [`${burned.filter}=${burned.name}${fonts}`, `format=${codecOptions.pixelFormat}`];
}

/** Whether subtitles that are images are drawn. The result has 8 bits and limited range, as with watermarks. */
export function burnsImages({ burned }: Pick<VideoDecision, 'burned'>): boolean {
  return burned?.from === 'input';
}

/**
 * The part of a graph that draws subtitles that are images. `from` and `to` are labels with brackets; `prefix` makes
 * that of the images unique. Without `repeatlast=0` the video would not end: ffmpeg gives the end of subtitles the
 * last time that there is.
 */
export function burnGraph(video: VideoDecision, from: string, to: string, prefix = ''): readonly string[] {
  const { burned } = video;
  if (burned?.from !== 'input') return [];
  const { streamIndex, x, y, width, height } = burned;
  const images = `[images${prefix}]`;
  const scaled = `scale=${width}:${height}:out_color_matrix=${finalMatrix(video)}:out_range=tv:flags=${accurateFlags}`;
  return [
    `[0:${streamIndex}]${scaled},format=yuva420p${images}`,
    `${from}${images}overlay=x=${x}:y=${y}:repeatlast=0:format=yuv420${to}`,
  ];
}

/** A subtitle track of the input, and the file that it is written to. */
export interface SubtitleFile {
  readonly facts: SubtitleFacts;
  readonly path: string;
}

/** The arguments of the run that writes text subtitles of the input to files, without decoding anything else. */
export function extractSubtitlesArgs(
  input: string,
  files: readonly SubtitleFile[],
  analysis: Analysis | undefined,
): readonly string[] {
  return [
    '-y',
    ...safeInputArgs(input, analysis),
    ...files.flatMap(({ facts: { streamIndex, codec }, path }) => {
      const form = textFormOf(codec);
      if (form === null) return [];
      return ['-map', `0:${streamIndex}`, '-c:s', form.encoder, '-f', form.muxer, fileArgument(path)];
    }),
  ];
}

/** The arguments of the run that copies a video into a transport stream. */
export function copyVideoArgs(
  input: string,
  { streamIndex }: VideoFacts,
  to: string,
  analysis: Analysis | undefined,
): readonly string[] {
  return [
    '-y',
    ...safeInputArgs(input, analysis),
    '-map',
    `0:${streamIndex}`,
    '-c',
    'copy',
    '-f',
    'mpegts',
    fileArgument(to),
  ];
}

/**
 * The arguments of the run that writes the closed captions of a transport stream to a file: as text (`srt`), or
 * unchanged (`scc`). `name` is that of a file in the working folder, without special characters.
 */
export function closedCaptionsArgs(name: string, form: 'srt' | 'scc', to: string): readonly string[] {
  const source = ['-f', 'lavfi', '-i', `movie=filename=${name}:format_name=mpegts[out0+subcc]`];
  const codec = form === 'srt' ? 'srt' : 'copy';
  return ['-y', ...source, '-map', '0:s', '-c:s', codec, '-f', form, fileArgument(to)];
}

/** The arguments of the run that converts a caption file to SubRip. Its text is UTF-8. */
export function convertCaptionsArgs(demuxer: string, from: string, to: string): readonly string[] {
  const source = ['-protocol_whitelist', 'file,pipe', '-format_whitelist', demuxer, '-f', demuxer];
  return ['-y', ...source, '-i', fileArgument(from), '-c:s', 'srt', '-f', 'srt', fileArgument(to)];
}
