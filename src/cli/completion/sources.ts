import { type ConfigKey, configKeys, configTable } from '../../config/config.js';
import { localTarget, readTargets } from '../../config/targets.js';
import type { JobRecord } from '../../shared/records.js';
import { redact } from '../../shared/redact.js';
import type { CommandNode, FlagNode } from '../command-tree.js';
import type { Context } from '../context.js';
import type { CompletionItem } from './shells.js';

/** Where the words for a place come from: known words, files, the settings of an output, or a lookup. */
export type CompletionSource = readonly CompletionItem[] | 'files' | 'folders' | 'settings' | CompletionQuery;

/** The sources of the values of flags, by the flag or by the placeholder in the help. */
const flagSources: Readonly<Record<string, CompletionSource>> = {
  '--target': 'targets',
  '--preset': 'presets',
  '--account': 'accounts',
  '--label': 'labels',
  '--grouping': 'groupings',
  '<file>': 'files',
  '<path>': 'files',
  '<folder>': 'folders',
  '<dir>': 'folders',
  '<settings>': 'settings',
};

/** The arguments of commands, by source. */
const argumentsBySource: Readonly<Record<string, readonly string[]>> = {
  files: [
    'run input',
    'submit input',
    'plan input',
    'compare file',
    'compare reference',
    'frame file',
    'sheet file',
    'join files',
  ],
  folders: ['backup folder', 'restore folder'],
  inputs: ['input id'],
  outputs: ['output id'],
  active: ['cancel id', 'pause id', 'resume id', 'priority id', 'next id'],
  unfinished: ['resubmit id'],
  jobs: ['show id', 'watch id', 'wait id', 'logs id', 'download id', 'rm id', 'notify id'],
  followed: ['progress id'],
  accounts: ['accounts show name', 'accounts live name', 'accounts integration name'],
  workers: ['workers drain name', 'workers pause name', 'workers resume name'],
  keys: ['keys revoke id'],
  targets: ['target use name', 'target remove name'],
  presets: ['preset show name', 'preset remove name'],
} satisfies { readonly [Source in CompletionQuery | 'files' | 'folders']?: readonly string[] };

/** The sources of configuration values that are not plain text. */
const configSources: { readonly [Key in ConfigKey]?: CompletionSource } = {
  ffmpeg: 'files',
  ffprobe: 'files',
  data: 'folders',
  'files-root': 'folders',
  'output-dir': 'folders',
  target: 'targets',
};

/** The source of the value of a flag. */
export function flagSource({ long, argument, choices }: FlagNode): CompletionSource {
  if (choices.length > 0) return plain(choices);
  return flagSources[long] ?? flagSources[argument ?? ''] ?? [];
}

/** The source of the next argument of a command, behind the arguments `before`. */
export function argumentSource({ path, args }: CommandNode, before: readonly string[]): CompletionSource {
  const command = path.join(' ');
  if (command === 'config get' || command === 'config set') return configSource(command, before);
  const arg = args[before.length] ?? (args.at(-1)?.isVariadic ? args.at(-1) : undefined);
  if (arg === undefined) return [];
  if (arg.choices.length > 0) return plain(arg.choices);
  const isHere = ([, places]: readonly [string, readonly string[]]) =>
    places.includes(`${command} ${arg.name}`);
  // The keys of the table are sources, which its type checks.
  return (Object.entries(argumentsBySource).find(isHere)?.[0] as CompletionSource | undefined) ?? [];
}

function configSource(command: string, [key, ...others]: readonly string[]): CompletionSource {
  if (key === undefined)
    return configKeys.map((word) => ({ word, about: shortHelp(configTable[word].help) }));
  const known = configKeys.find((one) => one === key);
  if (known === undefined || others.length > 0 || command === 'config get') return [];
  return configTable[known].choices === null
    ? (configSources[known] ?? [])
    : plain(configTable[known].choices ?? []);
}

/** The start of a help text without ranges and defaults, because shells show it next to each completion. */
export function shortHelp(help: string): string {
  const short = help.replace(/ \([^()]*(?:\([^()]*\)[^()]*)*\)$/, '');
  return short.length > 72 ? `${short.slice(0, 69).trimEnd()}...` : short;
}

/** Words without descriptions. */
function plain(words: readonly string[]): readonly CompletionItem[] {
  return words.map((word) => ({ word, about: '' }));
}

/** Timeout of the service. Longer delays would disturb typing. */
const timeoutMs = 300;
/** Maximum number of jobs to offer, newest first. */
const jobCount = 30;

/** Names that only the program knows: those in files of the user, and data of the service. */
type CompletionQuery = 'targets' | 'presets' | 'accounts' | 'keys' | 'workers' | 'followed' | JobQuery;

/** Looks up the names of a query. `flags` are the flags typed so far. Rejects on errors and timeouts. */
export async function lookUp(
  query: CompletionQuery,
  flags: ReadonlyMap<string, string>,
  context: Context,
): Promise<readonly CompletionItem[]> {
  switch (query) {
    case 'targets':
      return targetItems(context);
    case 'presets':
      return presetItems(context);
    case 'accounts':
    case 'keys':
      return flags.has('--database') ? [] : accountItems(query, context);
    case 'workers':
      return workerItems(context);
    case 'followed':
      return jobItems(flags.has('--input') ? 'inputs' : flags.has('--output') ? 'outputs' : 'jobs', context);
    default:
      return jobItems(query, context);
  }
}

async function targetItems({ io: { env } }: Context): Promise<readonly CompletionItem[]> {
  const own = { word: localTarget, about: 'the local daemon' };
  return [own, ...(await readTargets(env)).map(({ name, url }) => ({ word: name, about: redact(url) }))];
}

/** The presets of the user, those of the account if the service answers quickly, and those of venc. */
async function presetItems({ io, client }: Context): Promise<readonly CompletionItem[]> {
  const account = async () => {
    const { findAccountPresets } = await import('../../client/presets.js');
    return (await findAccountPresets(await client(), AbortSignal.timeout(timeoutMs))).map(({ name }) => name);
  };
  const { presetNames } = await import('../../config/presets.js');
  const { shippedPresetNames } = await import('../../shared/settings/presets.js');
  const about = new Map(shippedPresetNames.map((word) => [word, 'comes with venc']));
  for (const word of await account().catch(() => [])) about.set(word, 'preset of the account');
  for (const word of await presetNames(io.env)) about.set(word, 'preset');
  return [...about].map(([word, text]) => ({ word, about: text }));
}

async function accountItems(what: 'accounts' | 'keys', context: Context): Promise<readonly CompletionItem[]> {
  // A connection takes longer than a person wants to wait, and the names in the data folder are others. So with `--database`.
  if ((await context.database()) !== null) return [];
  const { readAccountNames } = await import('../../../daemon/admin/read-account-names.js');
  const { accounts, keys } = await readAccountNames(await context.dataFolder());
  if (what === 'keys') {
    return keys.map(({ id, kind, account }) => ({
      word: id,
      about: account === null ? kind : `${kind}, of ${account}`,
    }));
  }
  return accounts.map(({ name, isIntegration }) => ({
    word: name,
    about: isIntegration ? 'in integration mode' : 'live',
  }));
}

async function jobItems(what: JobQuery, context: Context): Promise<readonly CompletionItem[]> {
  const signal = AbortSignal.timeout(timeoutMs);
  const client = await context.client();
  const { jobs } = await client.listJobs({ perPage: jobCount }, signal);
  const seen = new Set<string>();
  return itemsByQuery[what](jobs).filter(({ word }) => {
    const isNew = word !== '' && word !== '0' && !seen.has(word);
    seen.add(word);
    return isNew;
  });
}

async function workerItems(context: Context): Promise<readonly CompletionItem[]> {
  const { requestWorkers } = await import('../../client/workers.js');
  const { workers } = await requestWorkers(await context.client(), AbortSignal.timeout(timeoutMs));
  return workers.map(({ name, draining, job_ids: jobIds, jobs }) => ({
    word: name,
    about: `${draining ? 'draining, ' : ''}${jobIds.length} of ${jobs} jobs`,
  }));
}

/** A query that is answered from the newest jobs. */
type JobQuery = 'jobs' | 'active' | 'unfinished' | 'inputs' | 'outputs' | 'labels' | 'groupings';

const itemsByQuery: Readonly<Record<JobQuery, (jobs: readonly JobRecord[]) => readonly CompletionItem[]>> = {
  jobs: (jobs) => [...lastJobItems(jobs), ...jobs.map(toJobItem)],
  active: (jobs) => jobs.filter(({ state }) => ['waiting', 'processing'].includes(state)).map(toJobItem),
  unfinished: (jobs) => jobs.filter(({ state }) => state !== 'finished').map(toJobItem),
  inputs: (jobs) => jobs.map((job) => ({ ...toJobItem(job), word: String(job.input_media_file.id) })),
  outputs: (jobs) =>
    jobs.flatMap((job) =>
      job.output_media_files.map(({ id, label, state }) => ({
        word: String(id),
        about: `${state}, ${label ?? nameIn(job)}`,
      })),
    ),
  labels: (jobs) =>
    jobs.flatMap((job) =>
      job.output_media_files.map(({ label }) => ({ word: label ?? '', about: `of job ${job.id}` })),
    ),
  groupings: (jobs) => jobs.map(({ id, grouping }) => ({ word: grouping ?? '', about: `of job ${id}` })),
};

/** `@last`, described by the newest job. */
function lastJobItems([newest]: readonly JobRecord[]): readonly CompletionItem[] {
  return newest === undefined
    ? []
    : [{ word: '@last', about: `job ${newest.id}, ${toJobItem(newest).about}` }];
}

function toJobItem(job: JobRecord): CompletionItem {
  return { word: String(job.id), about: `${job.state}, ${nameIn(job)}` };
}

/** The last part of the URL of the input. The rest may contain passwords, and is too long to show next to a completion. */
function nameIn(job: JobRecord): string {
  return (
    (job.input_media_file.url ?? '')
      .replace(/[?#].*$/, '')
      .split('/')
      .at(-1) ?? ''
  );
}
