import { VencError } from '../../src/shared/errors.js';
import { changedAudioStream } from '../ffmpeg/index.js';
import type { AudioFacts, MediaFacts } from '../jobs/media.js';
import type { Run } from '../jobs/run.js';
import { conversionOf, readAudioParts } from '../plan/write/audio.js';
import type { PipelineContext } from './pipeline-context.js';

/** The facts of an input, and its audio streams whose format changes, each converted once when a run finds that out. */
export interface SourceAudio {
  /** The facts, with the streams that were converted so far. */
  readonly media: () => MediaFacts;
  /**
   * Does work that reads the audio. If it fails because the format of a stream changes, the stream is converted and `work` is
   * called again, to use the new facts.
   */
  readonly withConversion: <T>(work: () => Promise<T>) => Promise<T>;
}

/** Creates the facts of an input whose audio is converted on demand, into the scratch folder. */
export function createSourceAudio(
  run: Run,
  context: PipelineContext,
  given: { readonly media: MediaFacts; readonly input: string; readonly scratch: string },
): SourceAudio {
  let { media } = given;
  const convert = async (audio: AudioFacts): Promise<void> => {
    const { path, args } = conversionOf(media, audio, given);
    let messages = '';
    const { scratch } = given;
    const onStderr = (text: string) => {
      messages += text;
    };
    await context.ffmpeg.run(args, { signal: run.signal, scratch, onStderr, onProgress: () => {} });
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
  return {
    media: () => media,
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
