import { isVencError } from '../shared/errors.js';
import type { CallOptions } from './call.js';
import type { Client } from './client.js';
import { fieldsOf, itemsOf, readNumber, readText } from './coerce.js';
import { mayLackRoute } from './network-errors.js';

/** Kinds of usage that reports tell of, in the order in which they are printed. */
const usageKinds = ['vod', 'live'] as const;

/** A kind of usage: of files, or of live streams. */
export type UsageKind = (typeof usageKinds)[number];

/** Names of the amounts of each kind (section 2.5): minutes of files, hours of live streaming. */
export const usageAmounts = {
  vod: ['encoded_minutes', 'billable_minutes'],
  live: [
    'stream_hours',
    'billable_stream_hours',
    'encoded_hours',
    'billable_encoded_hours',
    'total_hours',
    'total_billable_hours',
  ],
} as const satisfies Readonly<Record<UsageKind, readonly string[]>>;

/** Amounts by their names; 0 where the service told none. */
export type Amounts = Readonly<Record<string, number>>;

/** One day of one grouping. */
export interface ReportDay {
  readonly kind: UsageKind;
  /** `YYYY-MM-DD`. */
  readonly day: string;
  /** null for jobs without one. */
  readonly grouping: string | null;
  readonly amounts: Amounts;
}

/** Usage of one kind: its days as the service has them, and their sums: those that it tells, else those of the days. */
export interface UsageReport {
  readonly kind: UsageKind;
  readonly days: readonly ReportDay[];
  readonly total: Amounts;
}

const routeOf = { all: 'reportAll', vod: 'reportVod', live: 'reportLive' } as const;

/**
 * The answer to a report as it came. That of files alone is an addition: where a service lacks it, it is what the report of all tells of
 * files. Rejects as `Client.ask` does.
 */
export async function requestReport(
  client: Pick<Client, 'call'>,
  kind: UsageKind | 'all',
  query: NonNullable<CallOptions['query']>,
): Promise<unknown> {
  try {
    return (await client.call(routeOf[kind], { query })).body;
  } catch (error) {
    if (kind !== 'vod' || !isVencError(error) || !mayLackRoute(error)) throw error;
    const { total, statistics } = fieldsOf((await client.call(routeOf.all, { query })).body);
    return { total: fieldsOf(total).vod, statistics: fieldsOf(statistics).vod };
  }
}

/** Reads a report (sections 4.10 and 4.11) with care. That of `all` has both kinds below its total and its statistics. */
export function parseReport(requestedKind: UsageKind | 'all', body: unknown): readonly UsageReport[] {
  const { total, statistics } = fieldsOf(body);
  if (requestedKind !== 'all') return [usageOf(requestedKind, total, statistics)];
  return usageKinds.map((kind) => usageOf(kind, fieldsOf(total)[kind], fieldsOf(statistics)[kind]));
}

function usageOf(kind: UsageKind, total: unknown, statistics: unknown): UsageReport {
  const days = itemsOf(statistics).map((item) => {
    const fields = fieldsOf(item);
    return {
      kind,
      day: readText(fields.collected_on) ?? '',
      grouping: readText(fields.grouping),
      amounts: amountsOf(kind, item),
    };
  });
  const sums = Object.fromEntries(
    usageAmounts[kind].map((name) => [
      name,
      days.reduce((sum, { amounts }) => sum + (amounts[name] ?? 0), 0),
    ]),
  );
  return { kind, days, total: { ...sums, ...reportedAmounts(kind, total) } };
}

function amountsOf(kind: UsageKind, value: unknown): Amounts {
  const reported = reportedAmounts(kind, value);
  return Object.fromEntries(usageAmounts[kind].map((name) => [name, reported[name] ?? 0]));
}

/** The amounts that are there. */
function reportedAmounts(kind: UsageKind, value: unknown): Amounts {
  const fields = fieldsOf(value);
  const reported = usageAmounts[kind].map((name) => [name, readNumber(fields[name])] as const);
  return Object.fromEntries(
    reported.filter((entry): entry is [(typeof entry)[0], number] => entry[1] !== null),
  );
}
