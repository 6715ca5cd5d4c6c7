import type { CommandModule } from './context.js';

/** The headings of the commands in the help of the program. Their order is that of their first command below. */
export const commandGroups = {
  everyday: 'Everyday commands:',
  jobs: 'More about jobs:',
  services: 'Services:',
  daemon: 'Local daemon:',
  setup: 'Setup and shell:',
} as const;

/** A command in the top-level help, and how to load it. */
export interface CommandEntry {
  readonly group: keyof typeof commandGroups;
  readonly summary: string;
  readonly load: () => Promise<CommandModule>;
}

/** Every command; within each group the help keeps this order. Only the requested command is loaded. */
export const commandTable = {
  run: {
    group: 'everyday',
    summary: 'encode files on this machine, without a daemon or a service',
    load: () => import('./commands/run.js'),
  },
  submit: {
    group: 'everyday',
    summary: 'submit jobs: URLs, local files or requests',
    load: () => import('./commands/submit.js'),
  },
  plan: {
    group: 'jobs',
    summary: 'print the ffmpeg command lines without running them',
    load: () => import('./commands/plan.js'),
  },
  compare: {
    group: 'jobs',
    summary: 'measure the quality of a video file against its original',
    load: () => import('./commands/compare.js'),
  },
  frame: {
    group: 'jobs',
    summary: 'write a frame of a video file as an image',
    load: () => import('./commands/frame.js'),
  },
  sheet: {
    group: 'jobs',
    summary: 'write a contact sheet of a video file: images at even distances',
    load: () => import('./commands/sheet.js'),
  },
  join: {
    group: 'jobs',
    summary: 'join local video files, one after another',
    load: () => import('./commands/join.js'),
  },
  explain: {
    group: 'jobs',
    summary: 'explain a setting: its value, default, rules and an example',
    load: () => import('./commands/explain.js'),
  },
  schema: {
    group: 'jobs',
    summary: 'print the JSON Schema of a request file, for editors',
    load: () => import('./commands/schema.js'),
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
    summary: 'show the progress of a job, an input or an output',
    load: () => import('./commands/progress.js'),
  },
  watch: {
    group: 'everyday',
    summary: 'watch jobs until they end',
    load: () => import('./commands/watch.js'),
  },
  wait: {
    group: 'jobs',
    summary: 'wait until jobs have ended; print only errors',
    load: () => import('./commands/wait.js'),
  },
  logs: {
    group: 'jobs',
    summary: 'print the log of a job or of the daemon, and follow it',
    load: () => import('./commands/logs.js'),
  },
  cancel: {
    group: 'jobs',
    summary: 'cancel jobs',
    load: async () => (await import('./commands/bulk-actions.js')).cancel,
  },
  resubmit: {
    group: 'jobs',
    summary: 'resubmit jobs that did not finish',
    load: async () => (await import('./commands/bulk-actions.js')).resubmit,
  },
  priority: {
    group: 'jobs',
    summary: 'change the place of a waiting job in the queue',
    load: async () => (await import('./commands/priority.js')).priority,
  },
  next: {
    group: 'jobs',
    summary: 'let waiting jobs begin before all others',
    load: async () => (await import('./commands/priority.js')).next,
  },
  notify: {
    group: 'jobs',
    summary: 'send the notifications of jobs that have ended again',
    load: () => import('./commands/notify.js'),
  },
  pause: {
    group: 'jobs',
    summary: 'start no further jobs, or pause single ones',
    load: async () => (await import('./commands/pause.js')).pause,
  },
  resume: {
    group: 'jobs',
    summary: 'end a pause: jobs start again or go on',
    load: async () => (await import('./commands/pause.js')).resume,
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
    summary: 'download the outputs that the service hosts',
    load: () => import('./commands/download.js'),
  },
  report: {
    group: 'jobs',
    summary: 'show the usage by day and grouping',
    load: () => import('./commands/report.js'),
  },
  mcp: {
    group: 'services',
    summary: 'offer tools to a language model (MCP)',
    load: () => import('./commands/mcp.js'),
  },
  daemon: {
    group: 'daemon',
    summary: 'run the local encoding service',
    load: () => import('./commands/daemon.js'),
  },
  worker: {
    group: 'daemon',
    summary: 'encode jobs for a daemon on another machine',
    load: () => import('./commands/worker.js'),
  },
  open: {
    group: 'daemon',
    summary: 'open the page of the daemon in a browser, signed in',
    load: () => import('./commands/open.js'),
  },
  workers: {
    group: 'daemon',
    summary: 'list and drain the workers of a daemon',
    load: () => import('./commands/workers.js'),
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
  credentials: {
    group: 'daemon',
    summary: 'manage the saved credentials of the local daemon',
    load: () => import('./commands/credentials.js'),
  },
  backup: {
    group: 'daemon',
    summary: 'back up the data folder, also while the daemon runs',
    load: async () => (await import('./commands/backup.js')).backup,
  },
  restore: {
    group: 'daemon',
    summary: 'restore a backup of the data folder',
    load: async () => (await import('./commands/backup.js')).restore,
  },
  migrate: {
    group: 'daemon',
    summary: 'copy a data folder to a database, or back',
    load: () => import('./commands/migrate.js'),
  },
  target: {
    group: 'services',
    summary: 'name services and select one',
    load: () => import('./commands/target.js'),
  },
  preset: {
    group: 'setup',
    summary: 'save settings under a name, for --preset',
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
    summary: 'check the installation and whether the service answers',
    load: () => import('./commands/doctor.js'),
  },
} as const satisfies Readonly<Record<string, CommandEntry>>;

/** The name of a command. */
type CommandName = keyof typeof commandTable;

/** Whether an argument is the name of a command. */
export function isCommandName(arg: string | undefined): arg is CommandName {
  return arg !== undefined && Object.hasOwn(commandTable, arg);
}
