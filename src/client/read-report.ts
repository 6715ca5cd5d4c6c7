import { fieldsOf, itemsOf, readNumber, readText } from '../shared/client/coerce.js';
import type { CallOptions } from './call.js';
import type { Client } from './client.js';
import { mayLackRoute } from './network-errors.js';

/** The kinds of usage in reports, in printing order. */
const usageKinds = ['vod', 'live'] as const;

/** A kind of usage: files (VOD) or live streams. */
export type UsageKind = (typeof usageKinds)[number];

/** The names of each kind's amounts (section 2.5): minutes for files, hours for live streams. */
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

/** Amounts by name; 0 if the service did not send one. */
export type Amounts = Readonly<Record<string, number>>;

/** One day of one grouping. */
export interface ReportDay {
  readonly kind: UsageKind;
  /** `YYYY-MM-DD`. */
  readonly day: string;
  /** Null for jobs without a grouping. */
  readonly grouping: string | null;
  readonly amounts: Amounts;
}

/** Usage of one kind: its days, and the totals that the service sent, or the sums of the days. */
export interface UsageReport {
  readonly kind: UsageKind;
  readonly days: readonly ReportDay[];
  readonly total: Amounts;
}

const routeOf = { all: 'reportAll', vod: 'reportVod', live: 'reportLive' } as const;

/**
 * Requests a report. A service without a report of VOD usage is asked for the report of all usage, of which the VOD
 * part is returned. Rejects as `Client.call` does.
 */
export async function requestReport(
  client: Pick<Client, 'call'>,
  kind: UsageKind | 'all',
  query: NonNullable<CallOptions['query']>,
): Promise<unknown> {
  try {
    return (await client.call(routeOf[kind], { query })).body;
  } catch (error) {
    if (kind !== 'vod' || !mayLackRoute(error)) throw error;
    const { total, statistics } = fieldsOf((await client.call(routeOf.all, { query })).body);
    return { total: fieldsOf(total).vod, statistics: fieldsOf(statistics).vod };
  }
}

/** Parses a report (sections 4.10 and 4.11). A report of `all` has both kinds in its `total` and `statistics`. */
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

/** The amounts that the value has. */
function reportedAmounts(kind: UsageKind, value: unknown): Amounts {
  const fields = fieldsOf(value);
  const reported = usageAmounts[kind].map((name) => [name, readNumber(fields[name])] as const);
  return Object.fromEntries(
    reported.filter((entry): entry is [(typeof entry)[0], number] => entry[1] !== null),
  );
}
