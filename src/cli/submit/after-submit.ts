import type { Client } from '../../client/client.js';
import { type ExitCode, exitCodes } from '../../shared/exit-codes.js';
import { type Interruption, listenForInterrupt } from '../terminal/interrupt.js';
import type { Io } from '../terminal/io.js';
import type { ProgressMode } from '../terminal/progress-mode.js';
import type { SubmitOptions } from './submit-options.js';

/** Input of {@link afterSubmit}. */
interface AfterSubmitOptions {
  readonly io: Io;
  readonly mode: ProgressMode;
  readonly options: SubmitOptions;
  /** The exit code of the creates. */
  readonly code: ExitCode;
  /** Whether a job has an output that the service hosts. */
  readonly isHosted: boolean;
  /** An interruption that is already listened for. */
  readonly interruption?: Interruption;
}

/**
 * Continues with created jobs as the options say: waits for them and downloads their outputs. Without `--wait` it
 * suggests the next commands on a terminal. Resolves to the exit code of the command: the first that is not 0.
 */
export async function afterSubmit(
  client: Client,
  ids: readonly number[],
  { io, mode, options, code, isHosted, ...listening }: AfterSubmitOptions,
): Promise<ExitCode> {
  if (ids.length === 0) return code;
  if (options.wait !== true) {
    if (isForPerson(io, mode, options)) io.writeStderr(formatNextSteps(ids, isHosted));
    return code;
  }
  const { waitWithProgress } = await import('../jobs/wait-with-progress.js');
  const interruption = listening.interruption ?? listenForInterrupt(io, options.timeout ?? null);
  const ended = await waitWithProgress(client, ids, { interruption, mode, io });
  const first = code === exitCodes.done ? ended : code;
  // Download the finished outputs of failed jobs as well.
  const isOver = ended === exitCodes.done || ended === exitCodes.jobFailed || ids.length > 1;
  if (options.download === undefined || !isOver) return first;
  const { downloadFinishedJobs } = await import('../download/download-finished-jobs.js');
  const isForced = options.force === true;
  const downloaded = await downloadFinishedJobs(client, ids, io, {
    folder: options.download,
    isForced,
    mode,
  });
  return first === exitCodes.done ? downloaded : first;
}

/** Whether both outputs are terminals without JSON or `--progress none`. */
function isForPerson({ isTerminal }: Io, mode: ProgressMode, { json }: SubmitOptions): boolean {
  return isTerminal.stdout && isTerminal.stderr && json !== true && (mode === 'tty' || mode === 'plain');
}

/** Maximum number of ids to print in full. */
const maxIds = 12;

function formatNextSteps(ids: readonly number[], isHosted: boolean): string {
  const isMany = ids.length > maxIds;
  const args = isMany ? `${ids[0]} ... ${ids.at(-1)}` : ids.join(' ');
  // Without ids, watch shows all active jobs.
  const watch = isMany ? 'venc watch' : `venc watch ${args}`;
  const rest = isMany ? ` (all ${ids.length} ids)` : '';
  const download = isHosted ? `venc: to download the outputs afterwards: venc download ${args}${rest}\n` : '';
  return `venc: to watch the progress: ${watch}\n${download}`;
}
