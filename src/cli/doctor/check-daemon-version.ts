import { productVersion } from '../../shared/version.js';
import type { Finding } from './finding.js';

/** Whether the daemon that runs is the one that was installed: after an upgrade the old one runs on. Nothing where it does not tell. */
export function checkDaemonVersion(serviceVersion: string | null): readonly Finding[] {
  if (serviceVersion === null || serviceVersion === productVersion) return [];
  const message = `the daemon is version ${serviceVersion}, and this is ${productVersion}`;
  return [
    { level: 'note', subject: 'versions', message, advice: 'start the daemon again: it keeps its jobs' },
  ];
}
