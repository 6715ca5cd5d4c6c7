import type { NotificationAttempt, RunObserver } from '../jobs/run-observer.js';

/** Writes the traces of runs. Nothing that it does delays or fails a job. */
export interface Tracing {
  readonly runObserver: RunObserver;
  observeNotification(attempt: NotificationAttempt): void;
  /**
   * Makes the next run of a job part of the trace of its create (`traceparent` of W3C Trace Context). Ignores an
   * invalid one.
   */
  continueTrace(jobId: number, traceparent: string): void;
  /** Sends what is left, for at most a few seconds. Never rejects. */
  close(): Promise<void>;
}

/** The variables that say where traces are sent. Without one of them, no module of OpenTelemetry is loaded. */
const endpointVariables = ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT'] as const;

/** Whether the environment asks for traces. */
export function isTracingRequested(env: NodeJS.ProcessEnv): boolean {
  if (env.OTEL_SDK_DISABLED?.trim().toLowerCase() === 'true') return false;
  if (env.OTEL_TRACES_EXPORTER?.trim() === 'none') return false;
  return endpointVariables.some((name) => (env[name] ?? '').trim() !== '');
}
