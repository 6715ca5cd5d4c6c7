/** What completions ask the program, since no script can know it: names in files of the user's, and what the service has. */
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
] as const;

/** One of {@link questions}. */
export type CompletionQuery = (typeof completionQueries)[number];

/** The hidden command that answers them: `venc complete-words QUESTION [--data=FOLDER] [--target=NAME] [--input] [--output]`. */
export const completionCommand = 'complete-words';
