/** @jsxImportSource hono/jsx */
import { inputFileName, inputLocation } from '../../../src/shared/file-labels.js';
import type {
  JobProgressRecord,
  JobRecord,
  LogRecord,
  OutputMediaFile,
  QualityRecord,
} from '../../../src/shared/records.js';
import { redact } from '../../../src/shared/redact.js';
import { displayProgress, etaOfJob, isFinal } from '../../../src/shared/states.js';
import {
  attemptFacts,
  expiryFacts,
  type Fact,
  failureFacts,
  mediaFacts,
  queueFacts,
  reportFacts,
  requestWarnings,
  timeFacts,
  trackFacts,
  warningFacts,
  withoutExpiredLink,
} from '../../../src/shared/text/file-facts.js';
import { stateText } from '../../../src/shared/text/job-summary.js';
import { hullFacts, qualityFacts } from '../../../src/shared/text/quality-facts.js';
import { logText, safeText } from '../../../src/shared/text/safe-text.js';
import { humanDuration, humanPercent } from '../../../src/shared/text/units.js';
import { activityOf, classOf, ofAccount } from './queue.js';

/** What can be done with a job. */
export const jobActions = {
  cancel: 'Cancel',
  pause: 'Pause',
  resume: 'Resume',
  resubmit: 'Resubmit',
  notify: 'Send notifications again',
  remove: 'Remove',
} as const;
/** One of `jobActions`. */
export type JobAction = keyof typeof jobActions;

/** The actions that a job allows in its state. */
export function actionsFor({
  state,
  paused,
  notification_attempts: attempts = [],
}: JobRecord): readonly JobAction[] {
  if (!isFinal(state)) return [paused === true ? 'resume' : 'pause', 'cancel'];
  return [
    ...(state === 'finished' ? [] : (['resubmit'] as const)),
    ...(attempts.length === 0 ? [] : (['notify'] as const)),
    'remove',
  ];
}

/** Plays a file for the button of an event. */
export type Play = (url: string, event: Event) => void;

/** What the view of a job shows. */
export interface JobState {
  readonly job: JobRecord;
  /** The name of its account if that is not the visitor's, who can then only read it; null for an own job. */
  readonly account: string | null;
  /** null once the job has ended. */
  readonly progress: JobProgressRecord | null;
  readonly now: number;
}

/** The view of a job, without its log. */
export function JobView({
  job,
  account,
  progress,
  now,
  root,
  actions,
  play,
}: JobState & {
  readonly root: string;
  /** The buttons, which need a script; null without them. */
  readonly actions: ((action: JobAction) => void) | null;
  /** Plays the file with an address next to an element; null without a script. */
  readonly play: Play | null;
}) {
  const { input_media_file: input, output_media_files: outputs } = job;
  const state = stateText(job);
  return (
    <>
      <div class="head">
        <h1>
          Job {job.id} <bdi>{safeText(inputFileName(job) ?? inputLocation(job) ?? '')}</bdi>
        </h1>
        <span class={`state ${classOf(state)}`}>{state}</span>
        {actions === null || account !== null ? null : (
          <div class="actions">
            {actionsFor(job).map((action) => (
              <button key={action} type="button" onClick={() => actions(action)}>
                {jobActions[action]}
              </button>
            ))}
          </div>
        )}
      </div>
      {account === null ? null : (
        <p class="hint">
          A job of the account <bdi>{account}</bdi>: you can read it, and change only your own jobs.
        </p>
      )}
      {progress === null ? null : <Progress progress={progress} />}
      <Facts facts={factsOf(job, now)} />
      <section class="file">
        <h2>
          Input <span class={`state ${classOf(input.state)}`}>{input.state}</span>
        </h2>
        <Facts facts={factsOfFile(input, now)} />
      </section>
      {outputs.map((output) => (
        <Output
          key={output.id}
          jobId={account === null ? job.id : null}
          output={output}
          now={now}
          root={root}
          play={play}
        />
      ))}
      <Notifications job={job} />
      {job.thumbnails.length === 0 ? null : <Thumbnails thumbnails={job.thumbnails} root={root} />}
    </>
  );
}

function Progress({ progress }: { readonly progress: JobProgressRecord }) {
  const percent = displayProgress(progress);
  const activity = activityOf(progress);
  const eta = etaOfJob(progress.outputs);
  return (
    <p class="progress-line">
      <progress max="100" value={String(percent)} aria-label="Progress of the job"></progress>{' '}
      {humanPercent(percent)}
      {activity === '' ? '' : `, ${activity}`}
      {activity === '' && eta !== null ? `, ${humanDuration(eta / 1000)} left` : ''}
    </p>
  );
}

function Output({
  jobId,
  output,
  now,
  root,
  play,
}: {
  /** null for a job of another account, which is not compared. */
  readonly jobId: number | null;
  readonly output: OutputMediaFile;
  readonly now: number;
  readonly root: string;
  readonly play: Play | null;
}) {
  const hosted = hostedPath(output, now);
  return (
    <section class="file">
      <h2>
        Output <bdi>{safeText(output.label ?? String(output.id))}</bdi>{' '}
        <span class={`state ${classOf(output.state)}`}>{output.state}</span>
      </h2>
      {hosted === null ? null : (
        <p class="links">
          <a href={`${root}..${hosted}`} download>
            Download
          </a>{' '}
          {play !== null && isPlayable(output) ? (
            <button type="button" onClick={(event: Event) => play(`${root}..${hosted}`, event)}>
              Play
            </button>
          ) : null}
        </p>
      )}
      {jobId !== null && output.state === 'finished' && output.video_codec !== null ? (
        <p>
          <a href={`${root}jobs/${jobId}/compare?output=${output.id}`}>Compare with the source</a>
        </p>
      ) : null}
      <Facts facts={factsOfFile(output, now)} />
      {output.quality?.scores === undefined ? null : <Scores quality={output.quality} />}
    </section>
  );
}

/** The path of an output that the daemon hosts, `/hosted/TOKEN/NAME`; null for any other. */
export function hostedPath(
  { url, state, expires_at: expiresAt }: Pick<OutputMediaFile, 'url' | 'state' | 'expires_at'>,
  now: number,
): string | null {
  if (url === null || state !== 'finished' || expiresAt === undefined || Date.parse(expiresAt) <= now)
    return null;
  return /\/hosted\/[^/]+\/[^/?#]+$/.exec(url)?.[0] ?? null;
}

function isPlayable({ video_codec: video, audio_codec: audio, url }: OutputMediaFile): boolean {
  return (video !== null || audio !== null || /\.m3u8$/.test(url ?? '')) && !/\.mpd$/.test(url ?? '');
}

/** A text with control characters and marks of direction escaped, except for line feeds. */
function safeLines(text: string): string {
  return text.split('\n').map(safeText).join('\n');
}

/** Names and values. */
function Facts({ facts }: { readonly facts: readonly Fact[] }) {
  if (facts.length === 0) return null;
  return (
    <dl>
      {facts.map(([name, value]) => (
        <div key={`${name} ${value}`} class={`fact is-${name.split(' ', 1)[0]}`}>
          <dt>{name}</dt>
          <dd>
            <bdi>{safeLines(value)}</bdi>
          </dd>
        </div>
      ))}
    </dl>
  );
}

function factsOf(job: JobRecord, now: number): readonly Fact[] {
  return [
    ...timeFacts(job, new Date(now)),
    ...queueFacts(job),
    ...reportFacts(job),
    ...(job.pass_through === null ? [] : [['pass_through', redact(job.pass_through)] as const]),
    ...requestWarnings(job),
  ];
}

function factsOfFile(file: JobRecord['input_media_file'] | OutputMediaFile, now: number): readonly Fact[] {
  const date = new Date(now);
  return [
    ...failureFacts(file),
    ...warningFacts(file),
    ...mediaFacts(withoutExpiredLink(file, date)),
    ...expiryFacts(file, date),
    ...qualityFacts(file),
    ...hullFacts(file),
    ...trackFacts(file),
  ];
}

/** The size of the graph of scores, in its own units. */
const graph = { width: 600, height: 100 } as const;

/** The scores over time as a line, and in words. */
function Scores({ quality }: { readonly quality: QualityRecord }) {
  const { scores = [], worst_second: worst } = quality;
  const x = (index: number) => (index / Math.max(1, scores.length - 1)) * graph.width;
  const y = (score: number) => graph.height - score;
  const points = scores.map((score, index) => `${x(index).toFixed(1)},${y(score).toFixed(1)}`).join(' ');
  const label = `Quality over time, from ${Math.min(...scores).toFixed(0)} to ${Math.max(...scores).toFixed(0)} of 100`;
  return (
    <figure class="scores">
      <svg
        viewBox={`0 0 ${graph.width} ${graph.height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={label}
      >
        <line x1="0" x2={String(graph.width)} y1={String(y(93))} y2={String(y(93))} />
        <polyline points={points} />
      </svg>
      <figcaption>
        VMAF from the start to the end, 0 to 100; the line is 93
        {worst === undefined
          ? '.'
          : `. Worst second: ${worst.score.toFixed(1)} at ${humanDuration(worst.time)}.`}
      </figcaption>
    </figure>
  );
}

/** The last answers to the notifications of the job. */
function Notifications({ job }: { readonly job: JobRecord }) {
  const facts = attemptFacts(job);
  if (facts.length === 0) return null;
  return (
    <section class="notifications">
      <h2>Notifications</h2>
      <Facts facts={facts} />
    </section>
  );
}

function Thumbnails({
  thumbnails,
  root,
}: {
  readonly thumbnails: JobRecord['thumbnails'];
  readonly root: string;
}) {
  const hosted = thumbnails.flatMap(({ url }) => /\/hosted\/[^/]+\/[^/?#]+$/.exec(url)?.[0] ?? []);
  return (
    <section class="thumbnails">
      <h2>Thumbnails</h2>
      {hosted.length === 0 ? <p>{thumbnails.length} images were delivered elsewhere.</p> : null}
      {hosted.slice(0, maxThumbnails).map((path, index) => (
        <img key={path} src={`${root}..${path}`} alt={`Thumbnail ${index + 1}`} loading="lazy" />
      ))}
      {hosted.length > maxThumbnails ? <p>{hosted.length - maxThumbnails} more are not shown.</p> : null}
    </section>
  );
}

const maxThumbnails = 60;

/** The log of a job. A script follows it. */
export function JobLog({
  lines,
  root,
  id,
  account,
}: {
  readonly lines: readonly LogRecord[];
  readonly root: string;
  readonly id: number;
} & Pick<JobState, 'account'>) {
  return (
    <section class="log">
      <h2 id="log-title">Log</h2>
      <pre id="log" tabindex={0} role="log" aria-labelledby="log-title">
        {lines.map((line) => (
          <span key={line.id} class={`line is-${line.level}`} data-id={line.id}>{`${logText(line)}\n`}</span>
        ))}
      </pre>
      <p>
        <a href={`${root}api/jobs/${id}/log.txt${ofAccount(account)}`}>The whole log as text</a>
      </p>
    </section>
  );
}
