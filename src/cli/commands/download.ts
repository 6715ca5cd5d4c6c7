import type { Command } from 'commander';
import { isVencError } from '../../shared/errors.js';
import { type ExitCode, exitCodes } from '../../shared/exit-codes.js';
import type { Context } from '../context.js';
import { jobIdsHelp, resolveJobs } from '../jobs/resolve-jobs.js';
import { failureText } from '../output/progress-text.js';
import { listenForInterrupt } from '../terminal/interrupt.js';
import { chosenMode, type ProgressChoice, progressOption } from '../terminal/progress-mode.js';
import { reportError } from '../terminal/report-error.js';

interface DownloadFlags {
  readonly out?: string;
  readonly force?: boolean;
  readonly progress?: ProgressChoice;
}

/**
 * `venc download ID...`: downloads the files that a service hosts for jobs (for 24 hours, section 1) and prints their
 * paths.
 */
export function define(command: Command, context: Context): void {
  command
    .argument('<id...>', jobIdsHelp)
    .option('-o, --out <dir>', 'the folder to write to (default: the current one)')
    .option('--force', 'overwrite existing files')
    .option(...progressOption)
    .addHelpText('after', details)
    .action(context.handler(run));
}

const details = `
Downloads the finished outputs that the service hosts, and their thumbnails. Outputs without --filename are named after the
input and the label: film-web.mp4. Files that are already complete are not downloaded again (exit code 0). An incomplete file is
called NAME.part; the same command continues an interrupted download.

Examples:
  venc download @last
  venc download 123 124 -o films --force
  venc wait 123 && venc download 123 -o films`;

async function run(args: readonly string[], options: DownloadFlags, context: Context): Promise<ExitCode> {
  const { io } = context;
  const mode = await chosenMode(context, options.progress, 'stderr');
  const { downloadJob } = await import('../download/download-job.js');
  const { client, ids } = await resolveJobs(args, context);
  const { signal, dispose } = listenForInterrupt(io);
  let first: ExitCode = exitCodes.done;
  const usedNames = new Set<string>();
  try {
    for (const id of ids) {
      try {
        const job = await client.job(id, signal);
        await downloadJob(job, client.target, io, {
          folder: options.out ?? '.',
          isForced: options.force === true,
          mode,
          signal,
          usedNames,
        });
        if (job.state === 'finished') continue;
        io.writeStderr(failureText(job));
        if (first === exitCodes.done) first = exitCodes.jobFailed;
      } catch (error) {
        if (signal.aborted || !isVencError(error)) throw error;
        first = reportError(io, error, `Job ${id}`, first);
      }
    }
    return first;
  } finally {
    dispose();
  }
}
