import { invalidRequest } from '../../src/shared/errors.js';
import type { AllReport, LiveReport, VodReport } from '../../src/shared/records.js';
import { allReport, type DailyUsage, liveReport, vodReport } from '../jobs/report.js';
import { type ReportQuery, type ReportRange, readReportRange } from '../jobs/report-range.js';
import type { AppContext } from './app-context.js';

/** What an account used, live and in files (section 4.10). Rejects with `InvalidRequestError` naming each parameter that is wrong. */
export async function readUsageReport(
  appContext: AppContext,
  accountId: string,
  query: ReportQuery,
): Promise<AllReport> {
  const range = parseRange(appContext, query);
  return allReport(range, await loadUsage(appContext, accountId, range));
}

/** What an account used in live streaming, which is nothing (section 4.11). Rejects as `readReport` does. */
export async function readLiveReport(appContext: AppContext, query: ReportQuery): Promise<LiveReport> {
  return liveReport(parseRange(appContext, query));
}

/** What an account used in files encoded, in the form of section 4.11. Rejects as `readReport` does. */
export async function readVodReport(
  appContext: AppContext,
  accountId: string,
  query: ReportQuery,
): Promise<VodReport> {
  const range = parseRange(appContext, query);
  return vodReport(range, await loadUsage(appContext, accountId, range));
}

function parseRange(appContext: AppContext, query: ReportQuery): ReportRange {
  const range = readReportRange(query, appContext.now());
  if ('validationErrors' in range) throw invalidRequest(range.validationErrors);
  return range;
}

function loadUsage(
  appContext: AppContext,
  accountId: string,
  { days }: ReportRange,
): Promise<readonly DailyUsage[]> {
  return appContext.store.usage({ accountId, from: days[0], to: days.at(-1) ?? days[0] });
}
