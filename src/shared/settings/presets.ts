import { findSuggestions } from '../text/suggestions.js';
import { isObject } from '../util/is-object.js';
import { outputTable } from './index.js';
import { mergeRequest } from './merge-request.js';
import type { RequestFields } from './setting.js';
import { hasValue, spellingsOf } from './spellings.js';

/** What the name of a preset is made of, as the end of a sentence. */
export const presetNameRule = 'letters, digits, . _ and -; the first is not . or -';

/** Whether a name is valid for a preset. The name is also a file name. */
export function isPresetName(name: string): boolean {
  return /^[A-Za-z0-9_][A-Za-z0-9._-]{0,63}$/.test(name);
}

/** The names of the presets that come with venc, in the order of their documentation. */
export const shippedPresetNames: readonly string[] = ['web', 'phone', 'hls', 'archive', 'audio', 'small'];

/** Maximum number of names that an error lists. */
const listedNames = 10;

/** What to do about an unknown name: the nearest ones, and the first of all. */
export function presetHint(name: string, known: readonly string[]): string {
  const suggestions = findSuggestions(name, known);
  const question = suggestions.length === 0 ? '' : `did you mean ${suggestions.join(', ')}? `;
  const more = known.length > listedNames ? ' ...; venc preset list shows all' : '';
  return `${question}the presets are ${known.slice(0, listedNames).join(', ')}${more}`;
}

/** The outputs of a preset or of a request, as a list. */
export function outputListOf({ output, outputs }: RequestFields): readonly unknown[] {
  const given = outputs ?? output ?? [];
  return Array.isArray(given) ? given : [given];
}

/** A request whose presets were replaced by their settings. */
interface ResolvedRequest {
  /** Without `preset`. */
  readonly body: unknown;
  readonly validationErrors: readonly string[];
  /** Whether the request names a preset. */
  readonly hasPreset: boolean;
  /** Adds to a message about a setting which preset it comes from, if the request itself does not have it. Pure. */
  readonly withOrigin: (message: string) => string;
}

/** Finds a preset by its name; `names` are those of all, for suggestions. */
export interface PresetLookup {
  readonly find: (name: string) => RequestFields | null;
  readonly names: readonly string[];
}

/**
 * Replaces `preset` of a request, and of its outputs, by the settings of the preset. The request overrides a preset,
 * and the preset of an output that of the job. Only the job can name one with several outputs or with fields of a job.
 * Pure; never throws.
 */
export function resolvePresets(body: unknown, lookup: PresetLookup): ResolvedRequest {
  if (!isObject(body) || !namesPreset(body))
    return { body, validationErrors: [], hasPreset: false, withOrigin: (message) => message };
  const { preset, output, outputs, ...fields } = body;
  const errors: string[] = [];
  const read = (name: unknown, path: string): NamedPreset | null => {
    const found = findPreset(name, path, lookup);
    if (typeof found !== 'string') return found;
    errors.push(found);
    return null;
  };
  const ofJob = read(preset, 'preset');
  const given = outputListOf(body);
  const ofOutputs = given.map((one, index) => {
    if (!isObject(one)) return null;
    const path = `outputs[${index}].preset`;
    const found = read(one.preset, path);
    const error = found === null ? null : errorInOutput(found, path);
    if (error !== null) errors.push(error);
    return error === null ? found : null;
  });
  const merged = given.map((one, index) => withPreset(one, ofOutputs[index] ?? null));
  const lists = {
    ...(output === undefined ? {} : { output }),
    ...(outputs === undefined ? {} : { outputs }),
  };
  const isAmbiguous = hasValue(body, 'output') && hasValue(body, 'outputs');
  const file = { ...fields, ...(isAmbiguous || given.length === 0 ? lists : { outputs: merged }) };
  const settings = ofJob === null ? null : ofJob.settings;
  return {
    body: mergeRequest({ preset: settings, file, jobFlags: {}, outputFlags: {}, outputs: [] }),
    validationErrors: errors,
    hasPreset: true,
    withOrigin: originNamer({ given, ofJob, ofOutputs }),
  };
}

/** A preset that a request names. */
interface NamedPreset {
  readonly name: string;
  readonly settings: RequestFields;
}

function namesPreset(body: RequestFields): boolean {
  return (
    hasValue(body, 'preset') ||
    outputListOf(body).some((output) => isObject(output) && hasValue(output, 'preset'))
  );
}

/** The preset of a name; null for no name, an error for one that is not known. */
function findPreset(name: unknown, path: string, { find, names }: PresetLookup): NamedPreset | string | null {
  if (name === undefined || name === null) return null;
  if (typeof name !== 'string') return `${path} must be the name of a preset`;
  const settings = find(name);
  if (settings !== null) return { name, settings };
  return `${path} names no preset of this account; ${presetHint(name, names)}`;
}

/** Why an output cannot have a preset; null if it can. */
function errorInOutput({ name, settings }: NamedPreset, path: string): string | null {
  if (outputListOf(settings).length > 1)
    return `${path} must not name ${name}, which has several outputs: give it as preset of the job`;
  const { output: _, outputs: _outputs, ...job } = settings;
  const [field] = Object.keys(job);
  return field === undefined
    ? null
    : `${path} must not name ${name}, which sets ${field} of the job: give it as preset of the job`;
}

function withPreset(output: unknown, found: NamedPreset | null): unknown {
  if (!isObject(output)) return output;
  const { preset: _, ...own } = output;
  if (found === null) return own;
  const body = mergeRequest({
    ...{ preset: found.settings, file: { outputs: [own] } },
    ...{ jobFlags: {}, outputFlags: {}, outputs: [] },
  });
  return outputListOf(body)[0];
}

/** Where the settings of a request can come from. */
interface Origins {
  readonly given: readonly unknown[];
  readonly ofJob: NamedPreset | null;
  readonly ofOutputs: readonly (NamedPreset | null)[];
}

function originNamer({ given, ofJob, ofOutputs }: Origins): (message: string) => string {
  const originOf = (index: number, name: string): string | null => {
    if (hasSetting(given[index], name)) return null;
    const named = [ofOutputs[index] ?? null, ofJob].find(
      (one) => one !== null && setsOutput(one.settings, index, name),
    );
    return named?.name ?? null;
  };
  return (message) => {
    const [path = '', digits = '', name = ''] = /^outputs\[(\d+)\]\.([a-z0-9_]+)/.exec(message) ?? [];
    if (path === '') return message;
    // A name without an underscore may also be a word: only settings that are often named.
    const others = message.matchAll(
      /(?<= )(?:[a-z]+(?:_[a-z0-9]+)+|quality|crf|width|height|size|format)\b/g,
    );
    const named = new Set([name, ...[...others].map(([other]) => other)]);
    const notes = [...named].flatMap((one) => {
      const origin = originOf(Number(digits), one);
      return origin === null ? [] : [`; ${one} is that of the preset ${origin}`];
    });
    return `${message}${notes.join('')}`;
  };
}

/** Whether a preset with these settings sets one of an output. */
export function setsOutput(settings: RequestFields, index: number, name: string): boolean {
  const outputs = outputListOf(settings);
  return hasSetting(outputs.length === 1 ? outputs[0] : outputs[index], name);
}

/** Whether an output has a setting, in any spelling; its width and height may be in `size`. */
function hasSetting(output: unknown, name: string): boolean {
  if (!isObject(output)) return false;
  return (
    spellingsOf(outputTable, name).some((spelling) => hasValue(output, spelling)) ||
    (['width', 'height'].includes(name) && hasValue(output, 'size'))
  );
}
