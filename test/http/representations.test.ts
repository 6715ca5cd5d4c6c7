import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { JobRecord } from '../../src/shared/records.js';
import { type Route, type RouteName, routePath, routes } from '../../src/shared/routes.js';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.js';
import { film, makeMedia } from '../helpers/media.js';
import { readXmlAnswer } from '../helpers/read-xml.js';
import { tempFolder } from '../helpers/temp.js';
import * as tables from './document-tables.js';

interface Context {
  daemon: TestDaemon;
  finished: JobRecord;
  /** A job whose input does not exist: fields without a value are null. */
  failed: JobRecord;
}

const test = suite<Context>('representations of records');

test.before(async (context) => {
  const folder = tempFolder();
  const path = join(folder, 'clip.mp4');
  await makeMedia(path, film('160x120', 1));
  const daemon = await startTestDaemon({ filesRoots: [folder] });
  const outputs = [
    { label: 'one', width: 64 },
    { label: 'two', width: 32 },
  ];
  const request = { input: `file://${path}`, outputs, pass_through: '<& \u2028>', grouping: 'films' };
  const finished = await daemon.waitForJob(await daemon.create(request));
  const failed = await daemon.waitForJob(
    await daemon.create({ input: `file://${join(folder, 'none.mp4')}` }),
  );
  Object.assign(context, { daemon, finished, failed });
});
test.after(({ daemon }) => daemon.stop());

type Check = (record: never) => readonly string[];

const checkJob =
  (isDetailed: boolean) =>
  ({ job }: { readonly job: JobRecord }): readonly string[] => {
    // The details also have the tracks of each file that was read, and how long everything took: additions.
    const of = (table: tables.Shape, { format }: { readonly format: string | null }, added: tables.Shape) =>
      isDetailed
        ? { ...table, ...(format === null ? {} : { tracks: 'array', ...added }) }
        : tables.without(table, 'md5_checksum');
    const took = { encoded_in_ms: 'integer', delivered_in_ms: 'integer' };
    const ofJob = { waited_in_ms: 'integer', ...(job.state === 'finished' ? took : {}) };
    return [
      ...tables.differences(job, { ...tables.job, ...(isDetailed ? ofJob : {}) }),
      ...tables.differences(job.input_media_file, of(tables.inputMediaFile, job.input_media_file, {})),
      ...job.output_media_files.flatMap((file) =>
        tables.differences(file, of(tables.outputMediaFile, file, { ...took, expires_at: 'time' })),
      ),
    ];
  };

interface Totals {
  readonly total: { readonly live: unknown; readonly vod: unknown };
  readonly statistics: { readonly live: readonly unknown[]; readonly vod: readonly unknown[] };
}

/** The expected fields of each record, from the document. */
const checks = {
  jobDetails: checkJob(true),
  listJobs: (jobs: readonly { readonly job: JobRecord }[]) => jobs.flatMap(checkJob(false)),
  inputDetails: (record: unknown) => tables.differences(record, tables.inputDetails),
  outputDetails: (record: unknown) => tables.differences(record, tables.outputDetails),
  reportAll: ({ total, statistics }: Totals) => [
    ...tables.differences(total.live, tables.liveTotal),
    ...tables.differences(total.vod, tables.vodTotal),
    ...statistics.live.flatMap((day) => tables.differences(day, tables.liveDay)),
    ...statistics.vod.flatMap((day) => tables.differences(day, tables.vodDay)),
  ],
} as const satisfies Partial<Record<RouteName, Check>>;

const idOf = (name: RouteName, job: JobRecord): number => {
  if (/^input/.test(name)) return job.input_media_file.id;
  return /^output/.test(name) ? (job.output_media_files[0]?.id ?? 0) : job.id;
};

const readable = (Object.keys(routes) as RouteName[]).filter((name) => {
  const route: Route = routes[name];
  // The names of uploads may end with `.json`; http/uploads.test.ts reads their answers.
  const isUpload = name === 'uploadState';
  return route.method === 'GET' && route.response !== undefined && route.key !== 'worker' && !isUpload;
});

for (const name of readable) {
  const route: Route = routes[name];
  const pathOf = (job: JobRecord) => routePath(name, { id: idOf(name, job), name: 'web' });
  const check: Check = Object.hasOwn(checks, name)
    ? ((checks as Record<string, Check>)[name] ?? (() => []))
    : () => [];

  for (const which of ['finished', 'failed'] as const) {
    test(`${route.path} of a ${which} job is the same in JSON and XML, however it is requested`, async (context) => {
      const { daemon } = context;
      const path = pathOf(context[which]);
      const json = await daemon.request(path);
      const record = await json.json();
      assert.is(json.status, 200);
      assert.is(json.headers.get('content-type'), 'application/json; charset=utf-8');
      assert.equal(check(record as never), [], JSON.stringify(record));
      assert.equal(
        await (await daemon.request(`/api${path}`, { headers: { Accept: '*/*' } })).json(),
        record,
      );
      if (!route.representations.includes('xml')) return;
      assert.equal(await (await daemon.request(`${path}.json`)).json(), record);
      const variants: readonly (readonly [string, RequestInit])[] = [
        [`${path}.xml`, {}],
        [`/api/${path}.xml/`, {}],
        [`${path}?format=xml`, {}],
        [path, { headers: { Accept: 'application/xml' } }],
      ];
      for (const [address, init] of variants) {
        const xml = await daemon.request(address, init);
        assert.is(xml.status, 200);
        assert.is(xml.headers.get('content-type'), 'application/xml; charset=utf-8');
        assert.equal(readXmlAnswer(await xml.text()), record, address);
      }
    });
  }

  if (route.representations.includes('jsonp')) {
    test(`${route.path} as JSONP calls back with all fields except the checksum`, async ({
      daemon,
      finished,
    }) => {
      const path = pathOf(finished);
      const { md5_checksum: _, ...record } = await daemon.read<Record<string, unknown>>(path);
      for (const callback of [route.callback, 'a', '$.my_1.call', `_${'x'.repeat(63)}`]) {
        const query = callback === route.callback ? '' : `?callback=${callback}`;
        const response = await daemon.request(`${path}.js${query}`);
        const text = await response.text();
        assert.is(response.status, 200);
        assert.is(response.headers.get('content-type'), 'application/javascript; charset=utf-8');
        assert.is(response.headers.get('x-content-type-options'), 'nosniff');
        assert.ok(text.startsWith(`${callback}(`) && text.endsWith(')'), text);
        assert.equal(JSON.parse(text.slice(`${callback}(`.length, -1)), record);
      }
    });

    for (const callback of [
      '',
      '1a',
      'a b',
      'alert(1);x',
      'a-b',
      `_${'x'.repeat(64)}`,
      'ü',
      '<script>',
      "a'",
    ]) {
      test(`${route.path} rejects the callback ${JSON.stringify(callback)}`, async ({ daemon, finished }) => {
        const path = `${pathOf(finished)}.js?callback=${encodeURIComponent(callback)}`;
        const response = await daemon.request(path);
        assert.is(response.status, 400);
        assert.match(response.headers.get('content-type') ?? '', 'application/json');
        const { errors } = (await response.json()) as { errors: readonly string[] };
        assert.match(errors.join(), 'callback');
      });
    }

    test(`${route.path} of an unknown id is passed to the callback as well`, async ({ daemon }) => {
      const response = await daemon.request(`${routePath(name, { id: 999_999 })}.js?callback=f`);
      assert.is(response.status, 404);
      assert.match(response.headers.get('content-type') ?? '', 'application/javascript');
      assert.match(await response.text(), /^f\(\{"errors":\[".+"\]\}\)$/);
    });
  } else {
    test(`${route.path} has no JSONP form`, async ({ daemon, finished }) => {
      const response = await daemon.request(`${pathOf(finished)}.js`);
      assert.is(response.status, 404);
      assert.ok(((await response.json()) as { errors: readonly string[] }).errors.length > 0);
    });
  }

  test(`${route.path} answers a HEAD like a GET without a body`, async ({ daemon, finished }) => {
    for (const suffix of ['', '.json', '.xml']) {
      const path = `${pathOf(finished)}${suffix}`;
      const [got, head] = [await daemon.request(path), await daemon.request(path, { method: 'HEAD' })];
      assert.is(head.status, got.status);
      for (const header of ['content-type', 'content-length', 'link', 'access-control-allow-origin']) {
        assert.is(head.headers.get(header), got.headers.get(header), header);
      }
      assert.is(await head.text(), '');
    }
  });
}

test('the details of a finished job contain the probed properties', ({ finished }) => {
  const { input_media_file: input, output_media_files: outputs } = finished;
  assert.is(input.channels, '2');
  assert.is(input.md5_checksum?.length, 32);
  assert.equal(
    outputs.map(({ label, width, state }) => [label, width, state]),
    [
      ['one', 64, 'finished'],
      ['two', 32, 'finished'],
    ],
  );
  assert.is(finished.pass_through, '<& \u2028>');
});

test.run();
