import {
  type Attributes,
  DiagLogLevel,
  diag,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { parseTraceParent } from '@opentelemetry/core';
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { isVencError } from '../../src/shared/errors.js';
import { parseUrl } from '../../src/shared/text/url-text.js';
import type { Log } from '../../src/shared/util/log.js';
import { productVersion } from '../../src/shared/version.js';
import type { Job } from '../jobs/job.js';
import type { Change } from '../jobs/legal-changes.js';
import type { NotificationAttempt, RunObserver, Stage, StageOutcome } from '../jobs/run-observer.js';
import type { Tracing } from './tracing.js';

/** How long the end of the daemon waits for the collector, in milliseconds. */
const closeTimeoutMs = 3000;
/** Minimum interval between two log lines about the exporter, in milliseconds. */
const logIntervalMs = 60_000;
/**
 * Maximum number of jobs whose trace is remembered, for their notifications and for creates that wait for their run.
 */
const maxRememberedJobs = 10_000;

/**
 * The exporters, by the values of `OTEL_EXPORTER_OTLP_PROTOCOL`. They read their endpoint and headers from the
 * environment.
 */
const exporters = {
  'http/protobuf': () => new ProtobufExporter(),
  'http/json': () => new JsonExporter(),
} as const;

/**
 * Starts to write traces, as the variables of OpenTelemetry say. Returns null, after a warning, if they ask for a
 * protocol that is not supported. The queue of spans has a maximum length (`OTEL_BSP_MAX_QUEUE_SIZE`, 2048): what a
 * slow collector does not take is dropped.
 */
export function startTracing({
  env,
  log,
}: {
  readonly env: NodeJS.ProcessEnv;
  readonly log: Log;
}): Tracing | null {
  const protocol =
    env.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL || env.OTEL_EXPORTER_OTLP_PROTOCOL || 'http/protobuf';
  if (!isSupported(protocol)) {
    log(
      'warn',
      `No traces are written: OTEL_EXPORTER_OTLP_PROTOCOL is ${protocol}, and venc supports http/protobuf and http/json. Set one of them, and the endpoint of your collector for it (port 4318 by default).`,
    );
    return null;
  }
  const reportFailure = logDiagnostics(log);
  const provider = new BasicTracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': 'venc', 'service.version': productVersion }))
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(exporters[protocol]())],
  });
  const tracer = provider.getTracer('venc', productVersion);
  const parents = new RememberedContexts();
  const runs = new RememberedContexts();
  return {
    runObserver: createRunTracer(tracer, {
      takeParent: (jobId) => parents.take(jobId),
      onStarted: (jobId, context) => runs.set(jobId, context),
    }),
    observeNotification(attempt: NotificationAttempt) {
      const context = runs.get(attempt.jobId);
      const span = tracer.startSpan('notification', {
        root: true,
        startTime: attempt.startedMs,
        links: context === null ? [] : [{ context }],
        attributes: notificationAttributes(attempt),
      });
      span.end(attempt.startedMs + attempt.seconds * 1000);
    },
    continueTrace(jobId, traceparent) {
      const context = parseTraceParent(traceparent);
      if (context !== null) parents.set(jobId, { ...context, isRemote: true });
    },
    async close() {
      const isSent = provider.shutdown().then(
        () => true,
        // The failure is in the log already.
        () => true,
      );
      const timeout = new Promise<false>((resolve) => setTimeout(resolve, closeTimeoutMs, false).unref());
      if (await Promise.race([isSent, timeout])) return;
      reportFailure(`it did not take the last ones within ${closeTimeoutMs / 1000} s`);
    },
  };
}

function isSupported(protocol: string): protocol is keyof typeof exporters {
  return Object.hasOwn(exporters, protocol);
}

/**
 * Writes what OpenTelemetry reports to the log: warnings about its variables, and failures of the exporter, at most one
 * a minute. Returns what logs such a failure.
 */
function logDiagnostics(log: Log): (message: string) => void {
  let loggedAt = Number.NEGATIVE_INFINITY;
  const report = (message: string) => {
    if (performance.now() - loggedAt < logIntervalMs) return;
    loggedAt = performance.now();
    log('warn', `Traces cannot be sent to the collector: ${firstLine(message)}`);
  };
  const warn = (message: string) => log('warn', `OpenTelemetry warns: ${firstLine(message)}`);
  const ignore = () => {};
  diag.setLogger(
    { error: report, warn, info: ignore, debug: ignore, verbose: ignore },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
  return report;
}

/** The message of an error that was reported as JSON, without its stack. */
function firstLine(message: string): string {
  const [, text = message] = /"message":"((?:[^"\\]|\\.)*)"/.exec(message) ?? [];
  return text.split('\n', 1)[0] ?? '';
}

/** The span contexts of jobs. If there are too many, the oldest are forgotten. */
class RememberedContexts {
  readonly #contexts = new Map<number, SpanContext>();

  set(jobId: number, context: SpanContext): void {
    this.#contexts.delete(jobId);
    this.#contexts.set(jobId, context);
    const [oldest] = this.#contexts.keys();
    if (this.#contexts.size > maxRememberedJobs && oldest !== undefined) this.#contexts.delete(oldest);
  }

  get(jobId: number): SpanContext | null {
    return this.#contexts.get(jobId) ?? null;
  }

  /** Returns the context of a job and forgets it. */
  take(jobId: number): SpanContext | null {
    const context = this.get(jobId);
    this.#contexts.delete(jobId);
    return context;
  }
}

/** Where the contexts of traces come from and go to. */
interface TraceContexts {
  /** The span that a run is part of; null if it begins a trace. */
  takeParent(jobId: number): SpanContext | null;
  onStarted(jobId: number, context: SpanContext): void;
}

/**
 * Creates an observer that writes a span `job` for each run, with a child for each stage. URLs are never written: they
 * may contain secrets, also in their path.
 */
function createRunTracer(tracer: Tracer, contexts: TraceContexts): RunObserver {
  return {
    startRun(job) {
      const parent = contexts.takeParent(job.id);
      const outer = parent === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent);
      const root = tracer.startSpan('job', { attributes: jobAttributes(job) }, outer);
      const inner = trace.setSpan(outer, root);
      contexts.onStarted(job.id, root.spanContext());
      let latest = job;
      return {
        startStage(stage) {
          const span = tracer.startSpan(stage.name, { attributes: stageAttributes(job, stage) }, inner);
          return (outcome) => {
            recordOutcome(span, outcome);
            span.end();
          };
        },
        changed(change, changedJob) {
          latest = changedJob;
          const attributes = eventAttributes(change);
          if (attributes !== null) root.addEvent(change.type, attributes);
        },
        end(outcome) {
          recordOutcome(root, outcome);
          // A stopped run does not see the state that its job got.
          if (outcome.type !== 'stopped') root.setAttribute('venc.job.state', latest.state);
          if (latest.state === 'failed') {
            root.setAttribute('error.type', failureClassOf(latest));
            root.setStatus({ code: SpanStatusCode.ERROR });
          }
          root.end();
        },
      };
    },
  };
}

/** The attributes of the span of a notification. */
function notificationAttributes({ jobId, outputId, kind, result }: NotificationAttempt): Attributes {
  return {
    'venc.job.id': jobId,
    ...(outputId === null ? {} : { 'venc.output.id': outputId }),
    'venc.notification.kind': kind,
    'venc.notification.result': result,
  };
}

function jobAttributes(job: Job): Attributes {
  const { id, test, isPrivate, input, outputs } = job;
  const waitedMs = Date.parse(job.updatedAt) - Date.parse(job.submittedAt);
  const url = isPrivate === true ? null : parseUrl(input.url);
  return {
    'venc.job.id': id,
    'venc.job.test': test,
    'venc.job.outputs': outputs.length,
    'venc.job.wait_seconds': Math.max(0, waitedMs) / 1000,
    ...(url === null ? {} : { 'url.scheme': url.protocol.replace(':', '') }),
    ...(url === null || url.hostname === '' ? {} : { 'server.address': url.hostname }),
  };
}

function stageAttributes({ id, outputs }: Job, { outputIds = [] }: Stage): Attributes {
  const [first] = outputIds;
  const label = outputIds.length === 1 ? outputs.find((output) => output.id === first)?.label : null;
  return {
    'venc.job.id': id,
    ...(outputIds.length === 0 ? {} : { 'venc.output.ids': [...outputIds] }),
    ...(label == null ? {} : { 'venc.output.label': label }),
  };
}

/** The attributes of the event of a change; null for changes that are no event. */
function eventAttributes(change: Change): Attributes | null {
  switch (change.type) {
    case 'input-failed':
      return { 'error.type': change.failure.errorClass };
    case 'output-failed':
    case 'source-failed':
      return { 'venc.output.id': change.id, 'error.type': change.failure.errorClass };
    case 'output-finished':
      return { 'venc.output.id': change.id, 'venc.output.size_bytes': change.file.sizeBytes };
    case 'output-skipped':
      return { 'venc.output.id': change.id };
    default:
      return null;
  }
}

function recordOutcome(span: Span, outcome: StageOutcome): void {
  if (outcome.type === 'stopped') span.setAttribute('venc.stopped', outcome.reason);
  if (outcome.type !== 'failed') return;
  const { error } = outcome;
  span.setAttribute('error.type', isVencError(error) ? error.errorClass : 'InternalError');
  span.setStatus({ code: SpanStatusCode.ERROR });
}

function failureClassOf({ input, outputs }: Job): string {
  const failures = [input.failure, ...outputs.map(({ failure }) => failure)];
  return failures.find((failure) => failure !== null)?.errorClass ?? 'InternalError';
}
