/** The shells that have completions. */
export const shells = ['bash', 'zsh', 'fish'] as const;

/** One of {@link shells}. */
export type Shell = (typeof shells)[number];

/** The file name under which each shell searches for the completions of venc. */
export const completionFiles = {
  bash: 'venc.bash',
  zsh: '_venc',
  fish: 'venc.fish',
} as const satisfies Record<Shell, string>;

/** The queries that completion scripts send to the program: names in files of the user, and data of the service. */
export const completionQueries = [
  'targets',
  'presets',
  'accounts',
  'keys',
  'jobs',
  'followed',
  'active',
  'unfinished',
  'inputs',
  'outputs',
  'labels',
  'groupings',
  'workers',
] as const;

/** One of {@link completionQueries}. */
export type CompletionQuery = (typeof completionQueries)[number];

/**
 * The hidden command that answers them: `venc complete-words QUERY [--data=FOLDER] [--target=NAME] [--database] [--input] [--output]`. Without
 * the address of a database, which may contain a password.
 */
export const completionCommand = 'complete-words';
