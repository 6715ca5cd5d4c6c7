import { Counter, Histogram, type Registry } from 'prom-client';

/** An HTTP request that was answered. */
interface AnsweredRequest {
  /** The name of its route; `none` if no route has its path and method. */
  readonly route: string;
  readonly method: string;
  readonly status: number;
  /** Seconds until the response was written, or, if it is a stream, until it began. */
  readonly seconds: number;
}

/** Counts a request. */
export type ObserveRequest = (request: AnsweredRequest) => void;

/** The methods of routes. All others are one value of the label, because clients choose them. */
const methods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Registers the metrics of HTTP requests. */
export function createHttpMetrics(registry: Registry): ObserveRequest {
  const registers = [registry];
  const requests = new Counter({
    name: 'venc_http_requests_total',
    help: 'HTTP requests, by name of the route; the route none counts those that no route accepts.',
    labelNames: ['route', 'method', 'status'],
    registers,
  });
  const duration = new Histogram({
    name: 'venc_http_request_duration_seconds',
    help: 'Seconds until a response was written, or until it began if it is a stream.',
    labelNames: ['route', 'method'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
    registers,
  });
  return ({ route, method: sent, status, seconds }) => {
    const method = methods.has(sent) ? sent : 'other';
    requests.inc({ route, method, status });
    duration.observe({ route, method }, seconds);
  };
}
