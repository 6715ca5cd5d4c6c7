import { readFile, rm, writeFile } from 'node:fs/promises';
import { basename, extname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isErrorClass } from '../../src/shared/error-classes.js';
import { VencError } from '../../src/shared/errors.js';
import type { JobRecord } from '../../src/shared/records.js';
import type { Ffmpeg } from '../ffmpeg/index.js';
import { audioStreams } from '../jobs/media.js';
import { type Combination, checkCombination } from '../plan/check-combination.js';
import { isHighRange } from '../plan/decide/colours.js';
import { canCopy } from '../plan/formats.js';
import { decideTracks, type JoinPart, whyNotCopied } from '../plan/join/compare-parts.js';
import {
  concatList,
  cutAudioWarnings,
  decideJoin,
  encodeArgs,
  extractArgs,
  joinArgs,
  joinedMetadata,
  type ListedPart,
  lengthOf,
  losslessCodec,
} from '../plan/join/join-args.js';
import { frameListArgs, packetListArgs, parseFrames, parsePackets } from '../plan/join/packet-list.js';
import { safeInputArgs } from '../plan/safe-input.js';
import { audioPartsArgs, readAudioParts } from '../plan/write/audio.js';
import { type LocalPrograms, openLocalFfmpeg, probeVideo, withFreezing } from './local-files.js';
import { runOneShot } from './one-shot-run.js';

/** What `joinFiles` works with. */
interface JoinOptions extends LocalPrograms {
  /** The file to write; its extension selects the container. It is replaced. */
  readonly output: string;
  /** An empty folder to work in. The caller removes it. */
  readonly folder: string;
  readonly signal: AbortSignal;
  /** Called with the percent that are done, 0-100, and what is being done. */
  readonly onProgress: (percent: number, activity: string) => void;
}

/** What a join did. */
export interface Joined {
  /** Why the video was encoded; null if it was copied. */
  readonly encodedBecause: string | null;
  /** What the files have and the output does not, one sentence each. */
  readonly warnings: readonly string[];
  /** The job that wrote the output. */
  readonly job: JobRecord;
}

/** What all steps of a join need. */
interface Joining extends Pick<JoinOptions, 'output' | 'folder' | 'signal' | 'onProgress'> {
  readonly ffmpeg: Ffmpeg;
  readonly target: Combination;
}

/**
 * Joins local videos, one after another (`venc join`). The video is copied if the files agree and the copy has the same
 * frames; otherwise it is encoded with the size and the frame rate of the first file. The audio of each file has the length of
 * its video. Rejects with `UsageError` if the output cannot be written in its format or the files cannot be joined,
 * `NoMediaError` if a file has no video or no end, and with the class of the job that writes the output. Errors name
 * the file.
 */
export async function joinFiles(paths: readonly string[], options: JoinOptions): Promise<Joined> {
  const ffmpeg = await openLocalFfmpeg(options);
  const joining = { ...options, ffmpeg, target: targetOf(options.output, ffmpeg) };
  const parts: JoinPart[] = [];
  for (const path of paths) {
    options.onProgress((parts.length / paths.length) * 10, 'reading');
    parts.push(await readPart(path, joining));
  }
  const tracks = decideTracks(parts);
  const listed = parts.filter(isListed);
  const difference = whyNotCopied(parts, joining.target);
  const copy = difference === null ? await copyParts(listed, joining) : null;
  const encodedBecause = copy === null ? (difference ?? 'a copy would not have the same frames') : null;
  const joined = copy ?? (await encodeParts(parts, encodedBecause ?? '', joining));
  const job = await finish(joined, copy === null ? null : losslessCodec(parts), joining, {
    ...options,
    isCopied: copy !== null,
  });
  const cut = copy === null ? [] : cutAudioWarnings(listed);
  return { encodedBecause, warnings: [...tracks.warnings, ...cut], job };
}

const isListed = (part: JoinPart): part is ListedPart => part.packets !== null;

/** The container and codecs of the output. Throws `UsageError` if it cannot be written. */
function targetOf(output: string, { capabilities }: Ffmpeg): Combination {
  const found = checkCombination({}, basename(output), capabilities, 'output');
  const hint = { hint: 'name an .mp4, .mov, .mkv or .webm file' };
  if (!found.ok || extname(output) === '')
    throw new VencError('UsageError', `${output} cannot be written (-o).`, hint);
  if (found.video === null || found.container.animation !== undefined)
    throw new VencError('UsageError', `${found.extension} holds no joined videos (-o).`, hint);
  return found;
}

/** Reads what a file has. Rejects if it has no video, or if its end is missing. */
async function readPart(path: string, joining: Joining): Promise<JoinPart> {
  const { ffmpeg, signal } = joining;
  const { media, video, path: resolved } = await probeVideo(ffmpeg, path, signal);
  if (media.wholeSeconds !== undefined || !(await ffmpeg.isWhole(resolved, signal)))
    throw new VencError('NoMediaError', `${path} is truncated: its end is missing.`, {
      hint: 'get a complete copy, or encode what is there with venc run --allow-truncated and join that',
    });
  if (media.isJoined === true) throw inParts(path, 'its times begin again in the middle');
  for (const audio of audioStreams(media)) {
    const messages = await runTool(audioPartsArgs(media, audio, resolved), joining).catch(() => '');
    signal.throwIfAborted();
    if (readAudioParts(messages).length > 1) throw inParts(path, 'the format of its audio changes');
  }
  const list = join(joining.folder, 'packets.txt');
  const input = safeInputArgs(resolved, media.analysis);
  await runTool(packetListArgs(input, { videoIndex: video.streamIndex, list }), joining).catch(
    (error: unknown) => {
      if (signal.aborted || !(error instanceof VencError)) throw error;
      throw new VencError(error.errorClass, `${path}: ${error.message}`, { cause: error });
    },
  );
  return { name: path, path: resolved, media, video, packets: parsePackets(await readFile(list, 'utf8')) };
}

function inParts(path: string, reason: string): VencError {
  return new VencError('UnsupportedInputError', `${path} cannot be joined: ${reason}.`, {
    hint: `convert it first: venc run ${path}`,
  });
}

/** Runs ffmpeg. Resolves to its messages. */
async function runTool(
  args: readonly string[],
  { ffmpeg, signal, folder }: Joining,
  onSeconds: (seconds: number) => void = () => {},
): Promise<string> {
  let messages = '';
  const onStderr = (text: string) => {
    messages += text;
  };
  await withFreezing(() =>
    ffmpeg.run(args, { signal, scratch: folder, onStderr, onProgress: ({ seconds }) => onSeconds(seconds) }),
  );
  return messages;
}

/** Joins parts by copying their videos. Resolves to the joined file; null if it has not the frames of the parts. */
async function copyParts(parts: readonly ListedPart[], joining: Joining): Promise<string | null> {
  const { folder, target, onProgress, signal, ffmpeg } = joining;
  const plan = decideJoin(parts, decideTracks(parts), target.container);
  const names = parts.map((_, index) => `part-${index}${plan.extension}`);
  for (const [index, name] of names.entries()) {
    onProgress(10 + (index / names.length) * 10, 'copying');
    await runTool(extractArgs(plan, index, join(folder, name)), joining);
  }
  const files = { list: join(folder, 'parts.txt'), metadata: join(folder, 'metadata.txt') };
  await writeFile(files.list, concatList(parts, names));
  await writeFile(files.metadata, joinedMetadata(parts));
  const output = join(folder, `joined${plan.extension}`);
  const seconds = parts.reduce((sum, part) => sum + lengthOf(part), 0);
  await runTool(joinArgs(plan, { ...files, output }), joining, (done) =>
    onProgress(20 + Math.min(1, done / seconds) * 20, 'copying'),
  );
  for (const name of names) await rm(join(folder, name));
  const joined = await probeVideo(ffmpeg, output, signal);
  const expected: string[] = [];
  for (const [index, part] of parts.entries()) {
    onProgress(40 + (index / parts.length) * 15, 'comparing');
    expected.push(...(await framesOf(part, joining)));
  }
  onProgress(55, 'comparing');
  const found = await framesOf(joined, joining);
  const isSame = found.length === expected.length && found.every((frame, index) => frame === expected[index]);
  return isSame ? output : null;
}

/** The checksums of all frames of a video. */
async function framesOf(
  { path, media, video }: Pick<JoinPart, 'path' | 'media' | 'video'>,
  joining: Joining,
) {
  const list = join(joining.folder, 'frames.txt');
  const { hasFpsMode } = joining.ffmpeg.capabilities;
  const args = frameListArgs(safeInputArgs(path, media.analysis), {
    list,
    videoIndex: video.streamIndex,
    passthrough: [hasFpsMode ? '-fps_mode' : '-vsync', 'passthrough'],
  });
  await runTool(args, joining);
  return parseFrames(await readFile(list, 'utf8'));
}

/** Joins parts that differ into a file without a loss, from which the output is encoded. Resolves to its path. */
async function encodeParts(parts: readonly JoinPart[], reason: string, joining: Joining): Promise<string> {
  const { folder, onProgress } = joining;
  const wide = parts.find(({ video }) => isHighRange(video));
  if (wide !== undefined)
    throw new VencError('UsageError', `${wide.name} is HDR and cannot be joined by copying: ${reason}.`, {
      hint: `convert it to standard range first: venc run ${wide.name}`,
    });
  const metadata = join(folder, 'metadata.txt');
  await writeFile(metadata, joinedMetadata(parts));
  const seconds = parts.reduce((sum, { media }) => sum + (media.durationSeconds ?? 0), 0);
  const output = join(folder, 'joined.mkv');
  const args = encodeArgs(parts, decideTracks(parts), { metadata, output });
  await runTool(args, joining, (done) =>
    onProgress(10 + Math.min(1, done / Math.max(seconds, 1)) * 40, 'joining'),
  );
  return output;
}

/** Writes the output from the joined file: with its video or encoded. `codec` is that of audio without a loss. */
async function finish(
  joined: string,
  codec: string | null,
  { folder, target, output, onProgress, signal }: Joining,
  programs: LocalPrograms & { readonly isCopied: boolean },
): Promise<JobRecord> {
  const { ffmpeg = null, ffprobe = null, sandbox = 'auto', onDetail, isCopied } = programs;
  const job = await runOneShot(
    {
      input: pathToFileURL(joined).href,
      outputs: [
        {
          url: pathToFileURL(resolve(output)).href,
          overwrite: true,
          audio_tracks: 'all',
          ...(isCopied ? { copy_video: true } : {}),
          ...(codec !== null && canCopy(target.container, 'audio', codec) ? { copy_audio: true } : {}),
        },
      ],
    },
    {
      ...{ ffmpeg, ffprobe, sandbox, signal, onDetail },
      folder: join(folder, 'data'),
      onProgress: ({ progress }) => onProgress(60 + progress * 0.4, isCopied ? 'writing' : 'encoding'),
      stallTimeoutSeconds: 60,
      hasMd5: false,
    },
  );
  signal.throwIfAborted();
  if (job?.state === 'finished') return job;
  const failed = [job?.input_media_file, ...(job?.output_media_files ?? [])].find(
    (file) => (file?.error_class ?? null) !== null,
  );
  const name = failed?.error_class ?? '';
  const message = failed?.error_message ?? 'the encode failed';
  throw new VencError(isErrorClass(name) ? name : 'TranscodingError', `${output}: ${message}`);
}
