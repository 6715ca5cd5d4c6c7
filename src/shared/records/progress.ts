import {
  earlyOutputEvents,
  earlyOutputStates,
  inputEvents,
  inputStates,
  jobStates,
  outputEvents,
  outputStates,
} from '../states.js';
import type { RecordTable } from './field.js';

const percent = { type: 'number' } as const;

/** States of an input in the progress endpoint (section 3). */
const inputProgressStates = [...inputStates, 'assigning'] as const;

const integerPercent = { ...percent, description: 'percent of the whole, 0-100' } as const;
const eventPercent = {
  ...percent,
  isOptional: true,
  description: 'percent of the current event, 0-100',
} as const;

/** The speed of a running encoder. */
const speedFields = {
  fps: { type: 'number', isOptional: true, description: 'frames encoded per second' },
  speed: { type: 'number', isOptional: true, description: 'multiple of real time' },
  eta_in_ms: { type: 'number', isOptional: true, description: 'milliseconds left' },
} as const satisfies RecordTable;

/** Progress of an input (sections 2.4 and 4.8). */
export const inputProgressFields = {
  state: { type: 'string', values: inputProgressStates, description: 'state of the input' },
  current_event: {
    type: 'string',
    values: inputEvents,
    isOptional: true,
    description: 'the current activity',
  },
  current_event_progress: eventPercent,
  progress: integerPercent,
  ...speedFields,
} as const satisfies RecordTable;

/** Progress of an output (sections 2.4 and 4.9). */
export const outputProgressFields = {
  state: { type: 'string', values: outputStates, description: 'state of the output' },
  current_event: {
    type: 'string',
    values: outputEvents,
    isOptional: true,
    description: 'the current activity',
  },
  current_event_progress: eventPercent,
  progress: integerPercent,
  ...speedFields,
} as const satisfies RecordTable;

const id = { id: { type: 'integer', description: 'id of the input or output' } } as const;

/** The pause of a queue. */
export const queuePauseFields = {
  frozen: {
    type: 'boolean',
    description: 'whether running encodes are stopped as well; otherwise they finish',
  },
  reason: {
    type: 'string',
    isNullable: true,
    values: ['daemon', 'account', 'hours'],
    description:
      'what is paused: the whole daemon or the account; `hours` if neither is and this daemon is outside its hours (--hours); null if nothing is',
  },
  until: {
    type: 'string',
    format: 'date-time',
    isNullable: true,
    description: 'when the pause ends or the hours begin; null if it holds until the queue is resumed',
  },
} as const satisfies RecordTable;

/** Progress of a whole job, an addition to the document. */
export const jobProgressFields = {
  state: { type: 'string', values: jobStates, description: 'state of the job' },
  progress: integerPercent,
  paused: {
    type: 'boolean',
    isOptional: true,
    description: 'true if the job itself is paused; otherwise absent',
  },
  queue: {
    type: 'object',
    fields: queuePauseFields,
    isOptional: true,
    description: 'the pause of the queue; absent if the queue is not paused, and once the job has ended',
  },
  input: { type: 'object', fields: { ...id, ...inputProgressFields }, description: 'progress of the input' },
  outputs: {
    type: 'array',
    of: { type: 'object', fields: { ...id, ...outputProgressFields }, description: 'progress of one output' },
    item: 'output',
    description: 'progress of the outputs',
  },
} as const satisfies RecordTable;

const percentOfEvent = { ...percent, description: 'percent of the current event, 0-100' } as const;

/** Progress of an input in version 1 (section 9): `progress` is that of the current event. */
export const inputProgressV1Fields = {
  state: inputProgressFields.state,
  current_event: inputProgressFields.current_event,
  progress: percentOfEvent,
} as const satisfies RecordTable;

/** Progress of an output in version 1 (section 9). */
export const outputProgressV1Fields = {
  state: outputProgressFields.state,
  current_event: outputProgressFields.current_event,
  progress: percentOfEvent,
} as const satisfies RecordTable;

/**
 * Progress of an output in the early, unversioned form (sections 3, 6 and 9), with different states and capitalised
 * events.
 */
export const earlyOutputProgressFields = {
  state: { type: 'string', values: earlyOutputStates, description: 'state of the output' },
  current_event: {
    type: 'string',
    values: earlyOutputEvents,
    isOptional: true,
    description: 'the current activity',
  },
  progress: percentOfEvent,
} as const satisfies RecordTable;
