import { presetNames } from '../../config/presets.js';
import { localTarget, readTargets } from '../../config/targets.js';
import type { JobRecord } from '../../shared/records.js';
import { redact } from '../../shared/redact.js';
import { safeText } from '../../shared/text/safe-text.js';
import type { Context } from '../context.js';
import type { Io } from '../terminal/io.js';
import { type Question, questions } from './questions.js';

/** How long the service may take: longer than this a person waits for a completion only once. */
const patienceMs = 300;
/** How many of the newest jobs are offered. */
const jobCount = 30;

/** A word to offer, and what a shell may show beside it. */
interface Offer {
  readonly word: string;
  readonly shown: string;
}

/**
 * Answers a question of a completion script: one word a line, with what it is behind a tab. Where there is no answer in time, or
 * no good one, it says nothing at all, as whoever types wants no complaints in the middle of the line.
 */
export async function completeWords(words: readonly string[], io: Io): Promise<void> {
  const what = questions.find((question) => question === words[0]);
  if (what === undefined) return;
  try {
    const offers = await offersFor(what, words.slice(1), io);
    await io.out(offers.map(lineOf).join(''));
  } catch {
    // A name that is still looked up would hold the process open.
    io.leave(0);
  }
}

async function offersFor(what: Question, words: readonly string[], io: Io): Promise<readonly Offer[]> {
  switch (what) {
    case 'targets':
      return targetOffers(io);
    case 'presets':
      return (await presetNames(io.env)).map((name) => ({ word: name, shown: 'preset' }));
    case 'accounts':
    case 'keys':
      return deskOffers(what, contextFor(words, io));
    case 'followed': {
      const followed = words.includes('--input') ? 'inputs' : words.includes('--output') ? 'outputs' : 'jobs';
      return jobOffers(followed, contextFor(words, io));
    }
    default:
      return jobOffers(what, contextFor(words, io));
  }
}

async function targetOffers({ env }: Io): Promise<readonly Offer[]> {
  const own = { word: localTarget, shown: 'the daemon of this machine' };
  return [own, ...(await readTargets(env)).map(({ name, url }) => ({ word: name, shown: redact(url) }))];
}

async function deskOffers(what: 'accounts' | 'keys', opened: Promise<Context>): Promise<readonly Offer[]> {
  const { readAccountNames: readDeskNames } = await import('../../../daemon/admin/read-account-names.js');
  const { accounts, keys } = await readDeskNames(await (await opened).dataFolder());
  if (what === 'keys') {
    return keys.map(({ id, kind, account }) => ({ word: id, shown: `${kind}, of ${account}` }));
  }
  return accounts.map(({ name, isIntegration }) => ({
    word: name,
    shown: isIntegration ? 'in integration mode' : 'live',
  }));
}

async function jobOffers(what: JobQuestion, opened: Promise<Context>): Promise<readonly Offer[]> {
  const signal = AbortSignal.timeout(patienceMs);
  const client = await (await opened).client();
  const { jobs } = await client.listJobs({ perPage: jobCount }, signal);
  const seen = new Set<string>();
  return offersOf[what](jobs).filter(({ word }) => {
    const isNew = word !== '' && word !== '0' && !seen.has(word);
    seen.add(word);
    return isNew;
  });
}

/** A question that the newest jobs answer. */
type JobQuestion = Exclude<Question, 'targets' | 'presets' | 'accounts' | 'keys' | 'followed'>;

const offersOf: Readonly<Record<JobQuestion, (jobs: readonly JobRecord[]) => readonly Offer[]>> = {
  jobs: (jobs) => [...lastOffers(jobs), ...jobs.map(jobOffer)],
  active: (jobs) => jobs.filter(({ state }) => ['waiting', 'processing'].includes(state)).map(jobOffer),
  unfinished: (jobs) => jobs.filter(({ state }) => state !== 'finished').map(jobOffer),
  inputs: (jobs) => jobs.map((job) => ({ ...jobOffer(job), word: String(job.input_media_file.id) })),
  outputs: (jobs) =>
    jobs.flatMap((job) =>
      job.output_media_files.map(({ id, label, state }) => ({
        word: String(id),
        shown: `${state}, ${label ?? nameIn(job)}`,
      })),
    ),
  labels: (jobs) =>
    jobs.flatMap((job) =>
      job.output_media_files.map(({ label }) => ({ word: label ?? '', shown: `of job ${job.id}` })),
    ),
  groupings: (jobs) => jobs.map(({ id, grouping }) => ({ word: grouping ?? '', shown: `of job ${id}` })),
};

/** `@last`, with what the newest job is. */
function lastOffers([newest]: readonly JobRecord[]): readonly Offer[] {
  return newest === undefined
    ? []
    : [{ word: '@last', shown: `job ${newest.id}, ${jobOffer(newest).shown}` }];
}

function jobOffer(job: JobRecord): Offer {
  return { word: String(job.id), shown: `${job.state}, ${nameIn(job)}` };
}

/** The last part of the input's address: the rest may hold passwords, and is too long to stand beside a word. */
function nameIn(job: JobRecord): string {
  return (
    (job.input_media_file.url ?? '')
      .replace(/[?#].*$/, '')
      .split('/')
      .at(-1) ?? ''
  );
}

/** The context of the words that have been typed; what is wrong with the configuration is told elsewhere. */
async function contextFor(words: readonly string[], io: Io): Promise<Context> {
  const { createContext } = await import('../context.js');
  return createContext({ ...io, note: () => {} }, () => globalsIn(words));
}

/** Only `--data=FOLDER` and `--target=NAME` count, of all that has been typed. */
function globalsIn(words: readonly string[]): { data?: string; target?: string } {
  const told = (flag: string) => words.findLast((word) => word.startsWith(flag))?.slice(flag.length);
  const data = told('--data=');
  const target = told('--target=');
  return { ...(data === undefined ? {} : { data }), ...(target === undefined ? {} : { target }) };
}

/** Texts come from services: nothing in them may move the cursor, or look like another line. */
function lineOf({ word, shown }: Offer): string {
  return /[\p{Cc}\u2028\u2029]/u.test(word) ? '' : `${word}\t${safeText(shown).replace(/\s+/g, ' ')}\n`;
}
