import { sql } from 'kysely';
import type { Job } from '../../jobs/job.js';
import { foldText, jobMatcher } from '../../jobs/search.js';
import type { JobFilter, JobListPage, JobSearch } from '../job-store.js';
import { runSearch } from '../run-search.js';
import type { PostgresDatabase } from './connection.js';
import { type JobRow, selectJobs } from './job-rows.js';

/** Jobs that one statement reads. */
const stepSize = 256;

/** A row that was read; its document is null if it cannot match. */
type SearchedRow = Pick<JobRow, 'id'> & { readonly document: string | null };

/**
 * A page of the jobs that a search finds. A statement reads the next newest rows and returns the documents that may
 * match; the rule that decides is that of the embedded store.
 */
export async function searchRows(
  queries: PostgresDatabase['queries'],
  { accountId, state, offset, limit }: JobFilter,
  search: JobSearch,
): Promise<Omit<JobListPage, 'jobs'> & { readonly rows: readonly JobRow[] }> {
  const matches = jobMatcher(search);
  const condition = sql.join(conditionsOf(search), sql` and `);
  let before: number | null = null;
  const found = await runSearch(search, stepSize, async (count) => {
    const newest = sql.join(
      [
        sql`true`,
        ...(accountId === undefined ? [] : [sql`account_id = ${accountId}`]),
        ...(state === undefined ? [] : [sql`state = ${state}`]),
        ...(before === null ? [] : [sql`id < ${before}`]),
      ],
      sql` and `,
    );
    const { rows } = await sql<SearchedRow>`
      select id, case when ${condition} then document end as document from (
        select id, document::text as document from venc.jobs where ${newest} order by id desc limit ${count}
      ) as newest order by id desc`.execute(queries);
    before = Number(rows.at(-1)?.id ?? before);
    const hits = rows.filter(({ document }) => document !== null && matches(JSON.parse(document) as Job));
    return { readCount: rows.length, matches: hits.map(({ id }) => Number(id)) };
  });
  const { ids, readCount, isPartial } = found;
  const rows = await selectJobs(queries, ids.slice(offset, offset + limit));
  return { rows, total: ids.length, search: { readCount, isPartial } };
}

/**
 * Conditions that the text of each matching document meets, and others may. The operators for JSON reject the escapes
 * that documents may have, and what is upper case depends on the server, except for ASCII.
 */
function conditionsOf({ text, label }: JobSearch) {
  return [
    sql`true`,
    ...(text === undefined
      ? []
      : [sql`(lower(document collate "C") like ${patternOf(text)} or document ~ ${encodedAscii})`]),
    ...(label === undefined ? [] : [sql`strpos(document, ${JSON.stringify(label)}) > 0`]),
  ];
}

/** An ASCII character that is percent-encoded in a URL and decoded in a file name, except for marks such as spaces. */
const encodedAscii = '%(?:3[0-9]|[4-7][0-9A-Fa-f])';

/**
 * A text with wildcards in place of everything that a document may have in another form: escaped, encoded, masked, or in
 * another case. Without "i" and "k", which are the lower case of two characters that are not ASCII.
 */
function patternOf(text: string): string {
  return `%${foldText(text).replace(/[^a-hjl-z0-9]+/g, '%')}%`;
}
