import { VencError } from '../../shared/errors.js';

/** Greatest id that is exact as a number; services other than our daemon may go beyond 2^31. */
const maxId = Number.MAX_SAFE_INTEGER;

/** Reads an id. Throws `UsageError` where the word is no whole number above 0. */
export function parseId(arg: string): number {
  const id = /^\d{1,16}$/.test(arg) ? Number(arg) : 0;
  if (id >= 1 && id <= maxId) return id;
  throw new VencError('UsageError', `"${arg}" is no id: ids are whole numbers such as 123.`, {
    hint: 'venc list shows the ids of jobs, @last is the newest; venc show has those of inputs and outputs',
  });
}

/** Gathers the values of an option that may be given several times. */
export function collectValues(arg: string, before: readonly string[] = []): readonly string[] {
  return [...before, arg];
}
