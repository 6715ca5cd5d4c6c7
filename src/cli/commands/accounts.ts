import { type Command, Option } from 'commander';
import { VencError } from '../../shared/errors.js';
import { byteSizeParser, integerParser } from '../../shared/flag-parsers.js';
import { type QuotaLimits, quotaText } from '../../shared/text/quotas.js';
import { humanTime } from '../../shared/text/units.js';
import type { Context } from '../context.js';
import { formatExamples } from '../input/args.js';
import {
  addSetupOptions,
  changeSetup,
  readSetup,
  type SetupOptions,
  setupHelp,
} from '../input/with-setup.js';
import {
  addListCommand,
  addOutputFormatOptions,
  type OutputFormatOptions,
  printRecord,
} from '../terminal/print-records.js';

interface ShowOptions extends OutputFormatOptions, SetupOptions {
  readonly secret?: boolean;
}

/** The part of an account that is printed. */
interface Found {
  readonly name: string;
  readonly isIntegration: boolean;
  readonly createdAt: string;
  readonly keyCount: number;
  readonly quotas?: QuotaLimits;
}

interface QuotaOptions extends SetupOptions {
  readonly waitingJobs?: number | 'none';
  readonly minutesPerDay?: number | 'none';
  readonly hostedBytes?: number | 'none';
}

/**
 * `venc accounts`: manages the accounts in the data folder of a local daemon, or in the database of several. No daemon
 * need be running. New accounts start in integration mode (section 5).
 */
export function define(command: Command, context: Context): void {
  command.addHelpText('after', details);
  addSetupOptions(command.command('create'))
    .description('Create an account in integration mode and print its key, which is not shown again.')
    .argument('<name>', '1 to 64 letters, digits or . _ - @ +')
    .addHelpText('after', formatExamples('venc accounts create studio', 'KEY=$(venc accounts create studio)'))
    .action(context.handler(create));
  addListCommand(command, context, {
    name: 'accounts',
    description: 'List the accounts.',
    details: formatExamples('venc accounts list', 'venc accounts list --json --fields name,mode'),
    known: { name: '', mode: 'live', created_at: '', keys: 0, quotas: noQuotas },
    columns: () => [
      { title: 'NAME', priority: 4, minWidth: 12, text: ({ name }) => name },
      { title: 'MODE', priority: 3, text: ({ mode }) => mode },
      { title: 'KEYS', priority: 2, isRightAligned: true, text: ({ keys }) => String(keys) },
      { title: 'CREATED', priority: 1, text: (account) => humanTime(account.created_at) },
    ],
    addFlags: addSetupOptions,
    read: list,
  });
  const shown = command
    .command('show')
    .description('Show an account, or the secret that signs its notifications.')
    .argument('<name>', 'name of the account');
  addSetupOptions(addOutputFormatOptions(shown, 'one'))
    .addOption(new Option('--secret', 'print only the notification secret').conflicts(['json', 'fields']))
    .addHelpText('after', formatExamples('venc accounts show default', 'venc accounts show default --secret'))
    .action(context.handler(show));
  const limited = command
    .command('quota')
    .description('Limit what an account may do. A create beyond a limit is rejected with 429.')
    .argument('<name>', 'name of the account');
  addSetupOptions(limited)
    .option('--waiting-jobs <number>', 'jobs that wait', orNone(integerParser('--waiting-jobs', 1)))
    .option(
      '--minutes-per-day <number>',
      'minutes of finished outputs on a day in UTC',
      orNone(integerParser('--minutes-per-day', 1)),
    )
    .option(
      '--hosted-bytes <size>',
      'size of the hosted outputs, such as 50GB',
      orNone(byteSizeParser('--hosted-bytes')),
    )
    .addHelpText('after', quotaDetails)
    .action(context.handler(quota));
  for (const { arg, isIntegration, description } of modes) {
    addSetupOptions(command.command(arg))
      .description(description)
      .argument('<name>', 'name of the account')
      .addHelpText('after', formatExamples(`venc accounts ${arg} studio`))
      .action(context.handler(setMode(isIntegration)));
  }
}

const modes = [
  {
    arg: 'live',
    isIntegration: false,
    description: 'Switch an account to live mode: its jobs are encoded in full.',
  },
  {
    arg: 'integration',
    isIntegration: true,
    description: 'Switch an account to integration mode: all its jobs are test jobs.',
  },
] as const;

const quotaDetails = `
A flag that is left out changes nothing, and none removes a limit. The account
default is the owner's and has no limits.

Examples:
  venc accounts quota studio --waiting-jobs 100 --minutes-per-day 600
  venc accounts quota studio --hosted-bytes 50GB
  venc accounts quota studio --minutes-per-day none`;

const noQuotas = { waiting_jobs: null, minutes_per_day: null, hosted_bytes: null };

const details = `${setupHelp('accounts')}

Examples:
  venc accounts create studio
  venc accounts list --database postgres://venc@db/venc
  venc accounts live studio
  venc accounts quota studio --waiting-jobs 100
  venc accounts show studio --secret`;

async function create(name: string, options: SetupOptions, context: Context) {
  const { io } = context;
  const { createAccount } = await admin();
  const { id, key } = await changeSetup(context, options, (setup) => createAccount(setup, name));
  io.writeInfo(`venc: account ${name} created in integration mode; its full-access key has the id ${id}\n`);
  await io.writeStdout(`${key}\n`);
}

async function list(options: SetupOptions, context: Context) {
  const { listAccounts } = await admin();
  return (await readSetup(context, options, (setup) => listAccounts(setup))).map(recordOf);
}

async function show(name: string, options: ShowOptions, context: Context) {
  const { io } = context;
  const { findAccount } = await admin();
  const account = await readSetup(context, options, (setup) => findAccount(setup, name));
  if (options.secret === true) {
    await io.writeStdout(`${account.notificationSecret}\n`);
    return;
  }
  const record = recordOf(account);
  await printRecord(io, options, {
    answer: record,
    known: record,
    text: async () => {
      const { factLines } = await import('../output/wrap-text.js');
      const lines = factLines([
        ['name', record.name],
        ['mode', record.mode],
        ['created', humanTime(record.created_at)],
        ['keys', String(record.keys)],
        ...(account.quotas === undefined ? [] : [['limits', quotaText(account.quotas)] as const]),
      ]);
      return lines.map((line) => `${line}\n`).join('');
    },
  });
}

async function quota(name: string, options: QuotaOptions, context: Context): Promise<void> {
  const { waitingJobs, minutesPerDay, hostedBytes } = options;
  const given = Object.entries({ waitingJobs, minutesPerDay, hostedBytes });
  const changes = Object.fromEntries(
    given.flatMap(([limit, value]) =>
      value === undefined ? [] : [[limit, value === 'none' ? null : value]],
    ),
  );
  if (Object.keys(changes).length === 0)
    throw new VencError('UsageError', 'Give a limit: --waiting-jobs, --minutes-per-day or --hosted-bytes.', {
      hint: `venc accounts show ${name} shows those that it has`,
    });
  const { setQuotas } = await admin();
  const quotas = await changeSetup(context, options, (setup) => setQuotas(setup, name, changes));
  context.io.writeInfo(`venc: limits of account ${name}: ${quotaText(quotas)}\n`);
}

/** Parses the value of a limit, or `none`. */
function orNone(parse: (word: string) => number): (word: string) => number | 'none' {
  return (word) => (word === 'none' ? word : parse(word));
}

function setMode(isIntegration: boolean) {
  return async (name: string, options: SetupOptions, context: Context): Promise<void> => {
    const openAdmin = await admin();
    const isChanged = await changeSetup(context, options, (setup) =>
      openAdmin.setMode(setup, name, { isIntegration }),
    );
    const mode = isIntegration ? 'in integration mode' : 'live';
    context.io.writeInfo(`venc: account ${name} is ${isChanged ? '' : 'already '}${mode}\n`);
  };
}

function admin() {
  return import('../../../daemon/admin/accounts.js');
}

/** An account as it is printed. In integration mode every job is a test job. */
function recordOf({ name, isIntegration, createdAt, keyCount, quotas = {} }: Found) {
  return {
    ...{ name, mode: isIntegration ? 'integration' : 'live', created_at: createdAt, keys: keyCount },
    quotas: {
      waiting_jobs: quotas.waitingJobs ?? null,
      minutes_per_day: quotas.minutesPerDay ?? null,
      hosted_bytes: quotas.hostedBytes ?? null,
    },
  };
}
