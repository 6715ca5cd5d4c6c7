import type { OutputSettings } from '../../../src/api/settings/index.js';
import { testModeSeconds } from '../../../src/api/settings/limits.js';
import type { Fault } from '../../jobs/fault.js';
import type { MediaFacts } from '../../jobs/media.js';
import type { Clip } from './decisions.js';

/**
 * Which part of the input is encoded (`start_clip`, `clip_length`; section 4.1 Advanced). A length beyond the end stops there,
 * a start beyond it is a fault. Test mode leaves 5 seconds after the start (section 8).
 */
export function decideClip(
  settings: OutputSettings,
  isTest: boolean,
  media: MediaFacts,
): { readonly clip: Clip } | { readonly fault: Fault } {
  const startSeconds = settings.start_clip ?? 0;
  const { durationSeconds } = media;
  if (durationSeconds !== null && startSeconds > 0 && startSeconds >= durationSeconds) {
    return {
      fault: { errorClass: 'InvalidVideoSettingsError', message: beyondEnd(startSeconds, durationSeconds) },
    };
  }
  const lengthSeconds = least(settings.clip_length ?? null, isTest ? testModeSeconds : null);
  const leftSeconds = durationSeconds === null ? null : durationSeconds - startSeconds;
  return { clip: { startSeconds, lengthSeconds, expectedSeconds: least(lengthSeconds, leftSeconds) } };
}

/** Whether a stream with these times has anything in the clip; in doubt it has. */
export function reaches(
  stream: { readonly durationSeconds: number | null; readonly startSeconds: number | null },
  clip: Clip,
): boolean {
  if (clip.startSeconds === 0 || stream.durationSeconds === null) return true;
  return (stream.startSeconds ?? 0) + stream.durationSeconds > clip.startSeconds;
}

function least(one: number | null, other: number | null): number | null {
  if (one === null || other === null) return one ?? other;
  return Math.min(one, other);
}

function beyondEnd(startSeconds: number, durationSeconds: number): string {
  return `start_clip is ${startSeconds} seconds, but the input ends after ${Math.round(durationSeconds * 1000) / 1000}.`;
}
