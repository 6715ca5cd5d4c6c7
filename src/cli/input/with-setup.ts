import type { Command } from 'commander';
import type { SetupStore } from '../../../daemon/store/accounts/setup-store.js';
import { safeText } from '../../shared/text/safe-text.js';
import type { Context } from '../context.js';

/** The options of commands that work on accounts, keys and saved credentials. */
export interface SetupOptions {
  /** The address of a database; it takes precedence over `VENC_DATABASE` and the configuration. */
  readonly database?: string;
}

/** Adds `--database`, as `venc daemon` has it. */
export function addSetupOptions(command: Command): Command {
  return command.option(
    '--database <dsn>',
    'use this database: postgres://USER@HOST:PORT/NAME (or VENC_DATABASE; default: the data folder)',
  );
}

/** What the help of these commands says about `--database`. */
export const databaseHelp = `Put an address with a password into VENC_DATABASE, or the password into PGPASSWORD or ~/.pgpass, where
other users of the machine do not see it.`;

/** Where the accounts or keys are, for the help of the commands that manage them. */
export function setupHelp(what: 'accounts' | 'keys'): string {
  return `
The ${what} are those in the data folder (--data, VENC_DATA), or in the database
(--database, VENC_DATABASE, or database of venc config) if there is one. A
running daemon applies changes within a second.
${databaseHelp}`;
}

/**
 * Lets `work` read the accounts, keys and saved credentials of the database, if there is one, or else of the data
 * folder. Rejects as `withSetup` and `work` do.
 */
export async function readSetup<T>(
  context: Context,
  options: SetupOptions,
  work: (setup: SetupStore) => Promise<T>,
): Promise<T> {
  const { withSetup } = await import('../../../daemon/admin/open-setup.js');
  const [dataFolder, database] = await Promise.all([context.dataFolder(), databaseOf(context, options)]);
  return withSetup({ dataFolder, database, databaseKey: context.io.env.VENC_DATABASE_KEY }, work);
}

/** As `readSetup`, for a change. Says so if it is made in a database: a user may have a data folder as well. */
export async function changeSetup<T>(
  context: Context,
  options: SetupOptions,
  work: (setup: SetupStore) => Promise<T>,
): Promise<T> {
  const isInDatabase = (await databaseOf(context, options)) !== null;
  return readSetup(context, options, (setup) => {
    if (isInDatabase) context.io.writeInfo(`venc: using ${safeText(setup.name)}\n`);
    return work(setup);
  });
}

async function databaseOf(context: Context, { database }: SetupOptions): Promise<string | null> {
  return database ?? context.database();
}
