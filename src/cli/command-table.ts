import type { CommandModule } from './context.js';

/** The headings that commands stand under in the help of the program, in their order. */
export const commandGroups = {
  everyday: 'Everyday commands:',
  jobs: 'More about jobs:',
  services: 'Services:',
  daemon: 'Local daemon:',
  setup: 'Setup and shell:',
} as const;

/** One line of the top-level help, and how to load the rest of the command when it is asked for. */
export interface CommandEntry {
  readonly group: keyof typeof commandGroups;
  readonly summary: string;
  readonly load: () => Promise<CommandModule>;
}

/** Every command, in the order of the help. Only the one that was asked for is loaded. */
export const commandTable = {
  run: {
    group: 'everyday',
    summary: 'encode a file here and now, without a daemon or a service',
    load: () => import('./commands/run.js'),
  },
  submit: {
    group: 'everyday',
    summary: 'submit jobs: URLs, local files or requests',
    load: () => import('./commands/submit.js'),
  },
  plan: {
    group: 'jobs',
    summary: 'print the ffmpeg command lines that would run, and run none',
    load: () => import('./commands/plan.js'),
  },
  list: { group: 'everyday', summary: 'list jobs, newest first', load: () => import('./commands/list.js') },
  show: {
    group: 'everyday',
    summary: 'show a job with its input and outputs',
    load: () => import('./commands/show.js'),
  },
  input: {
    group: 'jobs',
    summary: 'show an input',
    load: async () => (await import('./commands/file-details.js')).input,
  },
  output: {
    group: 'jobs',
    summary: 'show an output',
    load: async () => (await import('./commands/file-details.js')).output,
  },
  progress: {
    group: 'jobs',
    summary: 'show how far a job, an input or an output is',
    load: () => import('./commands/progress.js'),
  },
  watch: {
    group: 'everyday',
    summary: 'watch jobs until they end',
    load: () => import('./commands/watch.js'),
  },
  wait: {
    group: 'jobs',
    summary: 'wait in silence until jobs have ended',
    load: () => import('./commands/wait.js'),
  },
  cancel: {
    group: 'jobs',
    summary: 'cancel jobs',
    load: async () => (await import('./commands/bulk-actions.js')).cancel,
  },
  resubmit: {
    group: 'jobs',
    summary: 'run jobs again that did not finish',
    load: async () => (await import('./commands/bulk-actions.js')).resubmit,
  },
  rm: {
    group: 'jobs',
    summary: 'remove jobs that have ended, with their hosted files',
    load: async () => (await import('./commands/bulk-actions.js')).rm,
  },
  prune: {
    group: 'jobs',
    summary: 'remove jobs that ended some time ago, with their hosted files',
    load: () => import('./commands/prune.js'),
  },
  download: {
    group: 'everyday',
    summary: 'download what the service hosts of jobs',
    load: () => import('./commands/download.js'),
  },
  report: {
    group: 'jobs',
    summary: 'show what was encoded, by day and grouping',
    load: () => import('./commands/report.js'),
  },
  daemon: {
    group: 'daemon',
    summary: 'run the local encoding service',
    load: () => import('./commands/daemon.js'),
  },
  accounts: {
    group: 'daemon',
    summary: 'manage the accounts of the local daemon',
    load: () => import('./commands/accounts.js'),
  },
  keys: {
    group: 'daemon',
    summary: 'manage the API keys of the local daemon',
    load: () => import('./commands/keys.js'),
  },
  target: {
    group: 'services',
    summary: 'name services and choose one',
    load: () => import('./commands/target.js'),
  },
  preset: {
    group: 'setup',
    summary: 'keep settings under a name, for --preset',
    load: () => import('./commands/preset.js'),
  },
  config: {
    group: 'setup',
    summary: 'configure defaults of flags',
    load: () => import('./commands/config.js'),
  },
  completion: {
    group: 'setup',
    summary: 'print the completions for bash, zsh or fish',
    load: () => import('./commands/completion.js'),
  },
  doctor: {
    group: 'setup',
    summary: 'check what is installed, what is missing and whether the service answers',
    load: () => import('./commands/doctor.js'),
  },
} as const satisfies Readonly<Record<string, CommandEntry>>;

/** The name of a command. */
export type CommandName = keyof typeof commandTable;

/** Whether a word is the name of a command. */
export function isCommandName(arg: string | undefined): arg is CommandName {
  return arg !== undefined && Object.hasOwn(commandTable, arg);
}
