import { invalidRequest } from '../../src/shared/errors.js';
import type { AllReport, LiveReport, VodReport } from '../../src/shared/records.js';
import { allReport, type DayUsage, liveReport, vodReport } from '../jobs/report.js';
import { type ReportQuery, type ReportRange, readReportRange } from '../jobs/report-range.js';
import type { Workshop } from './app-context.js';

/** What an account used, live and in files (section 4.10). Rejects with `InvalidRequestError` naming each parameter that is wrong. */
export async function readReport(
  workshop: Workshop,
  accountId: string,
  query: ReportQuery,
): Promise<AllReport> {
  const range = rangeOf(workshop, query);
  return allReport(range, await usageOf(workshop, accountId, range));
}

/** What an account used in live streaming, which is nothing (section 4.11). Rejects as `readReport` does. */
export async function readLiveReport(workshop: Workshop, query: ReportQuery): Promise<LiveReport> {
  return liveReport(rangeOf(workshop, query));
}

/** What an account used in files encoded, in the form of section 4.11. Rejects as `readReport` does. */
export async function readVodReport(
  workshop: Workshop,
  accountId: string,
  query: ReportQuery,
): Promise<VodReport> {
  const range = rangeOf(workshop, query);
  return vodReport(range, await usageOf(workshop, accountId, range));
}

function rangeOf(workshop: Workshop, query: ReportQuery): ReportRange {
  const range = readReportRange(query, workshop.now());
  if ('complaints' in range) throw invalidRequest(range.complaints);
  return range;
}

function usageOf(workshop: Workshop, accountId: string, { days }: ReportRange): Promise<readonly DayUsage[]> {
  return workshop.store.usage({ accountId, from: days[0], to: days.at(-1) ?? days[0] });
}
