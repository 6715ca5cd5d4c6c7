import { mapWithConcurrency } from '../../../src/shared/util/semaphore.js';
import { waitUntil } from '../wait-until.js';
import { StreamClient } from './stream-client.js';
import type { StreamCommands, StreamTotals } from './stream-process.js';

/*
 * A separate program that keeps thousands of event streams, controlled by messages of its parent. The parent measures other requests
 * meanwhile, which the work for the streams must not delay.
 */

/** Connections that are opened at once. */
const concurrentOpens = 100;
/** Violations that are reported in full. */
const maxViolations = 10;

let clients: readonly StreamClient[] = [];
const deliveriesMs: number[] = [];

const ofKind = (kind: string): readonly StreamClient[] => clients.filter(({ plan }) => plan.kind === kind);

const commands: StreamCommands = {
  async open({ url, key, plans }) {
    clients = plans.map((plan) => new StreamClient(plan, url, key));
    await mapWithConcurrency(clients, concurrentOpens, (client) => client.open());
  },
  async waitForStep({ percent, releasedAt }) {
    const following = clients.filter(({ isFollowing }) => isFollowing);
    const late = () => following.filter((client) => client.percent < percent);
    try {
      await waitUntil(`all streams show ${percent}%`, () =>
        following.every((client) => client.percent >= percent),
      );
    } catch (error) {
      const some = late()
        .slice(0, maxViolations)
        .map((client) => `job ${client.plan.jobId}, ${client.plan.kind}: ${client.percent}%`);
      throw new Error(
        `${late().length} of ${following.length} streams do not show ${percent}%: ${some.join('; ')}`,
        {
          cause: error,
        },
      );
    }
    for (const { arrivedAt } of following) deliveriesMs.push(Math.max(0, arrivedAt - releasedAt));
  },
  async disconnectLeaving() {
    for (const client of ofKind('leaving')) client.disconnect();
  },
  async reconnectReturning() {
    const returning = ofKind('returning');
    for (const client of returning) client.disconnect();
    await mapWithConcurrency(returning, concurrentOpens, (client) => client.open());
  },
  async waitForEnds() {
    const open = () => clients.filter(({ hasEnded, plan }) => !hasEnded && plan.kind !== 'stalled').length;
    await waitUntil('every stream that is read has ended', () => open() === 0);
    // They have the final event, so that they get nothing more.
    await mapWithConcurrency(ofKind('returning'), concurrentOpens, (client) => client.open());
    await waitUntil('these answers have ended', () => open() === 0);
  },
  async drainStalled() {
    for (const client of ofKind('stalled')) client.drain();
    await waitUntil('every stalled stream has ended', () =>
      ofKind('stalled').every(({ hasEnded }) => hasEnded),
    );
  },
  async totals({ finalData, percents }) {
    return totalsOf(new Map(finalData), percents);
  },
};

/** Compares every stream that was not left with the final records of its job, and those that followed it with every step. */
function totalsOf(finalData: ReadonlyMap<number, string>, percents: readonly number[]): StreamTotals {
  const violations = clients.flatMap((client) => {
    const { plan, percents: seen } = client;
    const name = `job ${plan.jobId}, ${plan.kind}`;
    if (plan.kind === 'leaving') return client.violations;
    const isEndRight = client.finalData === finalData.get(plan.jobId);
    const isFollower = plan.kind === 'steady' || plan.kind === 'returning';
    const missed = isFollower ? percents.filter((percent) => !seen.has(percent)) : [];
    return [
      ...client.violations,
      ...(isEndRight ? [] : [`${name}: its last event is ${client.finalData?.slice(0, 200)}`]),
      ...(plan.kind !== 'returning' || client.status === 204
        ? []
        : [`${name}: status ${client.status} after the end`]),
      ...(missed.length === 0 ? [] : [`${name}: it never showed ${missed.join(', ')}%`]),
    ];
  });
  return {
    violations: [...violations.slice(0, maxViolations), ...(violations.length > maxViolations ? ['…'] : [])],
    events: clients.reduce((sum, { events }) => sum + events, 0),
    stalledEvents: ofKind('stalled').map(({ plan, events }) => [plan.jobId, events] as const),
    deliveriesMs,
  };
}

process.on('message', ({ name, argument }: { name: keyof StreamCommands; argument: never }) => {
  commands[name](argument).then(
    (result) => process.send?.({ result }),
    (error: unknown) => process.send?.({ error: error instanceof Error ? error.message : String(error) }),
  );
});
process.on('disconnect', () => process.exit());
