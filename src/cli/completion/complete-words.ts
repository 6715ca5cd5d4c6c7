import { presetNames } from '../../config/presets.js';
import { localTarget, readTargets } from '../../config/targets.js';
import type { JobRecord } from '../../shared/records.js';
import { redact } from '../../shared/redact.js';
import { safeText } from '../../shared/text/safe-text.js';
import type { Context } from '../context.js';
import type { Io } from '../terminal/io.js';
import { type CompletionQuery, completionQueries } from './protocol.js';

/** Timeout of the service. Longer delays would disturb typing. */
const timeoutMs = 300;
/** Maximum number of jobs to offer, newest first. */
const jobCount = 30;

/** A completion, and the description that a shell may show next to it. */
interface CompletionItem {
  readonly arg: string;
  readonly shown: string;
}

/**
 * Answers a query of a completion script: one completion per line, with its description after a tab. Prints nothing on
 * errors and timeouts, because an error in the middle of a command line would disturb the user.
 */
export async function completeArgs(args: readonly string[], io: Io): Promise<void> {
  const what = completionQueries.find((query) => query === args[0]);
  if (what === undefined) return;
  try {
    const items = await completionItemsFor(what, args.slice(1), io);
    await io.writeStdout(items.map(lineOf).join(''));
  } catch {
    // A pending DNS lookup would keep the process running.
    io.exit(0);
  }
}

async function completionItemsFor(
  what: CompletionQuery,
  args: readonly string[],
  io: Io,
): Promise<readonly CompletionItem[]> {
  switch (what) {
    case 'targets':
      return targetItems(io);
    case 'presets':
      return (await presetNames(io.env)).map((name) => ({ arg: name, shown: 'preset' }));
    case 'accounts':
    case 'keys':
      return args.includes('--database') ? [] : accountItems(what, contextFor(args, io));
    case 'workers':
      return workerItems(contextFor(args, io));
    case 'followed': {
      const followed = args.includes('--input') ? 'inputs' : args.includes('--output') ? 'outputs' : 'jobs';
      return jobItems(followed, contextFor(args, io));
    }
    default:
      return jobItems(what, contextFor(args, io));
  }
}

async function targetItems({ env }: Io): Promise<readonly CompletionItem[]> {
  const own = { arg: localTarget, shown: 'the local daemon' };
  return [own, ...(await readTargets(env)).map(({ name, url }) => ({ arg: name, shown: redact(url) }))];
}

async function accountItems(
  what: 'accounts' | 'keys',
  opened: Promise<Context>,
): Promise<readonly CompletionItem[]> {
  const context = await opened;
  // A connection takes longer than a person wants to wait, and the names in the data folder are others. So with `--database`.
  if ((await context.database()) !== null) return [];
  const { readAccountNames } = await import('../../../daemon/admin/read-account-names.js');
  const { accounts, keys } = await readAccountNames(await context.dataFolder());
  if (what === 'keys') {
    return keys.map(({ id, kind, account }) => ({
      arg: id,
      shown: account === null ? kind : `${kind}, of ${account}`,
    }));
  }
  return accounts.map(({ name, isIntegration }) => ({
    arg: name,
    shown: isIntegration ? 'in integration mode' : 'live',
  }));
}

async function jobItems(what: JobQuery, opened: Promise<Context>): Promise<readonly CompletionItem[]> {
  const signal = AbortSignal.timeout(timeoutMs);
  const client = await (await opened).client();
  const { jobs } = await client.listJobs({ perPage: jobCount }, signal);
  const seen = new Set<string>();
  return itemsByQuery[what](jobs).filter(({ arg }) => {
    const isNew = arg !== '' && arg !== '0' && !seen.has(arg);
    seen.add(arg);
    return isNew;
  });
}

async function workerItems(opened: Promise<Context>): Promise<readonly CompletionItem[]> {
  const { requestWorkers } = await import('../../client/workers.js');
  const { workers } = await requestWorkers(await (await opened).client(), AbortSignal.timeout(timeoutMs));
  return workers.map(({ name, draining, job_ids: jobIds, jobs }) => ({
    arg: name,
    shown: `${draining ? 'draining, ' : ''}${jobIds.length} of ${jobs} jobs`,
  }));
}

/** A query that is answered from the newest jobs. */
type JobQuery = Exclude<
  CompletionQuery,
  'targets' | 'presets' | 'accounts' | 'keys' | 'workers' | 'followed'
>;

const itemsByQuery: Readonly<Record<JobQuery, (jobs: readonly JobRecord[]) => readonly CompletionItem[]>> = {
  jobs: (jobs) => [...lastJobItems(jobs), ...jobs.map(toJobItem)],
  active: (jobs) => jobs.filter(({ state }) => ['waiting', 'processing'].includes(state)).map(toJobItem),
  unfinished: (jobs) => jobs.filter(({ state }) => state !== 'finished').map(toJobItem),
  inputs: (jobs) => jobs.map((job) => ({ ...toJobItem(job), arg: String(job.input_media_file.id) })),
  outputs: (jobs) =>
    jobs.flatMap((job) =>
      job.output_media_files.map(({ id, label, state }) => ({
        arg: String(id),
        shown: `${state}, ${label ?? nameIn(job)}`,
      })),
    ),
  labels: (jobs) =>
    jobs.flatMap((job) =>
      job.output_media_files.map(({ label }) => ({ arg: label ?? '', shown: `of job ${job.id}` })),
    ),
  groupings: (jobs) => jobs.map(({ id, grouping }) => ({ arg: grouping ?? '', shown: `of job ${id}` })),
};

/** `@last`, described by the newest job. */
function lastJobItems([newest]: readonly JobRecord[]): readonly CompletionItem[] {
  return newest === undefined
    ? []
    : [{ arg: '@last', shown: `job ${newest.id}, ${toJobItem(newest).shown}` }];
}

function toJobItem(job: JobRecord): CompletionItem {
  return { arg: String(job.id), shown: `${job.state}, ${nameIn(job)}` };
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

/** The context for the arguments typed so far. Warnings about the configuration are dropped. */
async function contextFor(args: readonly string[], io: Io): Promise<Context> {
  const { createContext } = await import('../context.js');
  return createContext({ ...io, writeStderr: () => {} }, () => globalsIn(args));
}

/** Reads `--data=FOLDER` and `--target=NAME`; ignores all other arguments. */
function globalsIn(args: readonly string[]): { data?: string; target?: string } {
  const flagValue = (flag: string) => args.findLast((arg) => arg.startsWith(flag))?.slice(flag.length);
  const data = flagValue('--data=');
  const target = flagValue('--target=');
  return { ...(data === undefined ? {} : { data }), ...(target === undefined ? {} : { target }) };
}

/**
 * One line of the answer; empty for a name with control characters. Names and descriptions come from services, and
 * control characters could move the cursor or start another line.
 */
function lineOf({ arg, shown }: CompletionItem): string {
  return /[\p{Cc}\u2028\u2029]/u.test(arg) ? '' : `${arg}\t${safeText(shown).replace(/\s+/g, ' ')}\n`;
}
