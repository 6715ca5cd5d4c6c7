import { redact } from '../../shared/redact.js';

/** The result of one check. `missing`: something required is absent; `note`: for information only. */
export interface Finding {
  readonly level: 'good' | 'note' | 'missing';
  readonly subject: string;
  readonly message: string;
  /** What to do about it; null if there is nothing to do. */
  readonly advice: string | null;
}

/** A finding about something required that is absent. */
export function missingFinding(subject: string, message: string, advice: string | null): Finding {
  return { level: 'missing', subject, message, advice };
}

/** A finding about something that is in order. */
export function okFinding(subject: string, message: string): Finding {
  return { level: 'good', subject, message, advice: null };
}

/** The message of an error, with secrets redacted. */
export function messageOf(error: unknown): string {
  return redact(error instanceof Error ? error.message : String(error));
}
