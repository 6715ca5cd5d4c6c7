import { basename, dirname } from 'node:path';
import { shellLine } from '../../src/shared/text/shell-words.js';
import type { Log, LogFields } from '../../src/shared/util/log.js';
import { safeInputOptions } from '../plan/safe-input.js';
import { lastLines, ProgramMessages } from './explain.js';
import type { EncodeOptions, Ffmpeg } from './ffmpeg-types.js';
import { TextTail } from './launch.js';

/** How much of the stderr of a failed run is kept. */
const maxStderrLines = 40;
const maxStderrCharacters = 8192;

/**
 * Wraps ffmpeg so that the log of a job has each command, and the last lines of stderr if one fails. `subject` is what
 * the lines begin with, such as `Job 12`.
 */
export function withCommandLog(ffmpeg: Ffmpeg, log: Log, subject: string): Ffmpeg {
  const logFailure = (what: string, messages: readonly string[], fields: LogFields) => {
    const hasMessages = messages.length > 0;
    log('warn', `${subject}: ${what}. ${hasMessages ? 'Its last messages:' : 'It printed no messages.'}`, {
      ...fields,
      isDetail: true,
      ...(hasMessages ? { stderr: messages } : {}),
    });
  };
  const logged = async <T>(
    args: readonly string[],
    options: EncodeOptions,
    run: (options: EncodeOptions) => Promise<T>,
  ): Promise<T> => {
    const { outputId, scratch } = options;
    const fields = outputId === undefined ? {} : { outputId };
    const output = outputId === undefined ? '' : ` for output ${outputId}`;
    log('info', `${subject}: ffmpeg starts${output}: ${shownCommand(args, scratch)}`, {
      ...fields,
      isDetail: true,
    });
    const tail = new TextTail(maxStderrCharacters);
    const onStderr = (text: string) => {
      tail.add(text);
      options.onStderr?.(text);
    };
    try {
      return await run({ ...options, onStderr });
    } catch (error) {
      if (!options.signal.aborted)
        logFailure(
          `ffmpeg failed${output}`,
          lastLines(tail.text, { folders: [scratch] }, maxStderrLines),
          fields,
        );
      throw error;
    }
  };
  return {
    ...ffmpeg,
    run: (args, options) => logged(args, options, (run) => ffmpeg.run(args, run)),
    measureAudio: (args, measurement, options) =>
      logged(args, options, (run) => ffmpeg.measureAudio(args, measurement, run)),
    measureQuality: (request, options) =>
      logged(request.reference.args, options, (run) => ffmpeg.measureQuality(request, run)),
    newer: async () => {
      const newer = await ffmpeg.newer();
      return newer && { ...newer, ffmpeg: newer.ffmpeg && withCommandLog(newer.ffmpeg, log, subject) };
    },
    probe: async (path, signal, program) => {
      try {
        return await ffmpeg.probe(path, signal, program);
      } catch (error) {
        if (error instanceof Error && error.cause instanceof ProgramMessages) {
          const messages = lastLines(error.cause.stderr, { folders: [dirname(path)] }, maxStderrLines);
          if (messages.length > 0) logFailure(`ffprobe rejects the file ${basename(path)}`, messages, {});
        }
        throw error;
      }
    },
  };
}

/**
 * A command as the log shows it: with the names of files, which are all in one folder, and without the options that all
 * inputs have.
 */
export function shownCommand(args: readonly string[], folder: string): string {
  const shown = args.filter((arg, index) => !isSafeOption(arg) && !isSafeOption(args[index - 1]));
  return shellLine(['ffmpeg', ...shown.map((arg) => arg.replaceAll(`${folder}/`, ''))]);
}

function isSafeOption(arg: string | undefined): boolean {
  return arg?.startsWith('-') === true && safeInputOptions.includes(arg);
}
