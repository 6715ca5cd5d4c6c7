import { dirname } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { killDaemons } from '../helpers/daemon-process.js';
import { media } from '../helpers/media.js';
import { type FileServer, serveFolder } from '../helpers/servers/file-server.js';
import {
  type OtlpCollector,
  type ReceivedSpan,
  startOtlpCollector,
} from '../helpers/servers/otlp-collector.js';
import { startWebhookEndpoint } from '../helpers/servers/webhook-endpoint.js';
import { startTracedDaemon, type TracedDaemon } from '../helpers/traced-daemon.js';
import { waitUntil } from '../helpers/wait-until.js';

interface Context {
  readonly collector: OtlpCollector;
  readonly daemon: TracedDaemon;
  readonly files: FileServer;
}

const test = suite<Context>('traces');

test.before(async (context) => {
  const collector = await startOtlpCollector();
  const daemon = await startTracedDaemon({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20collector-token',
    OTEL_SERVICE_NAME: 'encoder-7',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment=test',
  });
  const files = await serveFolder(dirname(await media('clip.mp4')));
  Object.assign(context, { collector, daemon, files });
});
test.after(async ({ daemon, collector, files }) => {
  await daemon.end();
  await collector.close();
  await files.close();
});
test.after(killDaemons);

/** The spans of the trace that has a job's root span, once that has arrived. */
async function traceOf(collector: OtlpCollector, jobId: number): Promise<readonly ReceivedSpan[]> {
  const rootOf = () =>
    collector.spans().find(({ name, attributes }) => name === 'job' && attributes['venc.job.id'] === jobId);
  await waitUntil(`the trace of job ${jobId} has arrived`, () => rootOf() !== undefined);
  return collector.spans().filter(({ traceId }) => traceId === rootOf()?.traceId);
}

function named(spans: readonly ReceivedSpan[], name: string): readonly ReceivedSpan[] {
  return spans.filter((span) => span.name === name);
}

test('a job is one trace, with its stages as children of the job', async ({ collector, daemon, files }) => {
  const job = await daemon.run({
    input: `${files.url}/clip.mp4`,
    outputs: [
      { label: 'small', width: 64, thumbnails: { number: 1 } },
      { label: 'large', width: 96 },
    ],
  });
  assert.is(job.state, 'finished');
  const spans = await traceOf(collector, job.id);
  const [root] = named(spans, 'job');
  assert.is(root?.parentSpanId, '');
  // A span begins at a whole millisecond of the clock, and its length is measured apart from that.
  const roundingNs = 1_000_000n;
  for (const span of spans.filter((one) => one !== root)) {
    assert.is(span.parentSpanId, root?.spanId, span.name);
    assert.ok(span.startNs >= (root?.startNs ?? 0n), span.name);
    assert.ok(span.endNs <= (root?.endNs ?? 0n) + roundingNs, span.name);
  }
  const names = spans.map(({ name }) => name);
  const count = (name: string) => names.filter((one) => one === name).length;
  for (const name of ['download', 'inspect', 'plan', 'encode', 'verify', 'thumbnails', 'deliver'])
    assert.ok(count(name) >= 1, `${name}: ${names.join(', ')}`);
  assert.equal([count('verify'), count('deliver'), count('thumbnails')], [2, 2, 1]);
  // Of two that begin in the same millisecond, the one that ended first has arrived first. The job ends last.
  const stages = spans.filter((one) => one !== root);
  const order = stages.sort((a, b) => Number(a.startNs - b.startNs)).map(({ name }) => name);
  assert.equal(order.slice(0, 3), ['download', 'inspect', 'plan']);
});

test('spans say which job, which outputs and how it ended, and contain no URL', async (context) => {
  const { collector, daemon, files } = context;
  const job = await daemon.run({
    input: `${files.url}/clip.mp4?token=secret-token`,
    outputs: [{ label: 'small', width: 64 }],
  });
  const [outputId] = job.output_media_files.map(({ id }) => id);
  const spans = await traceOf(collector, job.id);
  const [root] = named(spans, 'job');
  assert.is(root?.attributes['venc.job.state'], 'finished');
  assert.is(root?.attributes['url.scheme'], 'http');
  assert.is(root?.attributes['server.address'], '127.0.0.1');
  assert.ok(Number(root?.attributes['venc.job.wait_seconds']) >= 0);
  assert.equal(
    root?.events.map(({ name }) => name),
    ['output-finished'],
  );
  assert.ok(spans.every(({ attributes }) => attributes['venc.job.id'] === job.id));
  const [deliver] = named(spans, 'deliver');
  assert.equal(deliver?.attributes['venc.output.ids'], [outputId]);
  assert.is(deliver?.attributes['venc.output.label'], 'small');
  assert.ok(spans.every(({ isError }) => !isError));
  const sent = collector.exports.map(({ body }) => body.toString('utf8')).join('');
  assert.not(sent.includes('://'));
  assert.not(sent.includes('secret-token'));
  assert.is(root?.resource['service.name'], 'encoder-7');
  assert.is(root?.resource['deployment.environment'], 'test');
  assert.ok(collector.exports.every(({ path }) => path === '/v1/traces'));
  assert.is(collector.exports[0]?.headers.authorization, 'Bearer collector-token');
});

test('a failed job has the error class at the stage and at the job', async ({ collector, daemon, files }) => {
  const job = await daemon.run({ input: `${files.url}/missing.mp4`, outputs: [{}] });
  const spans = await traceOf(collector, job.id);
  const [root] = named(spans, 'job');
  const [download] = named(spans, 'download');
  assert.equal([root?.isError, root?.attributes['venc.job.state']], [true, 'failed']);
  assert.is(root?.attributes['error.type'], 'FileNotFoundError');
  assert.equal([download?.isError, download?.attributes['error.type']], [true, 'FileNotFoundError']);
  assert.equal(
    root?.events.map(({ name }) => name),
    ['input-failed'],
  );
});

test('a create with traceparent continues that trace', async ({ collector, daemon, files }) => {
  const [traceId, parentId] = ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331'];
  const request = { input: `${files.url}/clip.mp4`, outputs: [{ width: 64 }] };
  const job = await daemon.run(request, { traceparent: `00-${traceId}-${parentId}-01` });
  const [root] = named(await traceOf(collector, job.id), 'job');
  assert.equal([root?.traceId, root?.parentSpanId], [traceId, parentId]);
  const invalid = await daemon.run(request, { traceparent: '00-nonsense' });
  const [own] = named(await traceOf(collector, invalid.id), 'job');
  assert.is(own?.parentSpanId, '');
});

test('a private job has no host', async ({ collector, daemon, files }) => {
  const job = await daemon.run({ input: `${files.url}/clip.mp4`, private: true, outputs: [{ width: 64 }] });
  const [root] = named(await traceOf(collector, job.id), 'job');
  assert.is(root?.attributes['server.address'], undefined);
  assert.is(root?.attributes['url.scheme'], undefined);
});

test('a notification is a trace of its own, linked to the job', async ({ collector, daemon, files }) => {
  const endpoint = await startWebhookEndpoint();
  const job = await daemon.run({
    input: `${files.url}/clip.mp4`,
    notifications: [endpoint.url('/secret-path')],
    outputs: [{ width: 64 }],
  });
  const [root] = named(await traceOf(collector, job.id), 'job');
  const ofJob = () =>
    named(collector.spans(), 'notification').filter(({ attributes }) => attributes['venc.job.id'] === job.id);
  await waitUntil('the span of the notification has arrived', () => ofJob().length > 0);
  const [span] = ofJob();
  await endpoint.close();
  assert.equal(span?.linkedSpanIds, [root?.spanId]);
  assert.not.equal(span?.traceId, root?.traceId);
  assert.is(span?.attributes['venc.notification.result'], 'delivered');
  assert.not(JSON.stringify(span?.attributes).includes('secret-path'));
});

test.run();
