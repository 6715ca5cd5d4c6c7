import { type Finding, missingFinding, okFinding } from './finding.js';

/** The least version of Node that all of this runs on, as package.json has it. */
const minVersion = [20, 18, 1] as const;

/** Whether Node is new enough. `version` is `process.version`. */
export function checkNode(version: string): Finding {
  const found = version.replace(/^v/, '').split('.').map(Number);
  const difference =
    minVersion.map((part, index) => (found[index] ?? 0) - part).find((each) => each !== 0) ?? 0;
  if (difference >= 0) return okFinding('node', version);
  return missingFinding(
    'node',
    `${version} is older than ${minVersion.join('.')}`,
    'install Node 20.18.1 or newer',
  );
}
