import { type Finding, good, missing } from './finding.js';

/** The least version of Node that all of this runs on, as package.json has it. */
const least = [20, 18, 1] as const;

/** Whether Node is new enough. `version` is `process.version`. */
export function checkNode(version: string): Finding {
  const found = version.replace(/^v/, '').split('.').map(Number);
  const difference = least.map((part, place) => (found[place] ?? 0) - part).find((each) => each !== 0) ?? 0;
  if (difference >= 0) return good('node', version);
  return missing('node', `${version} is older than ${least.join('.')}`, 'install Node 20.18.1 or newer');
}
