import { DiagLogLevel, diag, type SpanContext } from '@opentelemetry/api';
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
import type { Log } from '../../src/shared/util/log.js';
import { productVersion } from '../../src/shared/version.js';
import type { NotificationAttempt } from '../jobs/run-observer.js';
import { createRunTracer, notificationAttributes } from './run-tracer.js';
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
