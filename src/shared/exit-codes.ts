/** The exit codes of the program. A code has the same meaning for every command. */
export const exitCodes = {
  done: 0,
  jobFailed: 1,
  usage: 2,
  unreachable: 3,
  unauthorized: 4,
  notFound: 5,
  conflict: 6,
  timedOut: 7,
  interrupted: 130,
} as const;

/** One of the numbers in {@link exitCodes}. */
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];
