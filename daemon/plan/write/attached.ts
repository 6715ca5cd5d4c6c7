import { maxPixels } from '../../../src/shared/settings/limits.js';
import type { Analysis, MediaFacts } from '../../jobs/media.js';
import type { Decision } from '../decide/decisions.js';
import type { CoverImage } from '../plan-types.js';
import { fileArgument, inputOptions, safeInputArgs } from '../safe-input.js';
import { secondsArgument } from './input.js';

/** The cover images that are streams of video to ffmpeg: those of all containers except Matroska. */
function artTracks({ covers = [], container }: Decision): readonly CoverImage[] {
  return container.attached === 'covers' ? covers : [];
}

/**
 * The cover images as inputs, each read as one packet, which is copied. If more is read before the clip, `-ss` of the
 * output removes what is before it from all inputs, so they are delayed by as much.
 */
export function coverInputArgs(decision: Decision, skipSeconds: number): readonly string[] {
  return artTracks(decision).flatMap(({ path }) => [
    ...['-protocol_whitelist', 'file,pipe', '-format_whitelist', 'image2', '-f', 'image2'],
    ...['-pattern_type', 'none', ...(skipSeconds > 0 ? ['-itsoffset', secondsArgument(skipSeconds)] : [])],
    ...['-i', fileArgument(path)],
  ]);
}

/** The number of inputs that the cover images of an output need. */
export function coverInputCount(decision: Decision): number {
  return artTracks(decision).length;
}

/**
 * The sources of cover images and files, as `-map` names them. `firstInput` is the number of the first cover image.
 */
export function attachedStreams(decision: Decision, firstInput: number): readonly string[] {
  return [
    ...artTracks(decision).map((_, index) => `${firstInput + index}:0`),
    ...(decision.attachments ?? []).map(({ streamIndex }) => `0:${streamIndex}`),
  ];
}

/** Types of files whose own is not known. */
const mimeTypes: Readonly<Record<string, string>> = {
  ttf: 'application/x-truetype-font',
  otf: 'application/vnd.ms-opentype',
};

/** What the cover images are, and the names and types of files. A file of Matroska is a cover by its type. */
export function attachedArgs(decision: Decision, hasVideo: boolean): readonly string[] {
  const { attachments = [], covers = [], container } = decision;
  const fileTags = (index: number, name: string, type: string) => [
    ...[`-metadata:s:t:${index}`, `filename=${name}`, `-metadata:s:t:${index}`, `mimetype=${type}`],
  ];
  const attached = container.attached === 'files' ? covers : [];
  return [
    ...artTracks(decision).flatMap(({ title, shows }, index) => {
      const stream = `v:${index + Number(hasVideo)}`;
      return [
        ...[`-c:${stream}`, 'copy', `-disposition:${stream}`, 'attached_pic'],
        ...(title === null ? [] : [`-metadata:s:${stream}`, `title=${title}`]),
        ...[`-metadata:s:${stream}`, `comment=${shows ?? 'Cover (front)'}`],
      ];
    }),
    ...(attachments.length === 0 ? [] : ['-c:t', 'copy']),
    ...attached.flatMap(({ path }) => ['-attach', fileArgument(path)]),
    ...attachments.flatMap(({ fileName, mimeType, codec, streamIndex }, index) =>
      fileTags(
        index,
        fileName ?? `attachment-${streamIndex}`,
        mimeType ?? mimeTypes[codec] ?? 'application/octet-stream',
      ),
    ),
    ...attached.flatMap(({ fileName, format }, index) =>
      fileTags(attachments.length + index, fileName, format === 'jpg' ? 'image/jpeg' : 'image/png'),
    ),
  ];
}

/**
 * The timecode that is declared for the video and not for the file: the muxer of MP4 would write another track of
 * timecode for each cover image. Null if there is none, and for frames at the times of the source: ffmpeg 7.0 would
 * store none for them.
 */
export function videoTimecodeOf(decision: Decision): string | null {
  const { metadata, container, video, copiedVideo } = decision;
  if (container.muxer !== 'mp4' || (video ?? copiedVideo) == null || artTracks(decision).length === 0)
    return null;
  if (video?.timing.by === 'source-timestamps') return null;
  return metadata?.tags.find(({ name }) => name === 'timecode')?.value ?? null;
}

/** Options of all video as those of the first one, which is not a cover image; unchanged if there is none. */
export function forFilm(args: readonly string[], decision: Decision): readonly string[] {
  if (artTracks(decision).length === 0) return args;
  return args.map((arg) => (/^-[a-z_]+:v$/.test(arg) ? `${arg}:0` : arg));
}

/** The arguments of the run that writes images of the input to files, as they are stored. */
export function extractCoversArgs(
  input: string,
  files: ReadonlyMap<number, string>,
  analysis: Analysis | undefined,
): readonly string[] {
  return [
    ...['-y', ...safeInputArgs(input, analysis)],
    ...[...files].flatMap(([streamIndex, path]) => [
      ...['-map', `0:${streamIndex}`, '-c', 'copy', '-frames:v', '1', '-f', 'rawvideo', fileArgument(path)],
    ]),
  ];
}

/** The arguments of the run that writes files in the input to files. A track must be read for that: one frame of video. */
export function extractFilesArgs(
  input: string,
  files: ReadonlyMap<number, string>,
  { analysis, video }: MediaFacts,
): readonly string[] {
  return [
    ...['-y', ...inputOptions(analysis)],
    ...[...files].flatMap(([streamIndex, path]) => [`-dump_attachment:${streamIndex}`, fileArgument(path)]),
    ...['-i', fileArgument(input), '-map', `0:${video?.streamIndex ?? 0}`, '-c', 'copy', '-frames:v', '1'],
    ...['-f', 'null', '-'],
  ];
}

/** The arguments of the run that converts an image to PNG. */
export function convertImageArgs(demuxer: string, from: string, to: string): readonly string[] {
  const source = ['-protocol_whitelist', 'file,pipe', '-format_whitelist', demuxer, '-f', demuxer];
  const limits = ['-max_pixels', String(maxPixels)];
  const image = ['-frames:v', '1', '-c:v', 'png', '-f', 'rawvideo', fileArgument(to)];
  return ['-y', ...source, ...limits, '-i', fileArgument(from), ...image];
}
