import { invalidRequest } from '../../src/shared/errors.js';
import type { AllReport, LiveReport, VodReport } from '../../src/shared/records.js';
import {
  allReport,
  type DailyUsage,
  liveReport,
  type ReportQuery,
  type ReportRange,
  readReportRange,
  vodReport,
} from '../jobs/report.js';
import type { AppContext } from './app-context.js';

/**
 * The usage of an account, live and in files (section 4.10). Rejects with `InvalidRequestError`, which names
 * each invalid parameter.
 */
export async function readUsageReport(
  appContext: Pick<AppContext, 'store' | 'now'>,
  accountId: string,
  query: ReportQuery,
): Promise<AllReport> {
  const range = parseRange(appContext, query);
  return allReport(range, await loadUsage(appContext, accountId, range));
}

/**
 * The live-streaming usage of an account, which is always zero (section 4.11). Rejects as `readUsageReport`
 * does.
 */
export async function readLiveReport(
  appContext: Pick<AppContext, 'now'>,
  query: ReportQuery,
): Promise<LiveReport> {
  return liveReport(parseRange(appContext, query));
}

/**
 * The file-encoding usage of an account, in the format of section 4.11. Rejects as `readUsageReport` does.
 */
export async function readVodReport(
  appContext: Pick<AppContext, 'store' | 'now'>,
  accountId: string,
  query: ReportQuery,
): Promise<VodReport> {
  const range = parseRange(appContext, query);
  return vodReport(range, await loadUsage(appContext, accountId, range));
}

function parseRange(appContext: Pick<AppContext, 'now'>, query: ReportQuery): ReportRange {
  const range = readReportRange(query, appContext.now());
  if ('validationErrors' in range) throw invalidRequest(range.validationErrors);
  return range;
}

function loadUsage(
  appContext: Pick<AppContext, 'store'>,
  accountId: string,
  { days }: ReportRange,
): Promise<readonly DailyUsage[]> {
  return appContext.store.usage({ accountId, from: days[0], to: days.at(-1) ?? days[0] });
}
