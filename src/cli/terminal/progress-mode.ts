import { VencError } from '../../shared/errors.js';
import { choiceParser } from '../../shared/flag-parsers.js';
import type { Context } from '../context.js';
import type { Io } from './io.js';

/** How progress is shown: as a bar, as lines, as JSON objects, or not. */
export type ProgressMode = 'tty' | 'plain' | 'json' | 'none';

const choices = ['auto', 'tty', 'plain', 'json', 'none'] as const;

/** A value of `--progress`. */
export type ProgressChoice = (typeof choices)[number];

/** The flag `--progress`, its help text and its parser. */
export const progressOption = [
  '--progress <how>',
  'show progress as auto, tty, plain, json or none',
  choiceParser('--progress', choices),
] as const;

/** The mode for a choice at one of the outputs. Throws `UsageError` if `tty` was requested without a terminal. */
function progressMode(io: Io, choice: ProgressChoice | undefined, at: 'stdout' | 'stderr'): ProgressMode {
  if (io.isQuiet && at === 'stderr') return 'none';
  if (choice === 'tty' && !io.isTerminal[at]) {
    throw new VencError('UsageError', `--progress tty needs a terminal at ${at}.`, {
      hint: '--progress plain works without a terminal',
    });
  }
  if (choice !== undefined && choice !== 'auto') return choice;
  // The lines of -v would be written over the display.
  return io.canDraw[at] && !io.isVerbose ? 'tty' : 'plain';
}

/**
 * The mode for a command: its flag, else the configuration. A configured value applies to every command, so `tty` is
 * ignored without a terminal, and `none` is ignored if the progress is the answer itself (at stdout), as is `-q`.
 */
export async function chosenMode(
  { io, config }: Pick<Context, 'io' | 'config'>,
  choice: ProgressChoice | undefined,
  at: 'stdout' | 'stderr',
): Promise<ProgressMode> {
  if (choice !== undefined) return progressMode(io, choice, at);
  const { progress = 'auto' } = await config();
  const isIgnored = progress === 'tty' ? !io.isTerminal[at] : progress === 'none' && at === 'stdout';
  return progressMode(io, isIgnored ? 'auto' : progress, at);
}
