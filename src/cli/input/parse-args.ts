import { VencError } from '../../shared/errors.js';

/** Greatest id that is exact as a number; other services may exceed 2^31. */
const maxId = Number.MAX_SAFE_INTEGER;

/** Parses an id. Throws `UsageError` unless the argument is a whole number above 0. */
export function parseId(arg: string): number {
  const id = /^\d{1,16}$/.test(arg) ? Number(arg) : 0;
  if (id >= 1 && id <= maxId) return id;
  throw new VencError('UsageError', `"${arg}" is not an id: ids are whole numbers, for example 123.`, {
    hint: 'venc list shows the ids of jobs, venc show ID those of its inputs and outputs; @last is the newest job',
  });
}

/** Collects the values of a repeatable option. */
export function collectValues(arg: string, before: readonly string[] = []): readonly string[] {
  return [...before, arg];
}
