import type { Field } from '../../src/shared/records/field.js';

/** A record with every field of its table; texts contain characters that need escaping. */
export function fullSample(field: Field): unknown {
  return sampleOf(field, { isBare: false, number: 29.97, text: 'a <b> & "c" é 日本 😀' });
}

/** The same with whole numbers where the table allows fractions, and empty texts. */
export function completeSample(field: Field): unknown {
  return sampleOf(field, { isBare: false, number: 30, text: '' });
}

/** A minimal record: null where allowed, empty lists, no optional fields. */
export function minimalSample(field: Field): unknown {
  return sampleOf(field, { isBare: true, number: 0, text: 'text' });
}

const formatted = {
  'date-time': '2026-01-02T03:04:05Z',
  date: '2026-01-02',
  uri: 'http://example.com/a?b=1&c=2',
} as const;

interface Choice {
  readonly isBare: boolean;
  readonly number: number;
  readonly text: string;
}

function sampleOf(field: Field, choice: Choice): unknown {
  if (choice.isBare && field.isNullable) return null;
  switch (field.type) {
    case 'integer':
      return 1234567;
    case 'number':
      return choice.number;
    case 'boolean':
      return !choice.isBare;
    case 'string':
      return field.values?.[0] ?? (field.format === undefined ? choice.text : formatted[field.format]);
    case 'array':
      return choice.isBare
        ? []
        : [sampleOf(field.of, choice), sampleOf(field.of, { ...choice, isBare: true })];
    case 'object':
      return Object.fromEntries(
        Object.entries(field.fields)
          .filter(([, { isOptional }]) => !(choice.isBare && isOptional))
          .map(([name, inner]) => [name, sampleOf(inner, choice)]),
      );
  }
}
