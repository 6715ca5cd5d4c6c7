import type { Job, JobInput } from './job.js';

/**
 * What stands for the keys of a storage service among the labels of a machine and of a job: a job that takes them from
 * the environment goes only to a machine that has them. No label of a request or a worker has this form.
 */
export function serviceLabel(service: string): string {
  return `service:${service}`;
}

/** The services whose labels are among these. */
export function servicesIn(labels: readonly string[]): readonly string[] {
  return labels.flatMap((label) => /^service:(.*)/.exec(label)?.[1] ?? []);
}

/**
 * What stands for a daemon among the labels of a machine and of a job: a job whose input is read where it is goes only to
 * the daemon on the machine of the file. No label of a request or a worker has this form.
 */
export function inPlaceLabel(daemonId: string): string {
  return `in-place:${daemonId}`;
}

/** Whether a label stands for a daemon. */
export function isInPlaceLabel(label: string): boolean {
  return label.startsWith('in-place:');
}

/**
 * The labels that a machine must have to work on a job, whatever it makes of it: those of the job (`requires`), those
 * of the services whose keys the job takes from the environment (`serviceLabel`), and that of the daemon that can read
 * its input (`inPlaceLabel`), sorted, each once.
 */
export function requiredLabels({
  requires = [],
  services = [],
  input: { inPlace } = {},
}: Pick<Job, 'requires' | 'services'> & { readonly input?: Pick<JobInput, 'inPlace'> }): readonly string[] {
  const daemons = inPlace === undefined ? [] : [inPlaceLabel(inPlace.daemonId)];
  return [...new Set([...requires, ...services.map(serviceLabel), ...daemons])].toSorted();
}
