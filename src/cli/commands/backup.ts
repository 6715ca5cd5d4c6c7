import { withoutPassword } from '../../shared/redact.js';
import { formatBytes } from '../../shared/text/numbers.js';
import { safeText } from '../../shared/text/safe-text.js';
import type { CommandModule, Context } from '../context.js';
import { addSetupOptions, type SetupOptions } from '../input/with-setup.js';

/** `venc backup DIR`: backs up the data folder, also while the daemon runs. Prints the folder of the backup. */
export const backup: CommandModule = {
  define: (command, context) => {
    addSetupOptions(command.argument('<folder>', 'the folder of backups, best on another disk'))
      .addHelpText('after', backupDetails)
      .action(context.handler(backUpTo));
  },
};

const backupDetails = `
Backs up jobs, usage, accounts, keys, saved credentials, uploads, hosted files and logs. The daemon may run: everything that it had
acknowledged when the command began is in the backup. Prints the folder of the backup.
The next backup into the same folder copies only what has changed, and then replaces the previous one. If it is
interrupted, the previous backup stays.
A backup contains keys and credentials. Only the user who made it can read it.
If the daemon keeps its records in a database, dump the database as well. Files in a bucket (--hosted) are not in the backup.

Examples:
  venc backup /mnt/backup/venc
  sudo venc backup /mnt/backup/venc --data /var/lib/venc`;

async function backUpTo(given: string, options: SetupOptions, context: Context): Promise<void> {
  const { io } = context;
  const [{ resolve }, { backUp }] = await Promise.all([
    import('node:path'),
    import('../../../daemon/admin/backup/back-up.js'),
  ]);
  const database = options.database ?? (await context.database());
  const result = await backUp(await context.dataFolder(), resolve(given), {
    now: () => new Date(),
    usesDatabase: database !== null,
  });
  const { folder, fileCount, unchangedCount, copiedBytes, usesDatabase, hasDatabaseKey } = result;
  io.writeStdout(`${safeText(folder)}\n`);
  const copied = `${fileCount - unchangedCount} copied (${formatBytes(copiedBytes)}), ${unchangedCount} unchanged`;
  io.writeInfo(`venc: backed up ${fileCount} files: ${copied}\n`);
  if (usesDatabase) {
    const dsn = database === null ? 'postgres://USER@HOST/NAME' : safeText(withoutPassword(database));
    io.writeStderr(
      `venc: warning: jobs, accounts and credentials are in the database, not in this backup: pg_dump --format=custom --file=venc.dump ${dsn}\n`,
    );
    if (!hasDatabaseKey)
      io.writeStderr('venc: warning: keep VENC_DATABASE_KEY with the dump: it is not in this backup\n');
  }
}

/** `venc restore DIR`: restores a backup into the data folder of a daemon that is stopped. */
export const restore: CommandModule = {
  define: (command, context) => {
    command
      .argument('<folder>', 'the folder that was given to venc backup')
      .addHelpText('after', restoreDetails)
      .action(context.handler(restoreFrom));
  },
};

const restoreDetails = `
Restores the latest backup in the folder into the data folder (--data). Stop the daemon first. The data folder must have no jobs; its
accounts and keys are replaced.
Jobs that were waiting or running when the backup was made run again when the daemon starts. Ids continue well above those in the
backup, so that no id is used twice.

Examples:
  venc restore /mnt/backup/venc
  venc restore /mnt/backup/venc --data /srv/venc`;

async function restoreFrom(given: string, _: object, context: Context): Promise<void> {
  const { io } = context;
  const [{ resolve }, admin] = await Promise.all([
    import('node:path'),
    import('../../../daemon/admin/backup/restore.js'),
  ]);
  const dataFolder = await context.dataFolder();
  const { backup: restored, manifest } = await admin.restore(resolve(given), dataFolder);
  io.writeInfo(
    `venc: restored ${safeText(restored)}, made at ${safeText(manifest.createdAt)}, to ${safeText(dataFolder)}\n`,
  );
  if (manifest.usesDatabase)
    io.writeStderr(
      'venc: warning: jobs, accounts and credentials are in the database: restore its dump as well, with pg_restore, before you start a daemon\n',
    );
}
