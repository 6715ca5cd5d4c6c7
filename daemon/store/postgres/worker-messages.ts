import { isObject } from '../../../src/shared/util/is-object.js';
import type { WorkerTableChange } from '../worker-table.js';
import { splitPayloads } from './notify-all.js';

/** The channel on which daemons report changes of `venc.workers`. */
export const workersChannel = 'venc_workers';

/** The payloads that report changes. `from` names the daemon. */
export function writeWorkerChanges(from: string, changes: readonly WorkerTableChange[]): readonly string[] {
  return splitPayloads(changes.flatMap(partsOf), (part) => JSON.stringify({ from, changes: part }));
}

/** Parses a payload: the changes that another daemon reports. Those that this version does not know are left out. */
export function parseWorkerChanges(payload: string, own: string): readonly WorkerTableChange[] {
  try {
    const message: unknown = JSON.parse(payload);
    if (!isObject(message) || message.from === own || !Array.isArray(message.changes)) return [];
    return message.changes.filter(isChange);
  } catch {
    return [];
  }
}

/** One change for each worker that has left: together they might not fit into a notification. */
function partsOf(change: WorkerTableChange): readonly WorkerTableChange[] {
  return change.type === 'left' ? change.ids.map((id) => ({ type: 'left', ids: [id] })) : [change];
}

function isChange(value: unknown): value is WorkerTableChange {
  if (!isObject(value)) return false;
  const { type, id, ids, endedNames, name, isDraining } = value;
  if (type === 'joined') return typeof id === 'string' && areTexts(endedNames);
  if (type === 'left') return areTexts(ids);
  return type === 'draining' && typeof name === 'string' && typeof isDraining === 'boolean';
}

function areTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}
