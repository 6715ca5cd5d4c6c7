import { readLiveReport, readUsageReport, readVodReport } from '../../actions/read-report.js';
import type { ReportQuery } from '../../jobs/report.js';
import type { RequestContext, RouteHandler } from '../request-context.js';

/** `GET /v2/reports/all` (section 4.10). */
export const getReport: RouteHandler = async (appContext, requestContext, account) => ({
  status: 200,
  record: await readUsageReport(appContext, account.id, queryOf(requestContext)),
});

/** `GET /v2/reports/live` (section 4.11). */
export const getLiveReport: RouteHandler = async (appContext, requestContext) => ({
  status: 200,
  record: await readLiveReport(appContext, queryOf(requestContext)),
});

/**
 * `GET /v2/reports/vod`, an addition to the service document, and `GET /v2/reports/minutes`, its old name.
 */
export const getVodReport: RouteHandler = async (appContext, requestContext, account) => ({
  status: 200,
  record: await readVodReport(appContext, account.id, queryOf(requestContext)),
});

function queryOf(requestContext: RequestContext): ReportQuery {
  return {
    from: requestContext.query('from'),
    to: requestContext.query('to'),
    grouping: requestContext.query('grouping'),
  };
}
