import { type Finding, okFinding } from './finding.js';

/** What is needed of the workshop's look at its transports. */
export interface TransportReport {
  readonly ascp: string | null;
  readonly withKeys: readonly string[];
  readonly halfSet: readonly { readonly set: string; readonly missing: string }[];
}

const subject = 'transports';

/** What the schemes of files lack, and for which of them this environment has keys. Nothing of it is needed for all else to work. */
export function checkTransports({ ascp, withKeys, halfSet }: TransportReport): readonly Finding[] {
  const note = (message: string, advice: string): Finding => ({ level: 'note', subject, message, advice });
  return [
    ...(withKeys.length === 0
      ? []
      : [okFinding(subject, `the environment has keys for ${withKeys.join(', ')}`)]),
    ...halfSet.map(({ set, missing }) =>
      note(
        `${set} is set without ${missing}, so neither counts`,
        `set ${missing} too, where the daemon is started`,
      ),
    ),
    ascp === null
      ? note('ascp is not on PATH, so fasp: inputs do not work', 'install IBM Aspera to use them')
      : okFinding(subject, `fasp: by ${ascp}`),
  ];
}
