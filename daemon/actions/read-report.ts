import { invalidRequest } from '../../src/shared/errors.js';
import { type DailyUsage, type ReportQuery, type ReportRange, readReportRange } from '../jobs/report.js';
import type { AppContext } from './app-context.js';

/** The range of a report. Throws `InvalidRequestError`, which names each invalid parameter. */
export function reportRange({ now }: Pick<AppContext, 'now'>, query: ReportQuery): ReportRange {
  const range = readReportRange(query, now());
  if ('validationErrors' in range) throw invalidRequest(range.validationErrors);
  return range;
}

/** The range of a report, and the usage of an account in it (section 4.10). Rejects as `reportRange` throws. */
export async function readUsage(
  appContext: Pick<AppContext, 'store' | 'now'>,
  accountId: string,
  query: ReportQuery,
): Promise<readonly [ReportRange, readonly DailyUsage[]]> {
  const range = reportRange(appContext, query);
  const { days } = range;
  const usage = await appContext.store.usage({ accountId, from: days[0], to: days.at(-1) ?? days[0] });
  return [range, usage];
}
