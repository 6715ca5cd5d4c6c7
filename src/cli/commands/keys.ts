import { type Command, Option } from 'commander';
import { VencError } from '../../shared/errors.js';
import { ageParser } from '../../shared/flag-parsers.js';
import { expiryText, maxExpirySeconds, readExpiry } from '../../shared/text/key-expiry.js';
import { safeText } from '../../shared/text/safe-text.js';
import { humanAge, humanTime } from '../../shared/text/units.js';
import type { Context } from '../context.js';
import {
  addSetupOptions,
  changeSetup,
  readSetup,
  type SetupOptions,
  setupHelp,
} from '../input/with-setup.js';
import { addListCommand } from '../terminal/print-records.js';

interface CreateOptions extends SetupOptions {
  readonly account: string;
  readonly readOnly?: boolean;
  readonly viewer?: boolean;
  readonly worker?: boolean;
  readonly name?: string;
  readonly expires?: string;
}

interface RotateOptions extends SetupOptions {
  readonly grace: number;
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
    .option('--name <name>', 'what the key is for: 1 to 64 letters, digits or . _ - @ +')
    .option(
      '--expires <when>',
      'when the key stops working: after a time such as 12h or 90d, or a date in UTC',
    )
    .option('--read-only', 'a key that can only read input and output details and progress')
    .addOption(
      new Option(
        '--viewer',
        'a key that can read everything of the account, such as jobs, logs and the queue, and change nothing',
      ).conflicts('readOnly'),
    )
    .addOption(
      new Option('--worker', 'a key for venc worker, which runs the jobs of all accounts').conflicts([
        'account',
        'readOnly',
        'viewer',
      ]),
    )
    .addHelpText('after', createExamples)
    .action(context.handler(create));
  addListCommand(command, context, {
    name: 'keys',
    description: 'List the short ids of the keys, not the keys themselves.',
    details: listExamples,
    known: {
      ...{ id: '', name: null, kind: 'full', account: '' },
      ...{ created_at: '', expires_at: null, last_used_at: null },
    },
    columns: (now) => [
      { title: 'ID', priority: 7, text: ({ id }) => id },
      { title: 'NAME', priority: 6, minWidth: 8, text: ({ name }) => name ?? '' },
      { title: 'KIND', priority: 3, text: ({ kind }) => kind },
      { title: 'ACCOUNT', priority: 4, minWidth: 12, text: ({ account }) => account ?? '' },
      { title: 'CREATED', priority: 1, text: (key) => humanTime(key.created_at) },
      { title: 'EXPIRES', priority: 5, text: (key) => expiryText(key.expires_at, now) },
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
  addSetupOptions(command.command('rotate'))
    .description("Replace the owner's key and print the new one. It needs no restart of the daemon.")
    .addOption(
      new Option('--grace <time>', 'how long the earlier key stays valid')
        .argParser(graceParser)
        .default(defaultGraceSeconds, '24h'),
    )
    .addHelpText('after', rotateDetails)
    .action(context.handler(rotate));
  addSetupOptions(command.command('revoke'))
    .description('Revoke a key permanently.')
    .argument('<id>', 'short id of the key, as venc keys list shows it')
    .addHelpText('after', revokeDetails)
    .action(context.handler(revoke));
}

const details = `${setupHelp('keys')}

Examples:
  venc keys create --read-only
  venc keys create --name ci --expires 90d
  venc keys create --worker --database postgres://venc@db/venc
  venc keys list
  venc keys rotate
  venc keys revoke 1f2e3d4c`;

const defaultGraceSeconds = 86_400;

const rotateDetails = `
The new key is in the file owner-key of the data folder at once, where commands
of the same user find it. The earlier one works until the end of --grace, and
never becomes the owner's again, also if VENC_API_KEY of the daemon still has it.

Examples:
  venc keys rotate
  venc keys rotate --grace 7d
  venc keys rotate --grace 0s          # the earlier key is known to others`;

const createExamples = `
A key that has expired is answered with 401. It stays in the list until it is revoked.

Examples:
  venc keys create --account studio
  venc keys create --viewer --name dashboard
  venc keys create --name ci --expires 90d
  venc keys create --name fair --expires 2027-03-31T18:00Z
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
  const { name } = options;
  const expiresAt = options.expires === undefined ? undefined : parseExpiry(options.expires, new Date());
  const details = {
    ...(name === undefined ? {} : { name }),
    ...(expiresAt === undefined ? {} : { expiresAt }),
  };
  const until = expiresAt === undefined ? '' : `, and it expires on ${humanTime(expiresAt)}`;
  const { createKey, createWorkerKey } = await openAdmin();
  if (options.worker === true) {
    const { id, key } = await changeSetup(context, options, (setup) => createWorkerKey(setup, details));
    io.writeInfo(`venc: worker key created; its id is ${id}${until}\n`);
    await io.writeStdout(`${key}\n`);
    return;
  }
  const kind = kindOf(options);
  const { id, key } = await changeSetup(context, options, (setup) =>
    createKey(setup, options.account, kind, details),
  );
  io.writeInfo(
    `venc: ${kindName[kind]} key of account ${options.account} created; its id is ${id}${until}\n`,
  );
  await io.writeStdout(`${key}\n`);
}

async function rotate({ grace, ...options }: RotateOptions, context: Context) {
  const { io } = context;
  const { rotateOwnerKey } = await openAdmin();
  const { id, key, earlierUntil } = await changeSetup(context, options, (setup) =>
    rotateOwnerKey(setup, grace),
  );
  io.writeInfo(`venc: the owner's key is replaced; the id of the new one is ${id}\n`);
  if (earlierUntil !== null)
    io.writeInfo(`venc: the earlier key is valid until ${humanTime(earlierUntil)}\n`);
  await io.writeStdout(`${key}\n`);
}

function graceParser(word: string): number {
  const seconds = ageParser('--grace')(word);
  if (seconds <= maxExpirySeconds) return seconds;
  throw new VencError('UsageError', '--grace takes at most 3650d.');
}

/** When a key expires, in ISO 8601. Throws `UsageError` for a time that is not in the future. */
function parseExpiry(word: string, now: Date): string {
  const expiry = readExpiry(word, now);
  if ('expiresAt' in expiry) return expiry.expiresAt;
  const { problem, hint } = expiry;
  throw new VencError('UsageError', `--expires ${problem}.`, hint === undefined ? {} : { hint });
}

function kindOf({ viewer, readOnly }: CreateOptions) {
  if (viewer === true) return 'viewer';
  return readOnly === true ? 'read-only' : 'full';
}

const kindName = { full: 'full-access', 'read-only': 'read-only', viewer: 'viewer' } as const;

async function list(options: ListOptions, context: Context) {
  const { listKeys } = await openAdmin();
  const found = await readSetup(context, options, (setup) => listKeys(setup, options.account));
  return found.map(({ id, name, kind, account, createdAt, expiresAt, lastUsedAt }) => ({
    ...{ id, name, kind, account },
    created_at: createdAt,
    expires_at: expiresAt,
    last_used_at: lastUsedAt,
  }));
}

async function revoke(id: string, options: SetupOptions, context: Context) {
  const { io } = context;
  const { revokeKey } = await openAdmin();
  const revoked = await changeSetup(context, options, (setup) => revokeKey(setup, id));
  if (revoked.kind === 'worker') {
    io.writeInfo(`venc: worker key ${id} revoked\n`);
    return;
  }
  const { kind, account, isOwners: isOwnerKey, hasFullKeyLeft } = revoked;
  const name = safeText(account);
  io.writeInfo(`venc: key ${id} of account ${name} revoked\n`);
  if (isOwnerKey) {
    io.writeStderr("venc: warning: it was the owner's key: the daemon creates a new one at its next start\n");
  }
  if (kind === 'full' && !hasFullKeyLeft) {
    io.writeStderr(`venc: warning: account ${name} no longer has a full-access key\n`);
    io.writeStderr(`venc: hint: to create one: venc keys create --account ${name}\n`);
  }
}

function openAdmin() {
  return import('../../../daemon/store/accounts/api-keys.js');
}
