import * as assert from 'uvu/assert';
import type { Job, JobOutput } from '../../../daemon/jobs/job.js';
import type { JobFilter, JobSearch, JobStore } from '../../../daemon/store/job-store.js';
import { applying, draftWith, type StoreFacts } from './store-facts.js';

/** What is searched for in these tests, within limits that no test but those of the limits reaches. */
type Terms = Partial<JobSearch>;

/** What a search finds: the ids of the page, the number of all, how many jobs it read, and whether there are others. */
async function find(store: JobStore, terms: Terms, filter: Partial<JobFilter> = {}) {
  const search = { maxJobs: 1000, maxMs: 60_000, ...terms };
  const { jobs, total, search: extent } = await store.list({ offset: 0, limit: 50, ...filter, search });
  return { ids: jobs.map(({ id }) => id), total, ...extent };
}

/** Creates a job with what is searched. The name of its input is `/films/in.mp4`. */
async function createJob(
  store: JobStore,
  {
    input,
    accountId = 'anna',
    ...job
  }: { readonly input?: string; readonly accountId?: string } & Found = {},
): Promise<Job> {
  const { id } = await store.create(draftWith({ accountId, ...(input === undefined ? {} : { input }) }));
  return store.update(id, (created) => withFound(created, job));
}

interface Found {
  readonly inputName?: string;
  readonly inputFailure?: string;
  readonly label?: string | null;
  readonly url?: string;
  readonly failure?: string;
}

function withFound(job: Job, { inputName, inputFailure, label, url, failure }: Found): Job {
  const failureOf = (message: string | undefined) =>
    message === undefined ? {} : { failure: { errorClass: 'TranscodingError' as const, message } };
  const withOutput = (output: JobOutput): JobOutput => ({
    ...output,
    ...(label === undefined ? {} : { label }),
    ...(url === undefined ? {} : { url }),
    ...failureOf(failure),
  });
  return {
    ...job,
    ...(inputName === undefined ? {} : { inputName }),
    input: { ...job.input, ...failureOf(inputFailure) },
    outputs: job.outputs.map(withOutput),
  };
}

/** The fields of a job, and texts that find it; the third entry has texts that do not. */
const searched: readonly (readonly [
  Parameters<typeof createJob>[1],
  readonly string[],
  readonly string[],
])[] = [
  [{ input: 'https://Host.example/Alps/summit.mov' }, ['summit.mov', 'ALPS/S', 'host.EXAMPLE'], ['sumit']],
  [{ inputName: '/films/Küste "2".mov' }, ['KÜSTE', 'küste "2"', 'Ku\u0308ste'], ['kuste']],
  [{ input: 'http://h.example/my%20film%2d%C3%A4.mp4' }, ['my film-Ä', 'my%20film'], ['my+film']],
  [{ input: 'http://h.example/%66%69%6c%6d.mov' }, ['film.mov'], ['filmmov']],
  [{ inputFailure: 'It is truncated\nat 5 s.' }, ['truncated\nat', 'AT 5 S'], ['truncated at']],
  [{ label: 'Web-720' }, ['web-7'], ['web_7', 'web%7']],
  [{ url: 'http://localhost/out/clip%2001.webm?x=1' }, ['clip 01.webm'], ['localhost/out', 'x=1']],
  [{ url: `http://localhost/${'0e'.repeat(16)}.mp4` }, ['0E'.repeat(16), `${'0e'.repeat(16)}.mp4`], ['0e0']],
  [{ failure: 'The disk "\\a" is full: 100%.' }, ['\\A" is', '100%'], ['100%%']],
  [{ inputName: 'nul\u0000 \ud800 end' }, ['nul\u0000', '\ud800 END'], ['nul end']],
  [{ inputName: '\u0130stanbul \u212a2' }, ['i\u0307stanbul', '\u212a2', ' K2'], ['istanbul']],
  [
    { input: 'http://me:hidden-word@h.example/a.mp4?token=secret-word&part=9', label: null },
    ['me@h', 'part=9', 'token=***'],
    ['hidden-word', 'secret-word', 'null'],
  ],
  [{ input: 'upload://5ecre7/holiday.mp4' }, ['holiday.mp4'], ['5ecre7', 'upload:']],
];

/** Searches, of the texts and the labels of jobs. */
export const searchFacts: StoreFacts = {
  async 'a search finds a text in what responses show of a job, in upper or lower case'({ store }) {
    await createJob(store);
    for (const [fields, found, others] of searched) {
      const { id } = await createJob(store, fields);
      for (const text of found)
        assert.ok((await find(store, { text })).ids.includes(id), `${JSON.stringify(fields)}: ${text}`);
      for (const text of others)
        assert.not.ok((await find(store, { text })).ids.includes(id), `${JSON.stringify(fields)}: ${text}`);
      assert.ok((await find(store, { text: String(id) })).ids.includes(id));
    }
  },

  async 'a search finds jobs by the exact label of an output'({ store }) {
    const ids: number[] = [];
    for (const label of ['web', 'Web', 'web-2', null, 'a "quoted" ä\u0000'])
      ids.push((await createJob(store, { label, failure: 'web' })).id);
    for (const [label, expected] of [
      ['web', [ids[0]]],
      ['Web', [ids[1]]],
      ['we', []],
      ['null', []],
      ['a "quoted" ä\u0000', [ids[4]]],
    ] as const)
      assert.equal((await find(store, { label })).ids, [...expected], label);
    assert.equal((await find(store, { label: 'web', text: 'in.mp4' })).total, 1);
    assert.equal((await find(store, { label: 'web', text: 'other' })).total, 0);
  },

  async 'a search combines with account, state and page, and finds final jobs after a restart'(context) {
    const ids: number[] = [];
    for (const accountId of ['anna', 'bert', 'anna', 'anna', 'bert'])
      ids.push((await createJob(context.store, { accountId, label: 'web' })).id);
    await createJob(context.store);
    for (const id of ids.slice(0, 3)) await context.store.update(id, applying({ type: 'cancelled' }));
    await context.store.close();
    const store = await context.open();
    const label = 'web';
    assert.equal(await find(store, { label }), {
      ids: ids.toReversed(),
      total: 5,
      readCount: 6,
      isPartial: false,
    });
    assert.equal(await find(store, { label }, { offset: 1, limit: 2 }), {
      ids: [ids[3], ids[2]],
      total: 5,
      readCount: 6,
      isPartial: false,
    });
    assert.equal((await find(store, { label }, { offset: 9 })).ids, []);
    assert.equal((await find(store, { label }, { accountId: 'anna' })).ids, [ids[3], ids[2], ids[0]]);
    assert.equal((await find(store, { label }, { state: 'cancelled' })).ids, [ids[2], ids[1], ids[0]]);
    const both = { accountId: 'bert', state: 'cancelled' } as const;
    assert.equal(await find(store, { label }, both), {
      ids: [ids[1]],
      total: 1,
      readCount: 1,
      isPartial: false,
    });
    assert.equal((await find(store, { label }, { accountId: 'carl' })).readCount, 0);
  },

  async 'a search reads the newest jobs within its limits, and says whether there are others'({ store }) {
    const ids: number[] = [];
    for (let count = 0; count < 4; count += 1) ids.push((await createJob(store, { label: 'web' })).id);
    const label = 'web';
    const newest = { ids: [ids[3], ids[2]], total: 2, readCount: 2, isPartial: true };
    assert.equal(await find(store, { label, maxJobs: 2 }), newest);
    assert.equal((await find(store, { label, maxJobs: 4 })).isPartial, false);
    assert.equal(await find(store, { label, maxMs: 0 }), {
      ids: [],
      total: 0,
      readCount: 0,
      isPartial: true,
    });
    const reason = new Error('the client has left');
    const ended = find(store, { label, signal: AbortSignal.abort(reason) });
    assert.is(await ended.catch((error: unknown) => error), reason);
  },

  async 'a search of many jobs lets other work have its turn'({ store }) {
    for (let count = 0; count < 600; count += 1) await store.create(draftWith({}));
    let turns = 0;
    const timer = setInterval(() => {
      turns += 1;
    }, 0);
    const { total, readCount } = await find(store, { text: 'IN.mp4' });
    clearInterval(timer);
    assert.equal([total, readCount], [600, 600]);
    assert.ok(turns >= 2, String(turns));
  },
};
