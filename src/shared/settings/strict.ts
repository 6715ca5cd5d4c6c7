/** The setting `strict` of the job and of an output. */
export const strictSetting = {
  kind: 'boolean',
  spellings: ['strict_mode'],
  section: '4.1 General',
  help: 'reject unknown names, contradictions and values that would be corrected, instead of warning about them',
} as const;
