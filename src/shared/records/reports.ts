import type { RecordTable } from './field.js';

const amount = { type: 'number' } as const;

/** Sums of live streaming (section 2.5). The daemon has no live streaming: they are all zero. */
export const liveSumFields = {
  stream_hours: { ...amount, description: 'hours streamed' },
  billable_stream_hours: { ...amount, description: 'hours streamed that are billed' },
  encoded_hours: { ...amount, description: 'hours encoded' },
  billable_encoded_hours: { ...amount, description: 'hours encoded that are billed' },
  total_hours: { ...amount, description: 'total hours' },
  total_billable_hours: { ...amount, description: 'total hours that are billed' },
} as const satisfies RecordTable;

/** Sums of files encoded (section 2.5). */
export const vodSumFields = {
  encoded_minutes: { ...amount, description: 'minutes of finished outputs' },
  billable_minutes: { ...amount, description: 'minutes of finished outputs, without test jobs' },
} as const satisfies RecordTable;

const dayFields = {
  grouping: { type: 'string', isNullable: true, description: 'report grouping; null for jobs without one' },
  collected_on: { type: 'string', format: 'date', description: 'the day, in UTC' },
} as const satisfies RecordTable;

/** One day of live streaming (section 2.5). */
export const liveDayFields = { ...dayFields, ...liveSumFields } as const satisfies RecordTable;
/** One day of files encoded (section 2.5). */
export const vodDayFields = { ...dayFields, ...vodSumFields } as const satisfies RecordTable;

const liveDays = {
  type: 'array',
  of: { type: 'object', fields: liveDayFields, description: 'one day' },
  item: 'statistic',
  description: 'one record per day and grouping',
} as const;
const vodDays = {
  type: 'array',
  of: { type: 'object', fields: vodDayFields, description: 'one day' },
  item: 'statistic',
  description: 'one record per day and grouping',
} as const;

/** Usage report for live streaming (section 4.11). */
export const liveReportFields = {
  total: { type: 'object', fields: liveSumFields, description: 'sums of all statistics' },
  statistics: liveDays,
} as const satisfies RecordTable;

/** Usage report for files encoded, in the form of section 4.11. */
export const vodReportFields = {
  total: { type: 'object', fields: vodSumFields, description: 'sums of all statistics' },
  statistics: vodDays,
} as const satisfies RecordTable;

/** Usage report for both (section 4.10). */
export const allReportFields = {
  total: {
    type: 'object',
    fields: {
      live: { type: 'object', fields: liveSumFields, description: 'live streaming' },
      vod: { type: 'object', fields: vodSumFields, description: 'files encoded' },
    },
    description: 'sums of all statistics',
  },
  statistics: {
    type: 'object',
    fields: { live: liveDays, vod: vodDays },
    description: 'one record per day and grouping',
  },
} as const satisfies RecordTable;
