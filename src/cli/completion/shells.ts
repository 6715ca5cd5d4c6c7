/** The shells that have completions. */
export const shells = ['bash', 'zsh', 'fish'] as const;

/** One of {@link shells}. */
export type Shell = (typeof shells)[number];

/** The file name under which each shell looks for the completions of venc. */
export const completionFiles = {
  bash: 'venc.bash',
  zsh: '_venc',
  fish: 'venc.fish',
} as const satisfies Record<Shell, string>;
