import type { Command } from 'commander';
import { safeText } from '../../shared/text/safe-text.js';
import { humanTime } from '../../shared/text/units.js';
import type { Context } from '../context.js';
import { readUserAndSecret } from '../input/read-secret.js';
import {
  addSetupOptions,
  changeSetup,
  databaseHelp,
  readSetup,
  type SetupOptions,
} from '../input/with-setup.js';
import { addListCommand } from '../terminal/print-records.js';

interface AddOptions extends SetupOptions {
  readonly scheme?: string;
  readonly account: string;
  readonly default?: boolean;
}

interface ListOptions extends SetupOptions {
  readonly account?: string;
}

interface RemoveOptions extends SetupOptions {
  readonly account: string;
}

/**
 * `venc credentials`: manages the saved credentials in the data folder of a local daemon, or in the database of
 * several. No daemon need be running.
 */
export function define(command: Command, context: Context): void {
  command.addHelpText('after', details);
  addSetupOptions(command.command('add'))
    .description(
      'Save a user and a secret under a name. They are read from stdin, one per line, or asked for.',
    )
    .argument('<name>', 'the name that requests use: credentials=NAME')
    .option(
      '--scheme <scheme>',
      'only for URLs of this scheme: s3, gcs, cf, ftp, ftps, sftp, http, https or fasp',
    )
    .option('--account <name>', 'the account that may use them', 'default')
    .option('--default', 'use them for URLs of the scheme that have no user and name no credentials')
    .addHelpText('after', addExamples)
    .action(context.handler(add));
  addListCommand(command, context, {
    name: 'credentials',
    description: 'List names and schemes, never users or secrets.',
    details: listExamples,
    known: { name: '', scheme: null, account: '', default: false, created_at: '' },
    columns: () => [
      { title: 'NAME', priority: 3, minWidth: 8, text: ({ name }) => name },
      { title: 'SCHEME', priority: 2, text: ({ scheme }) => scheme ?? 'all' },
      { title: 'DEFAULT', priority: 1, text: ({ default: isDefault }) => (isDefault ? 'yes' : '') },
      { title: 'ACCOUNT', priority: 2, text: ({ account }) => account },
      { title: 'CREATED', priority: 1, text: (one) => humanTime(one.created_at) },
    ],
    addFlags: (listing) => addSetupOptions(listing).option('--account <name>', 'only those of this account'),
    read: list,
  });
  addSetupOptions(command.command('remove'))
    .description('Remove saved credentials. Jobs that name them fail from then on.')
    .argument('<name>', 'their name')
    .option('--account <name>', 'the account that has them', 'default')
    .addHelpText('after', removeExamples)
    .action(context.handler(remove));
}

const details = `
A request names saved credentials instead of containing them: "credentials": "NAME" in the job applies to its input, and in
an output to its destination. They are in the data folder (--data, VENC_DATA), or in the database (--database, VENC_DATABASE, or
database of venc config) if there is one, encrypted with a key that only the user of the daemon can read. A running daemon applies changes
at once.
${databaseHelp}

Examples:
  venc credentials add films --scheme s3
  venc credentials add films --database postgres://venc@db/venc
  venc credentials list
  venc submit https://example.com/in.mov --url s3://films/out.mp4 \\
    --output credentials=films`;

const addExamples = `
Examples:
  venc credentials add films --scheme s3
  venc credentials add films --scheme s3 --default < films.txt`;

const listExamples = `
Examples:
  venc credentials list --account studio
  venc credentials list --json`;

const removeExamples = `
Examples:
  venc credentials remove films`;

async function add(name: string, options: AddOptions, context: Context) {
  const { io } = context;
  const { addCredential } = await openAdmin();
  const { user, secret } = await readUserAndSecret(io);
  await changeSetup(context, options, (setup) =>
    addCredential(setup, {
      name,
      scheme: options.scheme?.toLowerCase() ?? null,
      account: options.account,
      isDefault: options.default ?? false,
      user,
      secret,
    }),
  );
  io.writeInfo(`venc: credentials ${safeText(name)} saved for account ${safeText(options.account)}\n`);
}

async function list(options: ListOptions, context: Context) {
  const { listCredentials } = await openAdmin();
  const found = await readSetup(context, options, (setup) => listCredentials(setup, options.account));
  return found.map(({ name, scheme, account, isDefault, createdAt }) => ({
    name,
    scheme,
    account,
    default: isDefault,
    created_at: createdAt,
  }));
}

async function remove(name: string, options: RemoveOptions, context: Context) {
  const { io } = context;
  const { account } = options;
  const { removeCredential } = await openAdmin();
  await changeSetup(context, options, (setup) => removeCredential(setup, name, account));
  io.writeInfo(`venc: credentials ${safeText(name)} of account ${safeText(account)} removed\n`);
}

function openAdmin() {
  return import('../../../daemon/admin/credentials.js');
}
