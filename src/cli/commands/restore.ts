import type { Command } from 'commander';
import { type ExitCode, exitCodes } from '../../shared/exit-codes.js';
import { safeText } from '../../shared/text/safe-text.js';
import type { Context } from '../context.js';

/** `venc restore DIR`: restores a backup into the data folder of a daemon that is stopped. */
export function define(command: Command, context: Context): void {
  command
    .argument('<folder>', 'the folder that was given to venc backup')
    .addHelpText('after', details)
    .action(context.handler((folder: string) => restoreFrom(folder, context)));
}

const details = `
Restores the latest backup in the folder into the data folder (--data). Stop the daemon first. The data folder must have no jobs; its
accounts and keys are replaced.
Jobs that were waiting or running when the backup was made run again when the daemon starts. Ids continue well above those in the
backup, so that no id is used twice.

Examples:
  venc restore /mnt/backup/venc
  venc restore /mnt/backup/venc --data /srv/venc`;

async function restoreFrom(given: string, context: Context): Promise<ExitCode> {
  const { io } = context;
  const [{ resolve }, { restore }] = await Promise.all([
    import('node:path'),
    import('../../../daemon/admin/backup/restore.js'),
  ]);
  const dataFolder = await context.dataFolder();
  const { backup, manifest } = await restore(resolve(given), dataFolder);
  io.writeStderr(
    `venc: restored ${safeText(backup)}, made at ${safeText(manifest.createdAt)}, to ${safeText(dataFolder)}\n`,
  );
  if (manifest.usesDatabase)
    io.writeStderr(
      'venc: warning: jobs, accounts and credentials are in the database: restore its dump as well, with pg_restore, before you start a daemon\n',
    );
  return exitCodes.done;
}
