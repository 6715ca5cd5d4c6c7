import { maxLabelLength, maxRequiredLabels } from './limits.js';

const section = 'addition';

/**
 * The setting `requires` of the job and of an output: the labels that a machine must have to work on it. Labels are case-insensitive and kept
 * in lower case.
 */
export const requiresSetting = {
  kind: 'list',
  of: {
    kind: 'text',
    maxLength: maxLabelLength,
    form: {
      pattern: `[A-Za-z0-9._-]{1,${maxLabelLength}}`,
      rule: 'must have only letters, digits, ".", "_" and "-"',
      example: 'gpu',
    },
    isLowerCased: true,
    argument: 'label',
    section,
    help: 'one label, in any letter case',
  },
  max: maxRequiredLabels,
  section,
} as const;
