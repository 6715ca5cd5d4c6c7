import type { CommandNode } from '../../../src/cli/command-tree.js';
import { commandBlocks, flagBlocks, usageOf } from './parts.js';
import { type Block, blocksOf } from './roff.js';

/** The manual of the local service: venc-daemon(8). */
export function daemonBlocks(program: CommandNode): readonly Block[] {
  const daemon = program.commands.find(({ path }) => path[0] === 'daemon');
  if (daemon === undefined) return [];
  const { description: _intro, ...rest } = daemon;
  const [remarks = '', examples = ''] = daemon.details.split(/^Examples:\n/m);
  return [
    { kind: 'section', title: 'Name' },
    { kind: 'text', text: 'venc-daemon - the local service that encodes video' },
    { kind: 'section', title: 'Synopsis' },
    { kind: 'text', text: usageOf(daemon) },
    { kind: 'section', title: 'Description' },
    ...blocksOf(`${description}\n\n${remarks}`),
    { kind: 'section', title: 'Options' },
    ...commandBlocks({ ...rest, description: 'What may be given:' }, []),
    ...flagBlocks(program.flags.filter(({ long }) => long === '--data' || long === '--debug')),
    { kind: 'section', title: 'Signals' },
    { kind: 'term', term: 'SIGTERM, SIGINT', text: signals },
    { kind: 'section', title: 'Environment' },
    ...terms(environment),
    { kind: 'section', title: 'Files' },
    { kind: 'text', text: 'Below the data folder, which is --data, VENC_DATA, or ~/.local/share/venc:' },
    ...terms(files),
    { kind: 'section', title: 'Exit status' },
    ...terms(codes),
    { kind: 'section', title: 'Examples' },
    ...blocksOf(examples),
    { kind: 'section', title: 'See also' },
    { kind: 'text', text: 'venc(1)' },
  ];
}

const description = `venc daemon speaks Zencoder's REST API, encodes with ffmpeg, and keeps its jobs as files in a folder: it needs no database, and
loses no job through crashes, kills and power cuts. It runs in the foreground. Commands of the same user find it by its data folder; programs by its address
and a key, such as the owner's own, which lies in the file owner-key there. /openapi.json describes the API.`;

const signals = `Take no more jobs, give those that run the time of --grace, put the rest back into the queue and leave with 0. A second signal ends the
grace, a third leaves at once.`;

const environment: readonly (readonly [string, string])[] = [
  ['VENC_API_KEY', "A key that is taken as its owner's."],
  ['VENC_DATA, VENC_FFMPEG, VENC_FFPROBE', 'As --data, --ffmpeg and --ffprobe.'],
  [
    'AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, AWS_REGION, AWS_ENDPOINT_URL_S3',
    'For s3: addresses that bring no user of their own; path-style with an endpoint.',
  ],
  ['VENC_GCS_ACCESS_KEY_ID, VENC_GCS_SECRET_ACCESS_KEY, VENC_GCS_ENDPOINT', 'For gcs:, with HMAC keys.'],
  ['VENC_SWIFT_AUTH_URL, VENC_SWIFT_USER, VENC_SWIFT_KEY', 'For cf:, by version 1 of its authentication.'],
  ['VENC_SFTP_KEY, VENC_SFTP_PASSPHRASE', 'For sftp:, a private key, as text or as a path.'],
  ['NODE_EXTRA_CA_CERTS', 'Certificate authorities of your own.'],
];

const files: readonly (readonly [string, string])[] = [
  ['jobs/', 'One JSON document a job.'],
  ['accounts.json, key-uses.json', 'Accounts, hashes of keys and their last uses.'],
  ['owner-key, daemon.json', "The owner's key and the address of the daemon that runs, for the owner alone."],
  ['hosted/, uploads/', 'Outputs without an address of their own, and uploads; gone after 24 hours.'],
  ['scratch/', 'Work in progress, cleared at every start.'],
  ['known_hosts, leftovers/', 'Host keys of SFTP servers, and what lies unfinished at servers.'],
];

const codes: readonly (readonly [string, string])[] = [
  ['0', 'It was stopped in good order.'],
  ['2', 'Asked wrongly, or the data folder cannot be written.'],
  ['6', 'The port or the data folder is in use.'],
];

function terms(rows: readonly (readonly [string, string])[]): readonly Block[] {
  return rows.map(([term, text]) => ({ kind: 'term', term, text }));
}
