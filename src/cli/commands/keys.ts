import type { Command } from 'commander';
import { exitCodes } from '../../shared/exit-codes.js';
import { safeText } from '../../shared/text/safe-text.js';
import type { Context } from '../context.js';
import type { KeyRecord } from '../output/setup-tables.js';
import { addOutputFormatOptions, type OutputFormatOptions, printRecords } from '../terminal/print-records.js';

interface CreateOptions {
  readonly account: string;
  readonly readOnly?: boolean;
}

interface ListOptions extends OutputFormatOptions {
  readonly account?: string;
}

/** `venc keys`: the API keys of a local daemon, in its data folder, whether it runs or not (section 5). */
export function define(command: Command, context: Context): void {
  command.addHelpText('after', details);
  command
    .command('create')
    .description('Make a key, and print it: the only time it is shown.')
    .option('--account <name>', 'the account that it speaks for', 'default')
    .option('--read-only', 'a key that can only read input and output details and progress')
    .addHelpText('after', createExamples)
    .action(context.handler((options: CreateOptions) => create(options, context)));
  addOutputFormatOptions(
    command.command('list').description('List the keys by their short ids; never the keys themselves.'),
    'many',
  )
    .option('--account <name>', 'only the keys of this account')
    .addHelpText('after', listExamples)
    .action(context.handler((options: ListOptions) => list(options, context)));
  command
    .command('revoke')
    .description('Take a key away for good.')
    .argument('<id>', 'short id of the key, as venc keys list shows it')
    .addHelpText('after', revokeDetails)
    .action(context.handler((id: string) => revoke(id, context)));
}

const details = `
They are those of the data folder (--data, VENC_DATA). A running daemon applies
a change within a second.

Examples:
  venc keys create --read-only
  venc keys list
  venc keys revoke 1f2e3d4c`;

const createExamples = `
Examples:
  venc keys create --account studio
  VENC_API_KEY=$(venc keys create --account studio) venc list`;

const listExamples = `
A daemon that runs writes down when each key was used last, at most a minute later.

Examples:
  venc keys list --account studio
  venc keys list --json --fields id,last_used_at`;

const revokeDetails = `
The owner's key, by which commands of the same user find their daemon, can be
revoked too: the next start of the daemon makes a new one.

Examples:
  venc keys revoke 1f2e3d4c`;

async function create(options: CreateOptions, { io, dataFolder }: Context) {
  const { createKey } = await openAdmin();
  const kind = options.readOnly === true ? 'read-only' : 'full';
  const { id, key } = await createKey(await dataFolder(), options.account, kind);
  io.writeStderr(`venc: ${kindName[kind]} key of account ${options.account} made; its id is ${id}\n`);
  await io.writeStdout(`${key}\n`);
  return exitCodes.done;
}

const kindName = { full: 'full-access', 'read-only': 'read-only' } as const;

async function list(options: ListOptions, { io, dataFolder }: Context) {
  const { listKeys } = await openAdmin();
  const found = await listKeys(await dataFolder(), options.account);
  const records = found.map(
    ({ id, kind, account, createdAt, lastUsedAt }): KeyRecord => ({
      id,
      kind,
      account,
      created_at: createdAt,
      last_used_at: lastUsedAt,
    }),
  );
  await printRecords(io, options, {
    items: records,
    known: noKey,
    emptyText: 'no keys',
    text: async (style) => {
      const { keysTable } = await import('../output/setup-tables.js');
      return keysTable(records, { ...style, now: new Date() });
    },
  });
  return exitCodes.done;
}

/** What `--fields` can name where there is no key. */
const noKey: KeyRecord = { id: '', kind: 'full', account: '', created_at: '', last_used_at: null };

async function revoke(id: string, { io, dataFolder }: Context) {
  const { revokeKey } = await openAdmin();
  const { kind, account, isOwners: isOwnerKey, hasFullKeyLeft } = await revokeKey(await dataFolder(), id);
  const name = safeText(account);
  io.writeStderr(`venc: key ${id} of account ${name} revoked\n`);
  if (isOwnerKey) {
    io.writeStderr("venc: it was the owner's own: the next start of the daemon makes a new one\n");
  }
  if (kind === 'full' && !hasFullKeyLeft) {
    io.writeStderr(`venc: account ${name} has no full-access key any more\n`);
    io.writeStderr(`venc: hint: to make one: venc keys create --account ${name}\n`);
  }
  return exitCodes.done;
}

function openAdmin() {
  return import('../../../daemon/admin/api-keys.js');
}
