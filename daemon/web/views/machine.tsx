/** @jsxImportSource hono/jsx */
import type { QueueRecord, WorkerRecord } from '../../../src/shared/records.js';
import { humanAge } from '../../../src/shared/text/units.js';
import { QueueState } from './queue.js';

/** What the view of the machine shows. */
export interface MachineState {
  readonly queue: QueueRecord;
  readonly checks: readonly { readonly name: string; readonly ok: boolean; readonly reason: string | null }[];
  /** null for an account that may not see the workers. */
  readonly workers: readonly WorkerRecord[] | null;
  /** Names and values of this machine. */
  readonly facts: readonly (readonly [name: string, value: string])[];
  readonly now: number;
}

/** What can be done with a worker. */
export type WorkerAction = 'pause' | 'resume' | 'drain';

/** The daemon, its health, the queue and the workers. */
export function MachineView({
  queue,
  checks,
  workers,
  facts,
  now,
  changeQueue,
  changeWorker,
}: MachineState & {
  /** null without a script, or for a viewer. */
  readonly changeQueue: ((change: 'pause' | 'freeze' | 'resume') => void) | null;
  readonly changeWorker: ((name: string, change: WorkerAction) => void) | null;
}) {
  return (
    <>
      <h1>Machine</h1>
      <section>
        <h2>Queue</h2>
        {queue.paused ? <QueueState queue={queue} /> : <p>Jobs start as slots become free.</p>}
        {changeQueue === null ? null : (
          <div class="actions">
            {queue.paused && queue.reason !== 'hours' ? (
              <button type="button" onClick={() => changeQueue('resume')}>
                Resume the queue
              </button>
            ) : (
              <button type="button" onClick={() => changeQueue('pause')}>
                Pause: let running jobs finish
              </button>
            )}
            {queue.frozen ? null : (
              <button type="button" onClick={() => changeQueue('freeze')}>
                Pause now: stop the encoders
              </button>
            )}
          </div>
        )}
      </section>
      <section>
        <h2>Health</h2>
        <ul class="checks">
          {checks.map(({ name, ok, reason }) => (
            <li key={name} class={ok ? 'is-finished' : 'is-failed'}>
              <span class="state">{ok ? 'ok' : 'failed'}</span> {name.replaceAll('_', ' ')}
              {reason === null ? '' : `: ${reason}`}
            </li>
          ))}
        </ul>
      </section>
      <section>
        <h2>This daemon</h2>
        <dl>
          {facts.map(([name, value]) => (
            <div key={name} class="fact">
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      </section>
      {workers === null ? null : (
        <section>
          <h2>Workers</h2>
          {workers.length === 0 ? (
            <p>
              None has joined. <code>venc keys create --worker</code> makes a key, and{' '}
              <code>venc worker</code> on another machine joins with it.
            </p>
          ) : (
            <ul class="workers">
              {workers.map((worker) => (
                <Worker key={worker.name} worker={worker} now={now} change={changeWorker} />
              ))}
            </ul>
          )}
        </section>
      )}
    </>
  );
}

function Worker({
  worker,
  now,
  change,
}: {
  readonly worker: WorkerRecord;
  readonly now: number;
  readonly change: ((name: string, change: WorkerAction) => void) | null;
}) {
  const { name, jobs, job_ids: jobIds, draining, paused, speed, ffmpeg, version, labels } = worker;
  const state = draining ? 'draining' : paused ? 'paused' : worker.closed_by === null ? 'joined' : 'closed';
  return (
    <li>
      <h3>
        <bdi>{name}</bdi> <span class={`state is-${state}`}>{state}</span>
      </h3>
      <p>
        {jobIds.length} of {jobs} {jobs === 1 ? 'slot' : 'slots'} in use, venc {version}, ffmpeg {ffmpeg}
        {labels.length === 0 ? '' : `, ${labels.join(', ')}`}
        {speed === null || speed === undefined ? '' : `, speed ${speed}`}, last seen{' '}
        {humanAge(worker.last_seen_at, new Date(now))} ago
      </p>
      {change === null ? null : (
        <div class="actions">
          {draining || paused ? (
            <button type="button" onClick={() => change(name, 'resume')}>
              Resume <bdi>{name}</bdi>
            </button>
          ) : (
            <>
              <button type="button" onClick={() => change(name, 'pause')}>
                Pause <bdi>{name}</bdi>
              </button>
              <button type="button" onClick={() => change(name, 'drain')}>
                Drain <bdi>{name}</bdi>
              </button>
            </>
          )}
        </div>
      )}
    </li>
  );
}
