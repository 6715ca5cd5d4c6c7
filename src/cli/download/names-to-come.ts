import { posix } from 'node:path';
import type { RequestFields } from '../../api/settings/flag-values.js';
import { isObject } from '../../api/settings/reading.js';

/** Names that the downloads of a job will have, as far as its request tells: of outputs that go to no place of the client's own. Pure. */
export function namesToCome({ outputs, output }: RequestFields): readonly string[] {
  return [outputs, output].flat().flatMap((one) => {
    if (!isObject(one) || typeof one.filename !== 'string') return [];
    const isElsewhere = typeof one.url === 'string' || typeof one.base_url === 'string';
    return isElsewhere ? [] : [posix.basename(one.filename)];
  });
}
