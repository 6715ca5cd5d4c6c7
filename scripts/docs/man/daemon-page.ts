import type { CommandNode } from '../../../src/cli/command-tree.js';
import { commandBlocks, flagBlocks, usageOf } from './parts.js';
import { type Block, blocksOf } from './roff.js';

/** The manual of the local service: venc-daemon(8). */
export function daemonBlocks(program: CommandNode): readonly Block[] {
  const daemon = program.commands.find(({ path }) => path[0] === 'daemon');
  if (daemon === undefined) return [];
  const { description: _intro, ...rest } = daemon;
  const [details = '', examples = ''] = daemon.details.split(/^Examples:\n/m);
  return [
    { kind: 'section', title: 'Name' },
    { kind: 'text', text: 'venc-daemon - the local service that encodes video' },
    { kind: 'section', title: 'Synopsis' },
    { kind: 'text', text: usageOf(daemon) },
    { kind: 'section', title: 'Description' },
    ...blocksOf(`${description}\n\n${details}`),
    { kind: 'section', title: 'Options' },
    ...commandBlocks({ ...rest, description: 'The daemon accepts these options:' }, []),
    ...flagBlocks(program.flags.filter(({ long }) => long === '--data' || long === '--debug')),
    { kind: 'section', title: 'Signals' },
    { kind: 'term', term: 'SIGTERM, SIGINT', text: signals },
    { kind: 'section', title: 'Environment' },
    ...terms(environment),
    { kind: 'section', title: 'Files' },
    { kind: 'text', text: 'In the data folder, which is --data, VENC_DATA, or ~/.local/share/venc:' },
    ...terms(files),
    { kind: 'section', title: 'Exit status' },
    ...terms(codes),
    { kind: 'section', title: 'Examples' },
    ...blocksOf(examples),
    { kind: 'section', title: 'See also' },
    { kind: 'text', text: 'venc(1)' },
  ];
}

const description = `venc daemon implements Zencoder's REST API, encodes with ffmpeg, and stores its jobs as files in a folder: it needs no database,
and loses no job in crashes, kills and power cuts. It runs in the foreground. Commands of the same user find it by its data folder;
other programs need its URL and a key, such as the key of the owner, which is in the file owner-key in that folder. /openapi.json
describes the API.`;

const signals = `Accept no more jobs, let running jobs finish within the time of --grace, put the rest back into the queue and exit with 0. A second
signal ends the grace period, a third exits immediately.`;

const environment: readonly (readonly [string, string])[] = [
  ['VENC_API_KEY', "A key that is accepted as the owner's."],
  ['VENC_DATA, VENC_FFMPEG, VENC_FFPROBE', 'As --data, --ffmpeg and --ffprobe.'],
  [
    'AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, AWS_REGION, AWS_ENDPOINT_URL_S3',
    'For s3: URLs without a user; path-style with an endpoint.',
  ],
  ['VENC_GCS_ACCESS_KEY_ID, VENC_GCS_SECRET_ACCESS_KEY, VENC_GCS_ENDPOINT', 'For gcs:, with HMAC keys.'],
  ['VENC_SWIFT_AUTH_URL, VENC_SWIFT_USER, VENC_SWIFT_KEY', 'For cf:, by version 1 of its authentication.'],
  ['VENC_SFTP_KEY, VENC_SFTP_PASSPHRASE', 'For sftp:, a private key, as text or as a path.'],
  ['NODE_EXTRA_CA_CERTS', 'Additional certificate authorities.'],
];

const files: readonly (readonly [string, string])[] = [
  ['jobs/', 'One JSON document per job.'],
  ['accounts.json, key-uses.json', 'Accounts, hashes of keys, and the last use of each key.'],
  [
    'owner-key, daemon.json',
    "The owner's key and the URL of the running daemon, readable only by the owner.",
  ],
  [
    'database-key, migration.json',
    'The key of the secrets in a database, readable only by the owner; the migration that filled the folder.',
  ],
  ['hosted/, uploads/', 'Outputs without their own URL, and uploads; removed after 24 hours.'],
  ['scratch/', 'Work in progress, deleted at every start.'],
  ['known_hosts, leftovers/', 'Host keys of SFTP servers, and records of incomplete files on servers.'],
];

const codes: readonly (readonly [string, string])[] = [
  ['0', 'The daemon was stopped by a signal.'],
  ['2', 'The command line is not valid, or the data folder is not writable.'],
  ['6', 'The port or the data folder is in use.'],
];

function terms(rows: readonly (readonly [string, string])[]): readonly Block[] {
  return rows.map(([term, text]) => ({ kind: 'term', term, text }));
}
