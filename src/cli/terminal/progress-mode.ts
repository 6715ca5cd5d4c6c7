import { VencError } from '../../shared/errors.js';
import { choiceParser } from '../../shared/flag-parsers.js';
import type { Context } from '../context.js';
import type { Io } from './io.js';

/** How progress is shown: moving on a terminal, as lines, as JSON objects, or not at all. */
export type ProgressMode = 'tty' | 'plain' | 'json' | 'none';

const choices = ['auto', 'tty', 'plain', 'json', 'none'] as const;

/** What `--progress` takes. */
export type ProgressChoice = (typeof choices)[number];

/** Words and text of the option `--progress`, and its parser. */
export const progressOption = {
  flags: '--progress <how>',
  help: 'show progress as auto, tty, plain, json or none (default: auto)',
  parse: choiceParser('--progress', choices),
} as const;

/** The mode that a choice comes to at one of the outputs. Throws `UsageError` where `tty` was asked for and there is none. */
function progressMode(io: Io, choice: ProgressChoice | undefined, at: 'stdout' | 'stderr'): ProgressMode {
  if (choice === 'tty' && !io.isTerminal[at]) {
    throw new VencError('UsageError', `--progress tty needs a terminal at ${at}.`, {
      hint: '--progress plain works without a terminal',
    });
  }
  if (choice !== undefined && choice !== 'auto') return choice;
  return io.canDraw[at] ? 'tty' : 'plain';
}

/**
 * The mode for a command: as its flag says, else as configured. What is configured goes for every command: a terminal is then only
 * asked for as far as there is one, and where progress is the answer itself (at stdout) there is no such thing as none.
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
