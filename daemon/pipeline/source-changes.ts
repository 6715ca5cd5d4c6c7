import { VencError } from '../../src/shared/errors.js';
import { changedAudioStream } from '../ffmpeg/index.js';
import type { AudioFacts, MediaFacts } from '../jobs/media.js';
import type { Run } from '../jobs/run.js';
import { conversionOf, readAudioParts } from '../plan/write/audio.js';
import { shapeListArgs, shapeWarning } from '../plan/write/frame-filters.js';
import type { PipelineContext } from './pipeline-context.js';

/** The facts of an input, and what runs find out about changes in the middle: of the format of its audio, and the shape of its video. */
export interface SourceChanges {
  /** The facts, with the streams that were converted so far. */
  readonly media: () => MediaFacts;
  /**
   * Does work that reads the audio. If it fails because the format of a stream changes, the stream is converted and `work` is
   * called again, to use the new facts.
   */
  readonly withConversion: <T>(work: () => Promise<T>) => Promise<T>;
  /** The sentence about the first change of the shape of the video; null if it is not found. */
  readonly shapeWarning: () => Promise<string | null>;
}

/** Creates the facts of an input. Its audio is converted into the scratch folder. */
export function createSourceChanges(
  run: Run,
  context: PipelineContext,
  given: { readonly media: MediaFacts; readonly input: string; readonly scratch: string },
): SourceChanges {
  let { media } = given;
  let foundShape: Promise<string | null> | null = null;
  const runWithMessages = async (args: readonly string[]): Promise<string> => {
    let messages = '';
    const onStderr = (text: string) => {
      messages += text;
    };
    const { scratch } = given;
    await context.ffmpeg.run(args, { signal: run.signal, scratch, onStderr, onProgress: () => {} });
    return messages;
  };
  const convert = async (audio: AudioFacts): Promise<void> => {
    const { path, args } = conversionOf(media, audio, given);
    const [first, ...others] = readAudioParts(await runWithMessages(args));
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
  return {
    media: () => media,
    shapeWarning() {
      if (media.video === null) return Promise.resolve(null);
      foundShape ??= runWithMessages(shapeListArgs(media.video, media.format, given.input)).then(
        shapeWarning,
        () => {
          run.signal.throwIfAborted();
          return 'The size or the shape of the video changes; it was fitted into the first size.';
        },
      );
      return foundShape;
    },
    async withConversion(work) {
      for (;;) {
        try {
          return await work();
        } catch (error) {
          const index = changedAudioStream(error);
          const audio = [media.audio, ...(media.otherAudio ?? [])].find((one) => one?.streamIndex === index);
          if (audio == null || audio.converted !== undefined) throw error;
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
