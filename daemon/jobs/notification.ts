/** Where a notice goes (contract, section 10). `url` and `headers` may hold secrets. */
export interface NotificationTarget {
  readonly url: string;
  readonly format: 'json' | 'xml';
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * One notice that a job or an output came to its end, not delivered yet. It is made by the very change that ends the job or
 * output, and kept with the job: no crash between the two can lose it.
 */
export interface Notification {
  /** The same at every attempt: `webhook-id` of Standard Webhooks. */
  readonly id: string;
  /** The output that it is about; null where it is about the job. */
  readonly outputId: number | null;
  readonly target: NotificationTarget;
  /** Attempts made so far. */
  readonly attempts: number;
  /** When the next attempt is due: ISO 8601 in UTC. */
  readonly dueAt: string;
}
