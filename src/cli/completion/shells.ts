/** The shells that there are completions for. */
export const shells = ['bash', 'zsh', 'fish'] as const;

/** One of {@link shells}. */
export type Shell = (typeof shells)[number];

/** Under which name each shell looks for its completions of venc. */
export const completionFiles = {
  bash: 'venc.bash',
  zsh: '_venc',
  fish: 'venc.fish',
} as const satisfies Record<Shell, string>;
