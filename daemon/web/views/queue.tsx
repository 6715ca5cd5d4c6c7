/** @jsxImportSource hono/jsx */
import { inputFileName, inputLocation } from '../../../src/shared/file-labels.js';
import type { JobProgressRecord, JobRecord, QueueRecord } from '../../../src/shared/records.js';
import { displayProgress, displayState, etaOfJob, isFinal } from '../../../src/shared/states.js';
import { outputsText, resultText, stateText } from '../../../src/shared/text/job-summary.js';
import { safeText } from '../../../src/shared/text/safe-text.js';
import { humanAge, humanDuration, humanPercent, pausedText } from '../../../src/shared/text/units.js';

/** What the list shows of a job. */
export interface RowOfJob {
  readonly id: number;
  readonly name: string;
  /** The name of its account if that is not the visitor's; null for an own job. */
  readonly account: string | null;
  readonly state: string;
  /** null if it does not run. */
  readonly percent: number | null;
  /** The stage, the speed and the time left, as far as they are known. */
  readonly activity: string;
  readonly outputs: string;
  /** Sizes, or why it failed; empty until it has ended. */
  readonly result: string;
  readonly createdAt: string;
}

/** The row of a job, by its record and its progress, if that is known. */
export function rowOf(job: JobRecord, progress: JobProgressRecord | undefined, ownAccount: string): RowOfJob {
  const base = {
    id: job.id,
    name: safeText(inputFileName(job) ?? inputLocation(job) ?? `job ${job.id}`),
    account: job.account === undefined || job.account === ownAccount ? null : job.account,
    createdAt: job.created_at,
  };
  if (progress === undefined || isFinal(job.state))
    return {
      ...base,
      state: stateText(job),
      percent: null,
      activity: '',
      outputs: outputsText(job),
      result: resultText(job),
    };
  const state = displayState(progress);
  const finished = progress.outputs.filter((output) => output.state === 'finished').length;
  return {
    ...base,
    state,
    percent: state === 'waiting' || isFinal(state) ? null : displayProgress(progress),
    activity: activityOf(progress),
    outputs: `${finished}/${progress.outputs.length}`,
    result: '',
  };
}

/** What is being done for a job: `transcoding, 3.1x, 2m 05s left`. */
export function activityOf(progress: JobProgressRecord): string {
  const files = [progress.input, ...progress.outputs].filter(({ state }) => state === 'processing');
  const speed = Math.max(0, ...files.map((file) => file.speed ?? 0));
  const eta = etaOfJob(progress.outputs);
  const events = [...new Set(files.flatMap(({ current_event: event }) => event ?? []))];
  return [
    ...events,
    ...(speed > 0 ? [`${speed < 10 ? speed.toFixed(1) : Math.round(speed)}x`] : []),
    ...(eta === null ? [] : [`${humanDuration(eta / 1000)} left`]),
  ].join(', ');
}

/** The filter of the list, as in the query of its address. An empty one does not count. */
export interface QueueFilter {
  readonly state: string;
  /** A text that a job has: see the parameter `q` of the job list. */
  readonly q: string;
  /** The label of an output. */
  readonly label: string;
  /** The name of an account, or `*` for all: for the owner. */
  readonly account: string;
}

/** The query of a filter, with another state if one is given: `?state=failed`, or an empty text. */
export function queryOf(filter: QueueFilter, changes: Readonly<Record<string, string>> = {}): string {
  const given = Object.entries({ ...filter, ...changes }).filter(([, value]) => value !== '');
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
}

/** What the document of the queue begins with. */
export interface QueueData extends Omit<QueueHeadState, 'root'> {
  readonly jobs: readonly JobRecord[];
  /** Of those that have not ended. */
  readonly progress: readonly (JobProgressRecord & { readonly id: number })[];
  /** From 1. */
  readonly page: number;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** The number of jobs by state. */
export type StateCounts = Readonly<Record<string, number>>;

/** What rows say of jobs in the state `processing` that are not being encoded. */
const heldStates = ['queued', 'paused'] as const;

/** How many jobs in the state `processing` have a row with another state, by that. */
export function heldCounts(progress: Iterable<JobProgressRecord>): StateCounts {
  const counts: Record<string, number> = {};
  for (const one of progress) {
    const shown = displayState(one);
    if (one.state === 'processing' && shown !== one.state) counts[shown] = (counts[shown] ?? 0) + 1;
  }
  return counts;
}

/** `processing 5 (3 queued)`, as far as the numbers are known. */
function countOf(state: string, { counts, held }: Pick<QueueHeadState, 'counts' | 'held'>): string {
  const total = counts[state];
  if (total === undefined) return state;
  const parts = state === 'processing' ? heldStates.filter((one) => held[one]) : [];
  if (parts.length === 0) return `${state} ${total}`;
  return `${state} ${total} (${parts.map((one) => `${held[one]} ${one}`).join(', ')})`;
}

/** The states that the filter names, in this order. */
export const filterStates = ['processing', 'waiting', 'failed', 'finished', 'cancelled'] as const;

/** What is above the list: the filter, the pause of the queue, and how many jobs there are. */
export interface QueueHeadState {
  readonly root: string;
  readonly filter: QueueFilter;
  /** The name of the visitor's account. */
  readonly ownAccount: string;
  /** Whether the visitor may list the jobs of other accounts. */
  readonly isOwner: boolean;
  readonly counts: StateCounts;
  /** Of those that are processed: see `heldCounts`. Empty if not all are known. */
  readonly held: StateCounts;
  readonly queue: QueueRecord;
  readonly total: number;
  /** The number of jobs that a search read, if it did not read all; else null. */
  readonly searched: number | null;
}

/** The head of the list. */
export function QueueHead(head: QueueHeadState) {
  const { root, filter, isOwner, queue, total, searched } = head;
  const { state, q, label, account } = filter;
  return (
    <>
      <div class="head">
        <h1>Queue</h1>
        <ul class="states" aria-label="Jobs by state">
          {['', ...filterStates].map((one) => (
            <li key={one}>
              <a
                href={`${root}${queryOf(filter, { state: one })}`}
                aria-current={one === state ? 'true' : undefined}
                class={one === '' ? '' : classOf(one)}
              >
                {one === '' ? 'all' : countOf(one, head)}
              </a>
            </li>
          ))}
        </ul>
      </div>
      <QueueState queue={queue} />
      {/* biome-ignore lint/a11y/useSemanticElements: browsers know the element since 2023. */}
      <form class="filter" method="get" action={root} role="search">
        {state === '' ? null : <input type="hidden" name="state" value={state} />}
        <label>
          Text <input type="search" name="q" value={q} maxlength={200} />
        </label>
        <button type="submit">Search</button>
        <details open={label !== '' || account !== ''}>
          <summary>{isOwner ? 'Label and account' : 'Label'}</summary>
          <label>
            Label <input type="search" name="label" value={label} maxlength={200} />
          </label>
          {isOwner ? (
            <label>
              Account <input type="search" name="account" value={account} placeholder="own; * for all" />
            </label>
          ) : null}
        </details>
      </form>
      <p class="count">
        {countText(total, filter)}
        {searched === null ? '' : ` Only the newest ${searched} jobs were searched.`}
      </p>
    </>
  );
}

function countText(total: number, { state, q, label }: QueueFilter): string {
  const kind = state === '' ? '' : `${state} `;
  const found = q === '' && label === '' ? '' : ' found';
  if (total === 0) return `No ${kind}job${found}.`;
  return `${total} ${kind}${total === 1 ? 'job' : 'jobs'}${found}, newest first.`;
}

/** A row of the list. */
export function JobRow({
  row,
  root,
  now,
  position,
  total,
}: {
  readonly row: RowOfJob;
  readonly root: string;
  readonly now: number;
  readonly position: number;
  readonly total: number;
}) {
  const { id, name, account, state, percent, activity, outputs, result, createdAt } = row;
  return (
    <li class={`job ${classOf(state)}`} aria-setsize={total} aria-posinset={position}>
      <a class="title" href={`${root}jobs/${id}${ofAccount(account)}`}>
        <span class="id">{id}</span>
        <bdi class="name">{account === null ? name : `${account}: ${name}`}</bdi>
      </a>
      <span class="state">{state}</span>
      {percent === null ? null : (
        <span class="percent">
          <progress max="100" value={String(percent)} aria-label={`Progress of job ${id}`}></progress>
          {humanPercent(percent)}
        </span>
      )}
      <span class="more">{activity === '' ? result : activity}</span>
      <span class="outputs">{outputs}</span>
      <time dateTime={createdAt}>{humanAge(createdAt, new Date(now))}</time>
    </li>
  );
}

/** The query of a job of another account; empty for an own one. Any account, because the name of a removed one is unknown. */
export function ofAccount(account: string | null): string {
  return account === null ? '' : '?account=*';
}

/** The class of a state: its first word. */
export function classOf(state: string): string {
  return `is-${state.split(' ', 1)[0]}`;
}

/** Says that the queue is paused, and how to go on. Nothing while it is not. */
export function QueueState({ queue }: { readonly queue: QueueRecord }) {
  if (!queue.paused) return null;
  const { until, frozen: isFrozen, reason } = queue;
  return (
    <p class="warning" role="status">
      {sentence(pausedText({ until, isFrozen, isOutsideHours: reason === 'hours' }))}
    </p>
  );
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

/** The list as the server sends it: a page of it, and the way to the next. */
export function QueueView(
  props: QueueHeadState & {
    readonly rows: readonly RowOfJob[];
    /** Number of jobs before the first row. */
    readonly offset: number;
    readonly next: string | null;
    readonly previous: string | null;
    readonly now: number;
  },
) {
  const { rows, offset, next, previous, now, ...head } = props;
  const { root, total } = head;
  return (
    <>
      <div id="head">
        <QueueHead {...head} />
      </div>
      <ol id="jobs" class="jobs">
        {rows.map((row, index) => (
          <JobRow key={row.id} row={row} root={root} now={now} position={offset + index + 1} total={total} />
        ))}
      </ol>
      <p class="pages">
        {previous === null ? null : <a href={previous}>Newer jobs</a>}{' '}
        {next === null ? null : <a href={next}>Older jobs</a>}
      </p>
    </>
  );
}
