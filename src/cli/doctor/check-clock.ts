import { humanDuration } from '../output/units.js';
import { type Finding, okFinding } from './finding.js';

/** Seconds by which clocks may differ: a `Date` header has whole ones, and answers take a while. */
const maxSkewSeconds = 5;
/** What signatures of storages and of notifications allow is five minutes. */
const advice =
  'set both clocks by NTP: S3 and receivers of signed notifications refuse times that are minutes off';

/** By how much this clock is ahead of the service's, in whole seconds; null where its answer bore no time. */
export function clockAhead(date: string | undefined, now: Date): number | null {
  const serviceTime = date === undefined ? Number.NaN : Date.parse(date);
  return Number.isNaN(serviceTime) ? null : Math.round((now.getTime() - serviceTime) / 1000);
}

/** What a difference of clocks means to a person; nothing where it is not known. */
export function checkClock(aheadSeconds: number | null): readonly Finding[] {
  if (aheadSeconds === null) return [];
  const subject = 'clock';
  const difference = Math.abs(aheadSeconds);
  if (difference <= maxSkewSeconds) return [okFinding(subject, 'agrees with that of the service')];
  const message = `${humanDuration(difference)} ${aheadSeconds > 0 ? 'ahead of' : 'behind'} that of the service`;
  return [{ level: 'note', subject, message, advice }];
}
