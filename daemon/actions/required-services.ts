import type { Job } from '../jobs/job.js';
import { servicesIn } from '../jobs/required-labels.js';
import { schemeOf } from '../transports/registry.js';
import { ownServices, serviceOfUrl, withPlaceholderKeys } from '../transports/services.js';
import type { AppContext } from './app-context.js';
import { namedUrlsOf } from './worker-urls.js';

/** The connected workers, some of which have keys in their environment. `venc plan` has none. */
export type MachineServices = Partial<Pick<AppContext, 'workers'>>;

/**
 * The services whose keys a new job takes from the environment of the machine that runs it: those of its URLs that have
 * no credentials, neither their own nor saved ones, if this daemon or a connected worker has such keys. Without any,
 * inputs are read without keys, as public ones.
 */
export async function requiredServices(
  deps: MachineServices & Pick<AppContext, 'savedCredentials'>,
  job: Job,
): Promise<readonly string[]> {
  const urls = [...namesByUrl(job)].flatMap(([url, names]) => {
    const service = serviceOfUrl(url);
    return service === null ? [] : [{ url, names, service }];
  });
  if (urls.length === 0) return [];
  const known = new Set<string>([...ownServices(), ...servicesOfWorkers(deps)]);
  const required = new Set<string>();
  for (const { url, names, service } of urls) {
    if (!known.has(service) || required.has(service)) continue;
    const scheme = schemeOf(url) ?? '';
    const found = await Promise.all(
      names.map((name) =>
        deps.savedCredentials.find({ accountId: job.accountId, scheme, name }).catch(() => null),
      ),
    );
    if (found.every((credential) => credential === null)) required.add(service);
  }
  return [...required].toSorted();
}

/** The URL as the daemon checks it: it is valid without keys if a connected worker has them. */
export function withKeysOfWorkers(deps: MachineServices, url: string): string {
  const service = serviceOfUrl(url);
  if (service === null || (ownServices() as readonly string[]).includes(service)) return url;
  return servicesOfWorkers(deps).includes(service) ? withPlaceholderKeys(url) : url;
}

function servicesOfWorkers({ workers }: MachineServices): readonly string[] {
  const labels = workers?.abilities().flatMap((abilities) => [...abilities.labels]) ?? [];
  return servicesIn([...new Set(labels)]);
}

/** The URLs of a job, each with the names of the credentials that may be for it. */
function namesByUrl(job: Job): ReadonlyMap<string, readonly (string | null)[]> {
  const names = new Map<string, (string | null)[]>();
  for (const { url, credentials = null } of namedUrlsOf(job))
    names.set(url, [...(names.get(url) ?? []), credentials]);
  return names;
}
