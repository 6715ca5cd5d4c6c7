import { type Command, Option } from 'commander';
import { safeText } from '../../shared/text/safe-text.js';
import type { Context } from '../context.js';
import {
  addSetupOptions,
  changeSetup,
  readSetup,
  type SetupOptions,
  setupHelp,
} from '../input/with-setup.js';
import { humanAge, humanTime } from '../output/units.js';
import { addListCommand } from '../terminal/print-records.js';

interface CreateOptions extends SetupOptions {
  readonly account: string;
  readonly readOnly?: boolean;
  readonly worker?: boolean;
}

interface ListOptions extends SetupOptions {
  readonly account?: string;
}

/**
 * `venc keys`: manages the API keys in the data folder of a local daemon, or in the database of several. No daemon need
 * be running (section 5).
 */
export function define(command: Command, context: Context): void {
  command.addHelpText('after', details);
  addSetupOptions(command.command('create'))
    .description('Create a key and print it. It is not shown again.')
    .option('--account <name>', 'the account of the key', 'default')
    .option('--read-only', 'a key that can only read input and output details and progress')
    .addOption(
      new Option('--worker', 'a key for venc worker, which runs the jobs of all accounts').conflicts([
        'account',
        'readOnly',
      ]),
    )
    .addHelpText('after', createExamples)
    .action(context.handler(create));
  addListCommand(command, context, {
    name: 'keys',
    description: 'List the short ids of the keys, not the keys themselves.',
    details: listExamples,
    known: { id: '', kind: 'full', account: '', created_at: '', last_used_at: null },
    columns: (now) => [
      { title: 'ID', priority: 5, text: ({ id }) => id },
      { title: 'KIND', priority: 3, text: ({ kind }) => kind },
      { title: 'ACCOUNT', priority: 4, minWidth: 12, text: ({ account }) => account ?? '' },
      { title: 'CREATED', priority: 1, text: (key) => humanTime(key.created_at) },
      {
        title: 'LAST USE',
        priority: 2,
        text: ({ last_used_at: time }) => (time === null ? 'never' : `${humanAge(time, now)} ago`),
      },
    ],
    addFlags: (listing) =>
      addSetupOptions(listing).option('--account <name>', 'only the keys of this account'),
    read: list,
  });
  addSetupOptions(command.command('revoke'))
    .description('Revoke a key permanently.')
    .argument('<id>', 'short id of the key, as venc keys list shows it')
    .addHelpText('after', revokeDetails)
    .action(context.handler(revoke));
}

const details = `${setupHelp('keys')}

Examples:
  venc keys create --read-only
  venc keys create --worker --database postgres://venc@db/venc
  venc keys list
  venc keys revoke 1f2e3d4c`;

const createExamples = `
Examples:
  venc keys create --account studio
  venc keys create --worker
  VENC_API_KEY=$(venc keys create --account studio) venc list`;

const listExamples = `
A running daemon records the last use of each key, with up to a minute of delay.

Examples:
  venc keys list --account studio
  venc keys list --json --fields id,last_used_at`;

const revokeDetails = `
Commands of the same user authenticate with the owner's key. It can be revoked
too: the daemon creates a new one at its next start.

Examples:
  venc keys revoke 1f2e3d4c`;

async function create(options: CreateOptions, context: Context) {
  const { io } = context;
  const { createKey, createWorkerKey } = await openAdmin();
  if (options.worker === true) {
    const { id, key } = await changeSetup(context, options, (setup) => createWorkerKey(setup));
    io.writeStderr(`venc: worker key created; its id is ${id}\n`);
    await io.writeStdout(`${key}\n`);
    return;
  }
  const kind = options.readOnly === true ? 'read-only' : 'full';
  const { id, key } = await changeSetup(context, options, (setup) => createKey(setup, options.account, kind));
  io.writeStderr(`venc: ${kindName[kind]} key of account ${options.account} created; its id is ${id}\n`);
  await io.writeStdout(`${key}\n`);
}

const kindName = { full: 'full-access', 'read-only': 'read-only' } as const;

async function list(options: ListOptions, context: Context) {
  const { listKeys } = await openAdmin();
  const found = await readSetup(context, options, (setup) => listKeys(setup, options.account));
  return found.map(({ id, kind, account, createdAt, lastUsedAt }) => ({
    id,
    kind,
    account,
    created_at: createdAt,
    last_used_at: lastUsedAt,
  }));
}

async function revoke(id: string, options: SetupOptions, context: Context) {
  const { io } = context;
  const { revokeKey } = await openAdmin();
  const revoked = await changeSetup(context, options, (setup) => revokeKey(setup, id));
  if (revoked.kind === 'worker') {
    io.writeStderr(`venc: worker key ${id} revoked\n`);
    return;
  }
  const { kind, account, isOwners: isOwnerKey, hasFullKeyLeft } = revoked;
  const name = safeText(account);
  io.writeStderr(`venc: key ${id} of account ${name} revoked\n`);
  if (isOwnerKey) {
    io.writeStderr("venc: it was the owner's key: the daemon creates a new one at its next start\n");
  }
  if (kind === 'full' && !hasFullKeyLeft) {
    io.writeStderr(`venc: account ${name} no longer has a full-access key\n`);
    io.writeStderr(`venc: hint: to create one: venc keys create --account ${name}\n`);
  }
}

function openAdmin() {
  return import('../../../daemon/admin/api-keys.js');
}
