import { isVencError, joinErrors, VencError } from '../../shared/errors.js';
import { withoutPassword } from '../../shared/redact.js';
import { parseFlags, parseOutputFlag, settingFlags } from '../../shared/settings/flags.js';
import { jobTable, outputTable } from '../../shared/settings/index.js';
import { kindOf, parseValue } from '../../shared/settings/kinds/groups.js';
import { mergeRequest } from '../../shared/settings/merge-request.js';
import { parseJobRequest } from '../../shared/settings/parse-job-request.js';
import type {
  ReportedWarning,
  RequestFields,
  Setting,
  SettingsTable,
} from '../../shared/settings/setting.js';
import { canonicalName } from '../../shared/settings/spellings.js';
import { isUrl } from '../../shared/text/url-text.js';
import { isObject } from '../../shared/util/is-object.js';
import { withWatermarkUrls } from '../../shared/util/local-urls.js';
import { type CreateArgs, type JobArgs, readOutputArgument } from './job-args.js';
import { hasLadder, ladderFolder } from './ladder-flags.js';
import { asTyped, type SettingSources, typedValue } from './setting-sources.js';

/** The settings of the command line that could be parsed, and the errors of the others. */
interface TypedSettings extends Pick<SettingSources, 'jobFlags' | 'outputFlags' | 'outputs'> {
  readonly errors: readonly VencError[];
}

/**
 * Names the settings in an error of `run`, `plan` or `submit` as they were typed, and adds all other errors of the
 * flags, so that one attempt shows all of them. `arg` is the input as typed. Other kinds of errors stay unchanged.
 */
export async function withTypedTerms<E>(error: E, arg: string, args: CreateArgs): Promise<E | VencError> {
  if (!isVencError(error)) return error;
  const isUsage = error.errorClass === 'UsageError';
  if (!isUsage && error.errorClass !== 'InvalidRequestError') return error;
  const { errors, ...typed } = await typedSettings(args);
  const all = isUsage ? joinErrors(...withOthers(error, errors, typed)) : error;
  const sources = await sourcesOf(arg, args, typed);
  const messages = [
    ...new Set(all.messages.map((text) => `${asTyped(text, sources)}${typedValueSuffix(text, sources)}`)),
  ];
  const hint = all.hint ?? hintFor(messages, typed);
  return new VencError(error.errorClass, messages.join('; '), {
    cause: error,
    messages,
    ...(hint === null ? {} : { hint }),
  });
}

/**
 * Returns a function that names the setting at the beginning of the message of a failed output as it was typed:
 * `start_clip is …` becomes `--start-clip is …`. Other messages stay unchanged.
 */
export async function failureTerms(
  arg: string,
  args: CreateArgs,
): Promise<(message: string, index: number) => string> {
  const { errors: _, ...typed } = await typedSettings(args);
  const sources = await sourcesOf(arg, args, typed);
  return (message, index) => {
    const [name = ''] = /^[a-z_]+/.exec(message) ?? [];
    if (!Object.hasOwn(outputTable, name)) return message;
    const path = `outputs[${index}].${message}`;
    const named = asTyped(path, sources);
    return named === path ? message : named;
  };
}

/**
 * Returns a function that names the setting of a warning as it was typed: `outputs[0].size` with `has no effect with
 * width` becomes `--size has no effect with --width`. A setting of a request keeps its path:
 * `outputs[0].size: has no effect with width`. `output` is the number of the output, from 1, of a flag that applies to
 * all of them.
 */
export async function warningTerms(
  arg: string,
  args: CreateArgs,
): Promise<(warning: ReportedWarning) => { readonly text: string; readonly output: number | null }> {
  const { errors: _, ...typed } = await typedSettings(args);
  const sources = { ...(await sourcesOf(arg, args, typed)), request: null };
  return ({ field, message }) => {
    const named = asTyped(`${field} ${message}`, sources);
    const [, digits] = /^outputs\[(\d+)\]/.exec(field) ?? [];
    if (!named.startsWith('-')) return { text: `${field}: ${message}`, output: null };
    const isOfOne = digits === undefined || named.startsWith('--output ') || named.startsWith('--output:');
    return { text: named, output: isOfOne ? null : Number(digits) + 1 };
  };
}

async function sourcesOf(
  arg: string,
  args: CreateArgs,
  typed: Pick<SettingSources, 'jobFlags' | 'outputFlags' | 'outputs'>,
): Promise<SettingSources> {
  const { preset: name, presets } = args;
  // An unknown preset is reported by itself.
  const found = name === undefined ? undefined : await presets?.(name).catch(() => undefined);
  const preset = name === undefined ? null : { flag: `--preset ${name}`, settings: found?.settings ?? {} };
  return {
    ...typed,
    files: args.out ?? [],
    ladderPlace: ladderPlaceOf(args),
    request: requestName(arg, args),
    preset,
  };
}

/** The flag of the folder of a ladder and its value, if that is a URL. */
function ladderPlaceOf(args: CreateArgs): string | null {
  if (!hasLadder(args)) return null;
  const folder = ladderFolder(args);
  const flag = folder === null ? '-o' : typeof args.hls === 'string' ? '--hls' : '--dash';
  const place = folder ?? args.out?.[0] ?? '';
  return isUrl(place) ? `${flag} ${withoutPassword(place)}` : null;
}

/** Adds everything else that is wrong with the request to a `UsageError`. Other errors stay unchanged. */
export function withInvalidFields(error: unknown, request: RequestFields): unknown {
  if (!isVencError(error, 'UsageError')) return error;
  return joinErrors(error, invalidFields(request, error.messages));
}

/** The error first, then the flags that cannot be parsed and the invalid values, without duplicates. */
function withOthers(
  error: VencError,
  errors: readonly VencError[],
  typed: Pick<SettingSources, 'jobFlags' | 'outputFlags' | 'outputs'>,
): [VencError, readonly VencError[]] {
  const parseMessages = errors.flatMap((one) => one.messages.map(withoutFullStop));
  const remaining = error.messages.filter((text) => !parseMessages.some((known) => text.startsWith(known)));
  const request = mergeRequest({
    file: null,
    ...typed,
    jobFlags: { input: 'file:///input', ...typed.jobFlags },
  });
  const others = [...errors, ...invalidFields(request, remaining)];
  const [first, ...rest] = others;
  if (remaining.length === 0 && first !== undefined) return [first, rest];
  const hint = error.hint === null ? {} : { hint: error.hint };
  return [
    new VencError(error.errorClass, remaining.join('; '), { cause: error, messages: remaining, ...hint }),
    others,
  ];
}

/** The errors of the fields of a request, except for fields that other errors have named. */
function invalidFields(request: RequestFields, named: readonly string[]): readonly VencError[] {
  const result = parseJobRequest(request, { maxOutputs: Number.POSITIVE_INFINITY });
  if (result.ok) return [];
  const paths = new Set(named.map(pathIn));
  const messages = result.validationErrors.filter((text) => !paths.has(pathIn(text)));
  return messages.map((text) => new VencError('InvalidRequestError', text));
}

async function typedSettings(args: JobArgs): Promise<TypedSettings> {
  const errors: VencError[] = [];
  const read = async <T>(step: () => T | Promise<T>, fallback: T): Promise<T> => {
    try {
      return await step();
    } catch (error) {
      if (!isVencError(error)) throw error;
      errors.push(error);
      return fallback;
    }
  };
  const none = { jobFlags: {}, outputFlags: {} };
  let [jobFlags, outputFlags]: readonly RequestFields[] = [{}, {}];
  for (const { attribute } of settingFlags()) {
    const found = await read(() => parseFlags({ [attribute]: args[attribute] }), none);
    jobFlags = { ...jobFlags, ...found.jobFlags };
    outputFlags = { ...outputFlags, ...found.outputFlags };
  }
  // A missing local watermark is reported separately.
  outputFlags = await withWatermarkUrls(outputFlags ?? {});
  const outputs: RequestFields[] = [];
  for (const [index, text] of (args.output ?? []).entries()) {
    const flag = (args.output ?? []).length > 1 ? `--output ${index + 1}` : '--output';
    const given = await read(async () => parseOutputFlag(await readOutputArgument(text), flag), {});
    outputs.push(await withWatermarkUrls(given));
  }
  return { jobFlags: jobFlags ?? {}, outputFlags, outputs, errors };
}

/** The name of a request in messages; null if the argument is a media file or a URL. */
function requestName(arg: string, { xml }: CreateArgs): string | null {
  if (arg === '-') return 'stdin';
  return !isUrl(arg) && (xml === true || /\.(?:json|xml)$/i.test(arg)) ? arg : null;
}

/** A hint for frequently typed values that are ambiguous, or that two rules apply to. */
function hintFor(
  messages: readonly string[],
  { outputFlags }: Pick<SettingSources, 'outputFlags'>,
): string | null {
  if (
    messages.some((text) => text.startsWith('--segment-seconds ')) &&
    Number(outputFlags.segment_seconds) < 2
  )
    return 'give 2 seconds or more, or from 1 second on with --byte-range-segmenting';
  const lines = /^(\d{3,4})p$/i.exec(String(outputFlags.size))?.[1];
  if (lines === undefined || !messages.some((text) => text.startsWith('--size '))) return null;
  return `--height ${lines} for a height of ${lines} pixels, or --size for a frame to fit into`;
}

function pathIn(text: string): string {
  return text.split(' ')[0] ?? '';
}

function withoutFullStop(text: string): string {
  return text.replace(/\.$/, '');
}

/** A longer value was not meant for the setting. */
const maxShownCharacters = 60;

const settingPath = /^(?:outputs\[(\d+)\]\.)?([A-Za-z_]+)((?:\[\d+\]|\.[\w-]+)*) /;

/**
 * The end of the message of a validation error about a value that was typed, with the unit and the value: ` Kbps, not
 * "500k"`. Empty for all other messages, such as those about two settings. Pure.
 */
function typedValueSuffix(text: string, sources: SettingSources): string {
  const [, digits, name = '', tail = ''] = settingPath.exec(text) ?? [];
  const path = digits === undefined ? 'job' : 'output';
  const table: SettingsTable = path === 'job' ? jobTable : outputTable;
  const setting = table[canonicalName(table, name)];
  const typed = setting === undefined ? undefined : typedValue(path, Number(digits), name, sources);
  if (setting === undefined || typed === undefined) return '';
  const field = fieldAt(setting, typed, tail.match(/\[\d+\]|[\w-]+/g) ?? []);
  if (field === null || kindOf(field.setting).mayHoldSecret) return '';
  const shown = String(field.value);
  const [error = ''] = parseValue(field.setting, field.value, '').validationErrors;
  if (error === '' || !text.endsWith(error) || shown.length > maxShownCharacters) return '';
  const unit = 'unit' in field.setting && / to \d+$/.test(text) ? ` ${field.setting.unit}` : '';
  const hint = /\s[a-z_]+=/.test(shown) ? '; separate settings with commas' : '';
  return `${unit}, not "${shown}"${hint}`;
}

/** The setting and the value at the end of a path such as `[0].number`; null if the value does not have it. */
function fieldAt(
  setting: Setting,
  value: unknown,
  path: readonly string[],
): { readonly setting: Setting; readonly value: unknown } | null {
  const [step, ...rest] = path;
  if (step === undefined) return { setting, value };
  const index = /^\[(\d+)\]$/.exec(step)?.[1];
  if (index !== undefined) {
    const item: unknown = Array.isArray(value) ? value[Number(index)] : value;
    return fieldAt(setting.kind === 'list' ? setting.of : setting, item, rest);
  }
  const one = setting.kind === 'list' ? setting.of : setting;
  const item: unknown = Array.isArray(value) ? value[0] : value;
  if (one.kind !== 'object' || !isObject(item)) return null;
  const fields: SettingsTable = one.fields;
  const inner = fields[canonicalName(fields, step)];
  return inner === undefined ? null : fieldAt(inner, new Map(Object.entries(item)).get(step), rest);
}
