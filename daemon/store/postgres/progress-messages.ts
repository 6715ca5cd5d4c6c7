import { isObject } from '../../../src/shared/util/is-object.js';
import type { FileProgress } from '../../jobs/progress.js';
import { splitPayloads } from './notify-all.js';

/** The channel on which daemons publish the progress of the jobs that they run. */
export const progressChannel = 'venc_progress';

/** What is published of one file of a run, or of the run alone. */
interface ProgressItem {
  readonly job: number;
  readonly run: number;
  /** Absent for a run without progress so far. */
  readonly file?: FileProgress & { readonly id: number };
  readonly isEnded?: true;
}

/** A published message. */
export interface ProgressMessage {
  /** Names the daemon. */
  readonly from: string;
  /** Whether the daemon needs the progress of all runs of the others. */
  readonly isRequest: boolean;
  readonly items: readonly ProgressItem[];
}

/** The payloads of a message, which are shorter than a notification may be. */
export function writeProgressMessage({ from, isRequest, items }: ProgressMessage): readonly string[] {
  const payloads = splitPayloads(items, (part) => JSON.stringify({ from, items: part }));
  return isRequest ? [JSON.stringify({ from, isRequest }), ...payloads] : payloads;
}

/** Parses a payload. Returns null if it is none of this version: the daemons may have different ones. */
export function parseProgressMessage(payload: string): ProgressMessage | null {
  try {
    const message: unknown = JSON.parse(payload);
    if (!isObject(message) || typeof message.from !== 'string') return null;
    const items = Array.isArray(message.items) ? message.items.filter(isItem) : [];
    return { from: message.from, isRequest: message.isRequest === true, items };
  } catch {
    return null;
  }
}

function isItem(item: unknown): item is ProgressItem {
  if (!isObject(item) || typeof item.job !== 'number' || typeof item.run !== 'number') return false;
  const { file } = item;
  if (file === undefined) return true;
  const isNumber = (value: unknown) => typeof value === 'number';
  return (
    isObject(file) &&
    typeof file.event === 'string' &&
    [file.id, file.percent, file.overallPercent].every(isNumber)
  );
}
