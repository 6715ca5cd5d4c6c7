import { collectDefaultMetrics, type Registry } from 'prom-client';

/**
 * Metrics of the default set of prom-client that are removed. Lists of handles and requests grow with the number of
 * connections, and the rest says little about a daemon.
 */
const removed = [
  'nodejs_active_handles',
  'nodejs_active_handles_total',
  'nodejs_active_requests',
  'nodejs_active_requests_total',
  'nodejs_active_resources',
  'nodejs_active_resources_total',
  'nodejs_heap_space_size_total_bytes',
  'nodejs_heap_space_size_used_bytes',
  'nodejs_heap_space_size_available_bytes',
  'process_heap_bytes',
  'process_virtual_memory_bytes',
] as const;

/** Interval of the timer that measures the delay of the event loop, in milliseconds. It runs inside Node and costs no CPU time that can be measured. */
const eventLoopResolutionMs = 20;

/**
 * Adds metrics of the process: CPU time, memory, open files, and Node's event loop, heap and garbage collector. They
 * have the names that all programs with a Prometheus client use, without the prefix `venc_`.
 */
export function collectProcessMetrics(registry: Registry): void {
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: eventLoopResolutionMs });
  for (const name of removed) registry.removeSingleMetric(name);
}
