import { redact } from '../../shared/redact.js';

/** One thing that was looked at. `missing` is needed and not there; `note` is worth knowing and no more. */
export interface Finding {
  readonly level: 'good' | 'note' | 'missing';
  readonly subject: string;
  readonly message: string;
  /** What to do about it; null where there is nothing to do. */
  readonly advice: string | null;
}

/** Something that is needed and not there. */
export function missingFinding(subject: string, message: string, advice: string | null): Finding {
  return { level: 'missing', subject, message, advice };
}

/** Something that is as it should be. */
export function okFinding(subject: string, message: string): Finding {
  return { level: 'good', subject, message, advice: null };
}

/** What an error says, without secrets. */
export function messageOf(error: unknown): string {
  return redact(error instanceof Error ? error.message : String(error));
}
