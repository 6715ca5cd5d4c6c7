import { shellLine } from '../../src/shared/text/shell-words.js';
import type { Log } from '../../src/shared/util/log.js';
import { lastLines } from './explain.js';
import type { EncodeOptions, Ffmpeg } from './ffmpeg-types.js';
import { TextTail } from './launch.js';

/** How much of the stderr of a failed run is kept. */
const maxStderrLines = 40;
const maxStderrCharacters = 8192;

/**
 * Wraps ffmpeg so that the log of a job has each command, and the last lines of stderr if it fails. `subject` is what the lines begin
 * with, such as `Job 12`.
 */
export function withCommandLog(ffmpeg: Ffmpeg, log: Log, subject: string): Ffmpeg {
  const logged = async <T>(
    args: readonly string[],
    options: EncodeOptions,
    run: (options: EncodeOptions) => Promise<T>,
  ): Promise<T> => {
    const fields = {
      isDetail: true,
      ...(options.outputId === undefined ? {} : { outputId: options.outputId }),
    } as const;
    const output = options.outputId === undefined ? '' : ` for output ${options.outputId}`;
    // All files of a run are in its folder: their names are enough.
    const names = args.map((arg) => arg.replaceAll(`${options.scratch}/`, ''));
    log('info', `${subject}: ffmpeg starts${output}: ffmpeg ${shellLine(names)}`, fields);
    const tail = new TextTail(maxStderrCharacters);
    const onStderr = (text: string) => {
      tail.add(text);
      options.onStderr?.(text);
    };
    try {
      return await run({ ...options, onStderr });
    } catch (error) {
      if (options.signal.aborted) throw error;
      const stderr = lastLines(tail.text, { folders: [options.scratch] }, maxStderrLines);
      const what = stderr.length === 0 ? 'It printed no messages.' : 'Its last messages:';
      log('warn', `${subject}: ffmpeg failed${output}. ${what}`, {
        ...fields,
        ...(stderr.length === 0 ? {} : { stderr }),
      });
      throw error;
    }
  };
  return {
    ...ffmpeg,
    run: (args, options) => logged(args, options, (run) => ffmpeg.run(args, run)),
    measureAudio: (args, measurement, options) =>
      logged(args, options, (run) => ffmpeg.measureAudio(args, measurement, run)),
  };
}
