import { readLiveReport, readReport, readVodReport } from '../../actions/read-report.js';
import type { ReportQuery } from '../../jobs/report-range.js';
import type { Handler } from '../handler.js';
import type { Exchange } from '../request-context.js';

/** `GET /v2/reports/all` (section 4.10). */
export const getReport: Handler = async (workshop, exchange, account) => ({
  status: 200,
  record: await readReport(workshop, account.id, queryOf(exchange)),
});

/** `GET /v2/reports/live` (section 4.11). */
export const getLiveReport: Handler = async (workshop, exchange) => ({
  status: 200,
  record: await readLiveReport(workshop, queryOf(exchange)),
});

/** `GET /v2/reports/vod`, an addition to the document, and `GET /v2/reports/minutes`, its old name. */
export const getVodReport: Handler = async (workshop, exchange, account) => ({
  status: 200,
  record: await readVodReport(workshop, account.id, queryOf(exchange)),
});

function queryOf(exchange: Exchange): ReportQuery {
  return {
    from: exchange.query('from'),
    to: exchange.query('to'),
    grouping: exchange.query('grouping'),
  };
}
