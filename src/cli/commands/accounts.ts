import { type Command, Option } from 'commander';
import { exitCodes } from '../../shared/exit-codes.js';
import type { Context } from '../context.js';
import { formatExamples } from '../help/help-text.js';
import type { AccountRecord } from '../output/setup-tables.js';
import {
  addOutputFormatOptions,
  type OutputFormatOptions,
  printRecord,
  printRecords,
} from '../terminal/print-records.js';

interface ShowOptions extends OutputFormatOptions {
  readonly secret?: boolean;
}

/** An account as it is found, as far as it is printed. */
interface Found {
  readonly name: string;
  readonly isIntegration: boolean;
  readonly createdAt: string;
  readonly keyCount: number;
}

/**
 * `venc accounts`: the accounts of a local daemon, in its data folder, whether it runs or not. New ones begin in integration
 * mode (section 5).
 */
export function define(command: Command, context: Context): void {
  command.addHelpText('after', details);
  command
    .command('create')
    .description('Make an account in integration mode, and print its key: the only time it is shown.')
    .argument('<name>', '1 to 64 letters, digits or . _ - @ +')
    .addHelpText('after', formatExamples('venc accounts create studio', 'KEY=$(venc accounts create studio)'))
    .action(context.handler((name: string) => create(name, context)));
  addOutputFormatOptions(command.command('list').description('List the accounts.'), 'many')
    .addHelpText(
      'after',
      formatExamples('venc accounts list', 'venc accounts list --json --fields name,mode'),
    )
    .action(context.handler((options: OutputFormatOptions) => list(options, context)));
  addOutputFormatOptions(
    command
      .command('show')
      .description('Show an account, or the secret that its notifications are signed with.')
      .argument('<name>', 'name of the account'),
    'one',
  )
    .addOption(new Option('--secret', 'print the notification secret, alone').conflicts(['json', 'fields']))
    .addHelpText('after', formatExamples('venc accounts show default', 'venc accounts show default --secret'))
    .action(context.handler((name: string, options: ShowOptions) => show(name, options, context)));
  for (const { arg, isIntegration, description } of modes) {
    command
      .command(arg)
      .description(description)
      .argument('<name>', 'name of the account')
      .addHelpText('after', formatExamples(`venc accounts ${arg} studio`))
      .action(context.handler((name: string) => setMode(name, isIntegration, context)));
  }
}

const modes = [
  {
    arg: 'live',
    isIntegration: false,
    description: 'Take an account out of integration mode: its jobs are encoded in full.',
  },
  {
    arg: 'integration',
    isIntegration: true,
    description: 'Put an account into integration mode: every job of it is a test job.',
  },
] as const;

const details = `
They are those of the data folder (--data, VENC_DATA). A running daemon applies
a change within a second.

Examples:
  venc accounts create studio
  venc accounts live studio
  venc accounts show studio --secret`;

async function create(name: string, { io, dataFolder }: Context) {
  const { createAccount } = await admin();
  const { id, key } = await createAccount(await dataFolder(), name);
  io.writeStderr(`venc: account ${name} made, in integration mode; its full-access key has the id ${id}\n`);
  await io.writeStdout(`${key}\n`);
  return exitCodes.done;
}

async function list(options: OutputFormatOptions, { io, dataFolder }: Context) {
  const { listAccounts } = await admin();
  const records = (await listAccounts(await dataFolder())).map(recordOf);
  await printRecords(io, options, {
    items: records,
    known: noAccount,
    emptyText: 'no accounts',
    text: async (style) => {
      const { accountsTable } = await import('../output/setup-tables.js');
      return accountsTable(records, style);
    },
  });
  return exitCodes.done;
}

/** What `--fields` can name where there is no account. */
const noAccount: AccountRecord = { name: '', mode: 'live', created_at: '', keys: 0 };

async function show(name: string, options: ShowOptions, { io, dataFolder }: Context) {
  const { findAccount } = await admin();
  const account = await findAccount(await dataFolder(), name);
  if (options.secret === true) {
    await io.writeStdout(`${account.notificationSecret}\n`);
    return exitCodes.done;
  }
  const record = recordOf(account);
  await printRecord(io, options, {
    answer: record,
    known: record,
    text: async () => {
      const { accountText } = await import('../output/setup-tables.js');
      return accountText(record);
    },
  });
  return exitCodes.done;
}

async function setMode(name: string, isIntegration: boolean, { io, dataFolder }: Context) {
  const openAdmin = await admin();
  const isChanged = await openAdmin.setMode(await dataFolder(), name, { isIntegration });
  const mode = isIntegration ? 'in integration mode' : 'live';
  io.writeStderr(`venc: account ${name} is ${mode}${isChanged ? '' : ' already'}\n`);
  return exitCodes.done;
}

function admin() {
  return import('../../../daemon/admin/accounts.js');
}

function recordOf({ name, isIntegration, createdAt, keyCount }: Found): AccountRecord {
  return { name, mode: isIntegration ? 'integration' : 'live', created_at: createdAt, keys: keyCount };
}
