import { humanSize } from './units.js';

/** Limits of an account; an absent one is unlimited. */
export interface QuotaLimits {
  readonly waitingJobs?: number;
  readonly minutesPerDay?: number;
  readonly hostedBytes?: number;
}

/** The limits of an account: `100 waiting jobs, 600 minutes a day, 50 GB hosted`, or `none`. */
export function quotaText({ waitingJobs, minutesPerDay, hostedBytes }: QuotaLimits): string {
  const limits = [
    ...(waitingJobs === undefined ? [] : [`${waitingJobs} waiting job${waitingJobs === 1 ? '' : 's'}`]),
    ...(minutesPerDay === undefined
      ? []
      : [`${minutesPerDay} minute${minutesPerDay === 1 ? '' : 's'} a day`]),
    ...(hostedBytes === undefined ? [] : [`${humanSize(hostedBytes)} hosted`]),
  ];
  return limits.length === 0 ? 'none' : limits.join(', ');
}
