import { createHash } from 'node:crypto';
import type { PostgresServer } from '../test/helpers/postgres.js';

/** How the jobs of `addWaitingJobs` are spread. */
interface WaitingJobsOptions {
  readonly count: number;
  readonly accounts: number;
}

/**
 * Adds waiting jobs to a database, as copies of its newest job, which must wait, for other accounts. No account is created: the daemon only
 * compares their ids. Takes seconds, where creates take minutes.
 */
export async function addWaitingJobs(
  server: PostgresServer,
  database: string,
  { count, accounts }: WaitingJobsOptions,
): Promise<void> {
  const run = (sql: string) => server.query(database, sql);
  const [like] = await run(
    `select jobs.id, jobs.last_id, queues.requires, queues.needs, (select last_id from venc.ids) as end
    from venc.jobs join venc.queue_entries on job_id = jobs.id join venc.queues on queues.name = queue
    where is_waiting order by jobs.id desc limit 1`,
  );
  if (like === undefined) throw new Error('no job waits that could be copied');
  const { requires, needs } = like as { requires: string; needs: string };
  const idCount = Number(like.last_id) - Number(like.id) + 1;
  const id = `(${Number(like.end) + 1} + number * ${idCount})`;
  const engineId = (number: string) =>
    `('00000000-0000-4000-8000-' || lpad(to_hex(${number}::bigint), 12, '0'))::uuid`;
  const places = Array.from({ length: accounts }, (_, index) => {
    const account = `bench-${index}`;
    const text = JSON.stringify([account, JSON.parse(requires), needs]);
    return { account, queue: `venc-${createHash('sha256').update(text).digest('hex').slice(0, 32)}` };
  });
  const values = places.map(({ account, queue }, index) => `(${index}, '${account}', '${queue}')`).join();
  const source = `generate_series(0, ${count - 1}) as number
    join (values ${values}) as place (index, account, queue) on index = number % ${accounts}`;
  const others = async (table: string, names: readonly string[]) => {
    const [schema, name] = table.split('.');
    const rows = await run(
      `select column_name from information_schema.columns
      where table_schema = '${schema}' and table_name = '${name}' order by ordinal_position`,
    );
    return rows.map((row) => String(row.column_name)).filter((column) => !names.includes(column));
  };
  const jobs = await others('venc.jobs', ['id', 'last_id', 'account_id', 'document']);
  const entries = await others('venc_queue.job', ['id', 'name', 'data']);
  await run(`
    begin;
    insert into venc.queues select queue, account, '${requires}', '${needs}'
      from (values ${values}) as place (index, account, queue) on conflict do nothing;
    select venc_queue.create_queue(queue, '{"policy": "standard"}') from (values ${values}) as place (index, account, queue);
    insert into venc.jobs (id, last_id, account_id, document, ${jobs})
      select ${id}, ${id} + ${idCount - 1}, account,
        (document::jsonb || jsonb_build_object('id', ${id}, 'accountId', account))::json,
        ${jobs.map((column) => `jobs.${column}`)}
      from ${source} join venc.jobs on jobs.id = ${like.id};
    insert into venc.queue_entries (job_id, queue, priority, is_waiting) select ${id}, queue, 0, true from ${source};
    insert into venc_queue.job (id, name, data, ${entries})
      select ${engineId(id)}, queue, jsonb_build_object('jobId', ${id}), ${entries.map((column) => `entry.${column}`)}
      from ${source} join venc_queue.job as entry on entry.id = ${engineId(String(like.id))};
    update venc.ids set last_id = last_id + ${count * idCount + 1};
    commit;
    analyze;`);
}
