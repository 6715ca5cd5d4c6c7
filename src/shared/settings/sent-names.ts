import { isObject } from '../util/is-object.js';
import { jobTable, outputTable } from './index.js';
import type { RequestWarning } from './request-warning.js';

/** Settings from which others are derived: what is wrong with `width` is reported for the `size` that the request has. */
const sources: Readonly<Record<string, readonly string[]>> = { width: ['size'], height: ['size'] };

/** The other names of settings of the job and of outputs. */
const otherNames: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({ ...jobTable, ...outputTable }).map(([name, setting]) => [
    name,
    [...('spellings' in setting ? setting.spellings : []), ...(sources[name] ?? [])],
  ]),
);

/** Warnings with the names that the request has, each once: a setting has several names, and some are derived from others. */
export function withSentFields(
  warnings: readonly RequestWarning[],
  request: unknown,
): readonly RequestWarning[] {
  const renamed = warnings.map((warning) => ({ ...warning, field: sentPath(warning.field, request) }));
  const distinct = new Map(renamed.map((warning) => [`${warning.field} ${warning.message}`, warning]));
  return [...distinct.values()];
}

/** Validation errors, which begin with a path, with the names that the request has. */
export function withSentPaths(errors: readonly string[], request: unknown): readonly string[] {
  const renamed = errors.map((error) => error.replace(/^\S+/, (path) => sentPath(path, request)));
  return [...new Set(renamed)];
}

/** A path with the names that the request has. Names that it does not have stay. */
function sentPath(path: string, request: unknown): string {
  const [, parent = '', name = '', rest = ''] = /^((?:outputs\[\d+\]\.)?)([\w-]+)(.*)$/.exec(path) ?? [];
  const object = parent === '' ? request : outputAt(request, Number(/\d+/.exec(parent)?.[0]));
  if (!isObject(object) || Object.hasOwn(object, name)) return path;
  const given = Object.keys(object).filter((key) => object[key] !== null && object[key] !== undefined);
  const find = (wanted: string) => given.find((key) => key === wanted || key.replaceAll('-', '_') === wanted);
  const sent = [name, ...(otherNames.get(name) ?? [])].map(find).find((one) => one !== undefined);
  return `${parent}${sent ?? name}${rest}`;
}

function outputAt(request: unknown, index: number): unknown {
  const { outputs, output } = isObject(request) ? request : {};
  const list = outputs ?? output;
  return Array.isArray(list) ? list[index] : list;
}
