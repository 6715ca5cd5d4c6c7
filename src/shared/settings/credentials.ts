/** The setting `credentials` of the job and of an output: a name, never a secret. */
export const credentialsSetting = {
  kind: 'text',
  maxLength: 64,
  emptyMeansOmitted: true,
  form: {
    pattern: '[A-Za-z0-9_.-]{1,64}',
    rule: 'must be a name of 1 to 64 letters, digits and _ . -',
    example: 'films',
  },
  section: 'Delivery',
} as const;
