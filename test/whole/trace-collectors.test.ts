import { readdirSync, readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { dirname, join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { killDaemons } from '../helpers/daemon-process.js';
import { media } from '../helpers/media.js';
import { type FileServer, serveFolder } from '../helpers/servers/file-server.js';
import { startOtlpCollector } from '../helpers/servers/otlp-collector.js';
import { tempFolder } from '../helpers/temp.js';
import { startTracedDaemon } from '../helpers/traced-daemon.js';
import { waitUntil } from '../helpers/wait-until.js';

const test = suite<{ files: FileServer }>('collectors of traces');

test.before(async (context) => {
  context.files = await serveFolder(dirname(await media('clip.mp4')));
});
test.after(({ files }) => files.close());
test.after(killDaemons);

const request = ({ url }: FileServer) => ({ input: `${url}/clip.mp4`, outputs: [{ width: 64 }] });

const collectors: readonly (readonly [string, (response: ServerResponse) => void])[] = [
  ['does not answer', () => {}],
  ['answers 500', (response) => response.writeHead(500).end('no')],
  ['closes the connection', (response) => response.destroy()],
];

for (const [what, answer] of collectors) {
  test(`a collector that ${what} neither fails a job nor keeps the daemon from stopping`, async ({
    files,
  }) => {
    const collector = await startOtlpCollector(answer);
    const daemon = await startTracedDaemon({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
    for (let count = 0; count < 2; count += 1)
      assert.is((await daemon.run(request(files))).state, 'finished');
    await waitUntil('the collector was asked', () => collector.exports.length > 0);
    const startedAt = performance.now();
    assert.is(await daemon.end(), 0);
    // The limit is three seconds, and an attempt of the exporter takes ten; the rest is for a busy machine.
    assert.ok(performance.now() - startedAt < 9000, `${performance.now() - startedAt} ms`);
    await collector.close();
    assert.not.match(daemon.logged(), / error /);
  });
}

test('a collector that is not there is in the log once, and jobs finish', async ({ files }) => {
  const closed = await startOtlpCollector();
  await closed.close();
  const daemon = await startTracedDaemon({ OTEL_EXPORTER_OTLP_ENDPOINT: closed.url });
  for (let count = 0; count < 3; count += 1) assert.is((await daemon.run(request(files))).state, 'finished');
  await waitUntil('the log says so', () => daemon.logged().includes('ECONNREFUSED'));
  assert.is(await daemon.end(), 0);
  const warnings = daemon.logged().match(/Traces cannot be sent to the collector: .*/g) ?? [];
  assert.is(warnings.length, 1, daemon.logged());
  assert.match(warnings[0] ?? '', /ECONNREFUSED/);
});

test('a variable that OpenTelemetry cannot read is in the log', async () => {
  const daemon = await startTracedDaemon({
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
    OTEL_BSP_MAX_QUEUE_SIZE: 'many',
  });
  await daemon.end();
  assert.match(daemon.logged(), /warn .*OpenTelemetry warns: .*OTEL_BSP_MAX_QUEUE_SIZE/);
});

test('the default protocol is http/protobuf', async ({ files }) => {
  const collector = await startOtlpCollector();
  const daemon = await startTracedDaemon({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/own/path` });
  await daemon.run(request(files));
  await daemon.end();
  await collector.close();
  const [sent] = collector.exports;
  assert.equal([sent?.path, sent?.headers['content-type']], ['/own/path', 'application/x-protobuf']);
  // Field 1, length-delimited: resource_spans.
  assert.is(sent?.body[0], 0x0a);
  const text = collector.exports.map(({ body }) => body.toString('latin1')).join('');
  for (const name of ['service.name', 'download', 'encode', 'deliver']) assert.ok(text.includes(name), name);
});

test('the end of the daemon sends what is left', async ({ files }) => {
  const collector = await startOtlpCollector();
  const daemon = await startTracedDaemon({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_BSP_SCHEDULE_DELAY: '3600000',
  });
  const job = await daemon.run(request(files));
  assert.is(collector.exports.length, 0);
  await daemon.end();
  await collector.close();
  const roots = collector.spans().filter(({ name }) => name === 'job');
  assert.equal(
    roots.map(({ attributes }) => attributes['venc.job.id']),
    [job.id],
  );
});

test('grpc is rejected with a warning that says what to set, and the daemon runs without traces', async ({
  files,
}) => {
  const collector = await startOtlpCollector();
  const daemon = await startTracedDaemon({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
  });
  assert.is((await daemon.run(request(files))).state, 'finished');
  await daemon.end();
  await collector.close();
  assert.match(daemon.logged(), /warn .*OTEL_EXPORTER_OTLP_PROTOCOL is grpc.*http\/protobuf.*4318/);
  assert.is(collector.exports.length, 0);
});

/** The names of the functions that the processes of a folder of V8 coverage called. */
function calledFunctions(folder: string): ReadonlySet<string> {
  const files = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
  const scripts = files.flatMap((text) => (JSON.parse(text) as Coverage).result);
  const functions = scripts.flatMap(({ functions: all }) => all);
  return new Set(
    functions
      .filter(({ ranges: [{ count } = { count: 0 }] }) => count > 0)
      .map(({ functionName }) => functionName),
  );
}

/** What Node writes into the folder of `NODE_V8_COVERAGE`. */
interface Coverage {
  readonly result: readonly {
    readonly functions: readonly {
      readonly functionName: string;
      readonly ranges: readonly { readonly count: number }[];
    }[];
  }[];
}

const environments: readonly (readonly [string, Readonly<Record<string, string>>, boolean])[] = [
  ['without a variable', {}, false],
  ['with an empty endpoint', { OTEL_EXPORTER_OTLP_ENDPOINT: '' }, false],
  [
    'with OTEL_SDK_DISABLED',
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9', OTEL_SDK_DISABLED: 'true' },
    false,
  ],
  ['with an endpoint', { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' }, true],
];

for (const [what, env, isLoaded] of environments) {
  test(`${what}, the modules of OpenTelemetry are ${isLoaded ? 'loaded' : 'not loaded'}`, async () => {
    const folder = tempFolder();
    const daemon = await startTracedDaemon({ ...env, NODE_V8_COVERAGE: folder });
    await daemon.end();
    const called = calledFunctions(folder);
    assert.ok(called.has('startDaemon'));
    // In the bundle a module is a function with the name of its file.
    const sdk = [...called].filter((name) => name.includes('node_modules/@opentelemetry/sdk-trace/'));
    assert.is(sdk.length > 0, isLoaded, sdk.join('\n'));
  });
}

test.run();
