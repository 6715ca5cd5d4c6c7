import type { Job } from './job.js';

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
 * The labels that a machine must have to work on a job, whatever it makes of it: those of the job (`requires`), and
 * those of the services whose keys the job takes from the environment, sorted, each once; see `serviceLabel`.
 */
export function requiredLabels({
  requires = [],
  services = [],
}: Pick<Job, 'requires' | 'services'>): readonly string[] {
  return [...new Set([...requires, ...services.map(serviceLabel)])].toSorted();
}
