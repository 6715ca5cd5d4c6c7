import { displaySize, type Tag } from '../../jobs/media.js';
import { layoutNames } from '../decide/decide-audio.js';
import { type Container, canCopy, containerOf, isMatroska } from '../formats.js';
import { fileArgument, safeInputArgs } from '../safe-input.js';
import { metadataText } from '../write/metadata.js';
import { audioOf, type JoinedTracks, type JoinPart } from './compare-parts.js';
import type { VideoPackets } from './packet-list.js';

/** A part whose packets were read. */
export interface ListedPart extends JoinPart {
  readonly packets: VideoPackets;
}

/** How parts become one file, whose video is a copy. */
export interface Join {
  readonly parts: readonly ListedPart[];
  readonly tracks: JoinedTracks;
  /** The extension of the files. */
  readonly extension: '.mov' | '.mkv';
  /** The encoder of the audio, which loses nothing. */
  readonly audioEncoder: string;
  readonly sampleRate: number;
  readonly channels: number;
}

const losslessCodecs = /^(?:flac|pcm_(?:s16|s24|s32)[lb]e)$/;

/** The codec of audio that is joined without a loss in its own codec; null if that of the parts has one. */
export function losslessCodec(parts: readonly JoinPart[]): string | null {
  const kinds = parts.flatMap((part) =>
    audioOf(part).map(({ codec, channels, sampleRate }) => [codec, channels, sampleRate].join()),
  );
  const codec = parts.flatMap(audioOf)[0]?.codec ?? '';
  return new Set(kinds).size === 1 && losslessCodecs.test(codec) ? codec : null;
}

/** Decides how parts that agree are joined. `container` is that of the finished file. */
export function decideJoin(parts: readonly ListedPart[], tracks: JoinedTracks, container: Container): Join {
  const codec = losslessCodec(parts);
  const subtitles = parts.flatMap(({ media }) => media.subtitles ?? []).slice(0, tracks.subtitles);
  // Times are rounded to milliseconds in Matroska.
  const needsMatroska =
    isMatroska(container) ||
    codec === 'flac' ||
    !canCopy(containerOf('.mov'), 'video', parts[0]?.video.codec ?? '') ||
    subtitles.some((track) => track.codec !== movieText);
  return {
    parts,
    tracks,
    extension: needsMatroska ? '.mkv' : '.mov',
    audioEncoder: codec ?? 'pcm_f32le',
    ...samplesOf(parts),
  };
}

/** The format of the joined audio: the highest sample rate and the most channels of the parts. */
function samplesOf(parts: readonly JoinPart[]): Pick<Join, 'sampleRate' | 'channels'> {
  const audio = parts.flatMap(audioOf);
  return {
    sampleRate: Math.max(...audio.map(({ sampleRate }) => sampleRate), 0) || 48_000,
    channels: Math.max(...audio.map(({ channels }) => channels), 0) || 2,
  };
}

const movieText = 'mov_text';

/** How long the video of a part is displayed, in seconds. */
export function lengthOf({ packets, media }: JoinPart): number {
  return packets === null ? (media.durationSeconds ?? 0) : packets.endSeconds - packets.startSeconds;
}

/** The arguments that copy the video of a part, and its subtitles, into a file of its own. */
export function extractArgs(
  { parts, tracks, extension }: Join,
  index: number,
  output: string,
): readonly string[] {
  const part = parts[index];
  if (part === undefined) return [];
  const subtitles = (part.media.subtitles ?? []).slice(0, tracks.subtitles);
  return [
    ...['-y', ...safeInputArgs(part.path, part.media.analysis), '-map', `0:${part.video.streamIndex}`],
    ...subtitles.flatMap(({ streamIndex }) => ['-map', `0:${streamIndex}`]),
    ...['-c', 'copy', ...(extension === '.mkv' && subtitles[0]?.codec === movieText ? ['-c:s', 'srt'] : [])],
    ...['-map_metadata', '-1', '-map_chapters', '-1'],
    ...(extension === '.mov' ? ['-write_tmcd', '0'] : []),
    output,
  ];
}

/** The list of the files of `extractArgs`, as ffmpeg reads it from their folder. */
export function concatList(parts: readonly ListedPart[], names: readonly string[]): string {
  const lines = parts.map((part, index) => `file '${names[index]}'\nduration ${lengthOf(part).toFixed(6)}\n`);
  return `ffconcat version 1.0\n${lines.join('')}`;
}

/** The file with the tags of the first part, and the chapters of all, as ffmpeg reads it. */
export function joinedMetadata(parts: readonly JoinPart[]): string {
  const { tags = [], timecode } = parts[0]?.media ?? {};
  const all: readonly Tag[] = [
    ...tags,
    ...(timecode === undefined ? [] : [{ name: 'timecode', value: timecode }]),
  ];
  const chapters = parts.flatMap((part, index) => {
    const [start, end] = [startOf(parts, index), startOf(parts, index + 1)];
    const within = (seconds: number) => Math.min(start + seconds, end);
    return (part.media.chapters ?? []).map((chapter) => ({
      ...chapter,
      startSeconds: within(chapter.startSeconds),
      endSeconds: within(chapter.endSeconds),
    }));
  });
  return metadataText(all, chapters);
}

function startOf(parts: readonly JoinPart[], index: number): number {
  return parts.slice(0, index).reduce((sum, part) => sum + lengthOf(part), 0);
}

/**
 * The arguments that write the joined file: the copied video of the list, and the audio of the parts, each cut or filled
 * with silence to the length of its video, so that both stay in sync. Nothing follows the last part, whose audio is not
 * cut.
 */
export function joinArgs(
  join: Join,
  files: { readonly list: string; readonly metadata: string; readonly output: string },
): readonly string[] {
  const { parts, tracks, audioEncoder, extension } = join;
  const names = [...Array(tracks.audio).keys()];
  const graph = names.map((track) => trackGraph(join, track, 1)).join(';');
  const metadata = parts.length + 1;
  return [
    // With the timestamps of the files, on which those of their packets are as well.
    ...['-y', '-copyts', '-protocol_whitelist', 'file,pipe', '-f', 'concat', '-auto_convert', '0'],
    ...['-i', fileArgument(files.list)],
    ...parts.flatMap(({ path, media }) => safeInputArgs(path, media.analysis)),
    ...['-protocol_whitelist', 'file,pipe', '-f', 'ffmetadata', '-i', fileArgument(files.metadata)],
    ...(graph === '' ? [] : ['-filter_complex', graph]),
    ...['-map', '0:v:0', ...names.flatMap((track) => ['-map', `[a${track}]`]), '-map', '0:s?'],
    ...['-c', 'copy', ...(graph === '' ? [] : ['-c:a', audioEncoder]), ...labelsOf(parts, tracks)],
    ...['-map_metadata', String(metadata), '-map_chapters', String(metadata)],
    ...(extension === '.mov' ? ['-movflags', '+use_metadata_tags'] : []),
    files.output,
  ];
}

function trackGraph(
  {
    parts,
    sampleRate,
    channels,
  }: Pick<Join, 'sampleRate' | 'channels'> & { readonly parts: readonly JoinPart[] },
  track: number,
  firstInput: number,
): string {
  const layout = layoutNames[channels] ?? 'stereo';
  const format = `aformat=sample_rates=${sampleRate}:channel_layouts=${layout}`;
  const chains = parts.map((part, index) => {
    const [start, end] = [index, index + 1].map((at) => Math.round(startOf(parts, at) * sampleRate));
    const samples = (end ?? 0) - (start ?? 0);
    const found = audioOf(part)[track];
    const label = `[p${track}-${index}]`;
    if (found === undefined)
      return `anullsrc=r=${sampleRate}:cl=${layout},atrim=end_sample=${samples},${format}${label}`;
    const first = Math.round((part.packets?.startSeconds ?? part.video.startSeconds ?? 0) * found.sampleRate);
    const aligned = `aresample=async=1:first_pts=${first},${format},asetpts=N/SR/TB`;
    const isLast = index === parts.length - 1;
    const cut = isLast ? '' : `,apad=whole_len=${samples},atrim=end_sample=${samples}`;
    return `[${index + firstInput}:${found.streamIndex}]${aligned}${cut}${label}`;
  });
  const inputs = parts.map((_, index) => `[p${track}-${index}]`).join('');
  return `${chains.join(';')};${inputs}concat=n=${parts.length}:v=0:a=1[a${track}]`;
}

/** The languages and titles of the joined tracks of audio. */
function labelsOf(parts: readonly JoinPart[], tracks: JoinedTracks): readonly string[] {
  return [...Array(tracks.audio).keys()].flatMap((track) => {
    const found = parts.map((part) => audioOf(part)[track]).find((one) => one !== undefined);
    return [
      ...(found?.language === undefined ? [] : [`-metadata:s:a:${track}`, `language=${found.language}`]),
      ...(found?.title === undefined ? [] : [`-metadata:s:a:${track}`, `title=${found.title}`]),
    ];
  });
}

/**
 * The arguments that write parts that differ into one Matroska file, without a loss: each fits into the displayed size of
 * the first one, and has its frame rate. Their audio has the length of their video.
 */
export function encodeArgs(
  parts: readonly JoinPart[],
  tracks: JoinedTracks,
  files: { readonly metadata: string; readonly output: string },
): readonly string[] {
  const [first] = parts;
  if (first === undefined) return [];
  const names = [...Array(tracks.audio).keys()];
  const isDeep = parts.some(({ video }) => /1[0-6](?:le|be)$/.test(video.pixelFormat ?? ''));
  const { width, height } = evenSize(first.video);
  const rate = first.video.frameRate ?? { numerator: 25, denominator: 1 };
  const fit = `min(${width}/(iw*sar)\\,${height}/ih)`;
  const shape =
    `scale=w='max(2\\,trunc(iw*sar*${fit}/2+0.5)*2)':h='max(2\\,trunc(ih*${fit}/2+0.5)*2)':` +
    `out_color_matrix=bt709:out_range=tv,setsar=1,pad=${width}:${height}:(ow-iw)/2:(oh-ih)/2,` +
    `fps=${rate.numerator}/${rate.denominator}:start_time=0,format=yuv420p${isDeep ? '10le' : ''}`;
  const videos = parts.map(({ video, packets }, index) => {
    const start = packets?.startSeconds ?? video.startSeconds ?? 0;
    return `[${index}:${video.streamIndex}]setpts=PTS-${start.toFixed(6)}/TB,${shape},tpad=stop_mode=clone:stop_duration=1,trim=duration=${lengthOf(parts[index] ?? first).toFixed(6)}[v${index}]`;
  });
  const inputs = parts.map((_, index) => `[v${index}]`).join('');
  const graph = [
    ...videos,
    `${inputs}concat=n=${parts.length}:v=1:a=0[v]`,
    ...names.map((track) => trackGraph({ parts, ...samplesOf(parts) }, track, 0)),
  ].join(';');
  return [
    ...['-y', '-copyts'],
    ...parts.flatMap(({ path, media }) => safeInputArgs(path, media.analysis)),
    ...['-protocol_whitelist', 'file,pipe', '-f', 'ffmetadata', '-i', fileArgument(files.metadata)],
    ...['-filter_complex', graph, '-map', '[v]', ...names.flatMap((track) => ['-map', `[a${track}]`])],
    ...['-c:v', 'ffv1', '-level', '3', '-c:a', 'pcm_f32le', ...labelsOf(parts, tracks)],
    ...['-colorspace', 'bt709', '-color_trc', 'bt709', '-color_primaries', 'bt709', '-color_range', 'tv'],
    ...['-map_metadata', String(parts.length), '-map_chapters', String(parts.length)],
    files.output,
  ];
}

/** The size in which a video is displayed, in square pixels, and in pairs of pixels. */
function evenSize(video: JoinPart['video']): { readonly width: number; readonly height: number } {
  const { numerator, denominator } = video.sampleAspectRatio;
  const { width, height } = displaySize({
    ...video,
    width: Math.round((video.width * numerator) / denominator),
  });
  const even = (pixels: number) => Math.max(2, Math.round(pixels / 2) * 2);
  return { width: even(width), height: even(height) };
}

/** What of the audio is cut off because no video is displayed with it, one sentence each. */
export function cutAudioWarnings(parts: readonly ListedPart[]): readonly string[] {
  return parts.flatMap((part, index) => {
    const { name, packets } = part;
    const [audio] = audioOf(part);
    if (audio === undefined || audio.startSeconds === null) return [];
    const before = packets.startSeconds - audio.startSeconds;
    const after = audio.startSeconds + (audio.durationSeconds ?? 0) - packets.endSeconds;
    return [
      ...(before > tolerableSeconds
        ? [`${name}: left out ${before.toFixed(1)} s of audio before the first frame.`]
        : []),
      ...(after > tolerableSeconds && index < parts.length - 1
        ? [`${name}: left out ${after.toFixed(1)} s of audio after the last frame.`]
        : []),
    ];
  });
}

/** Audio and video rarely end at the same time. */
const tolerableSeconds = 0.25;
