import {
  type Attributes,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { isVencError } from '../../src/shared/errors.js';
import { parseUrl } from '../../src/shared/text/url-text.js';
import type { Job } from '../jobs/job.js';
import type { Change } from '../jobs/legal-changes.js';
import type { NotificationAttempt, RunObserver, Stage, StageOutcome } from '../jobs/run-observer.js';

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
export function createRunTracer(tracer: Tracer, contexts: TraceContexts): RunObserver {
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
export function notificationAttributes({ jobId, outputId, kind, result }: NotificationAttempt): Attributes {
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
