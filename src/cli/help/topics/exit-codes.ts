import { type ExitCode, exitCodes } from '../../../shared/exit-codes.js';

const meanings: Readonly<Record<keyof typeof exitCodes, string>> = {
  done: 'done',
  jobFailed: 'the job failed or was cancelled; doctor: something required is missing',
  usage: 'wrong usage, an unreadable file, or a request that the service rejected',
  unreachable: 'the service could not be reached or had an internal error',
  unauthorized: 'the key is missing or was rejected',
  notFound: 'no such job, input or output',
  conflict: 'not possible in this state; daemon: its port or data folder is in use',
  timedOut: 'timed out',
  interrupted: 'interrupted',
};

/** What each exit code means, by its number. */
export function exitCodeRows(): readonly (readonly [ExitCode, string])[] {
  return Object.entries(exitCodes).map(([name, code]) => [code, meaningOf(name)]);
}

function meaningOf(name: string): string {
  return Object.entries(meanings).find(([one]) => one === name)?.[1] ?? '';
}

/** `venc help exit-codes`. */
export function exitCodesTopic(): string {
  const rows = exitCodeRows().map(([code, meaning]) => `  ${String(code).padStart(3)}  ${meaning}`);
  return `Every command ends with one of these codes:

${rows.join('\n')}

wait, watch and submit --wait end with 0 only when every job finished; with --any the first one
to end decides. Commands that take several ids continue after an error, report each, and end
with the first code that was not 0. Closing the pipe early (venc list | head -1) is not an error.

  if venc submit film.mov --wait --download out; then
    echo encoded
  else
    case $? in
      1) echo 'the film could not be encoded' ;;
      3) echo 'the service is unreachable: try again later' ;;
    esac
  fi
`;
}
