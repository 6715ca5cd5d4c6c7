import { collect, VencError } from '../errors.js';
import { parseJsonSyntax } from '../text/json-syntax.js';
import { isObject } from '../util/is-object.js';
import { jobTable, outputTable } from './index.js';
import { fieldsFromFlag, kindOf, placeholderOf, rangeOf, requestValue } from './kinds/groups.js';
import type { RequestFields, Setting, SettingsTable } from './setting.js';

/** The command-line flag of a setting: everything that a parser, a help page or a completion needs. */
interface SettingFlag {
  /** The flag, e.g. `--video-codec`. */
  readonly flag: string;
  /** The name of the setting, e.g. `video_codec`. */
  readonly name: string;
  /** The property under which a parser such as commander stores the value, e.g. `videoCodec`. */
  readonly attribute: string;
  /** The value as help shows it, e.g. `<codec>`, or `[auto]` if it may be left out; null for a flag without a value. */
  readonly argument: string | null;
  /** The negated flag, e.g. `--no-test`, which overrides a request file; null unless the setting is a boolean. */
  readonly negation: string | null;
  /**
   * The help text with range and default: `width of the video (2 to 8192 pixels; default: the width of the input)`.
   */
  readonly help: string;
  /** The allowed values, for completion; empty unless the setting is a choice. */
  readonly choices: readonly string[];
  readonly path: 'job' | 'output';
  /** Whether it may be given several times. */
  readonly repeatable: boolean;
}

/** Flags whose name differs from that of their setting. */
const flagNames: Readonly<Record<string, string>> = { notifications: 'notify' };

/** Made once, when a command first needs it. */
let allFlags: readonly SettingFlag[] | null = null;

/**
 * The flags of all settings of a job and of an output, in the order of the tables. `input` has no flag, because it is
 * an argument of the commands, and `input_name` has none, because submit sends it. A setting that the job and its
 * outputs have, such as `notifications`, has a flag only for the job. Settings that are not applied have none.
 */
export function settingFlags(): readonly SettingFlag[] {
  allFlags ??= [...flagsOf(jobTable, 'job'), ...flagsOf(outputTable, 'output')];
  return allFlags;
}

/**
 * Splits parsed flags into fields of the job and settings that apply to every output, in the form of a request. Takes
 * the parser's values by `attribute` and ignores those that belong to no setting. Throws `UsageError`.
 */
export function parseFlags(options: Readonly<Record<string, unknown>>): {
  readonly jobFlags: RequestFields;
  readonly outputFlags: RequestFields;
} {
  return {
    jobFlags: valuesOf(jobTable, 'job', options),
    outputFlags: valuesOf(outputTable, 'output', options),
  };
}

/**
 * Parses the value of `--output`: `name=value,name=value`, or a JSON object, which is returned unchanged. The content
 * of the file in `--output @FILE` has the same form. Error messages call it `flag`.
 */
export function parseOutputFlag(text: string, flag = '--output'): RequestFields {
  if (!text.trimStart().startsWith('{')) return fieldsFromFlag(outputTable, text, flag);
  const result = parseJsonSyntax(text);
  if ('value' in result && isObject(result.value)) return result.value;
  const where = 'value' in result || result.position === null ? '' : `: syntax error at ${result.position}`;
  throw new VencError('UsageError', `${flag} is not valid JSON${where}.`);
}

function valuesOf(table: SettingsTable, path: SettingFlag['path'], options: RequestFields): RequestFields {
  const steps = settingFlags().flatMap(({ name, flag, attribute, path: flagPath }) => {
    const setting = table[name];
    const word = options[attribute];
    return setting === undefined || word === undefined || flagPath !== path
      ? []
      : [() => [name, requestValue(setting, word, flag)] as const];
  });
  return Object.fromEntries(collect(steps));
}

function flagsOf(table: SettingsTable, path: SettingFlag['path']): readonly SettingFlag[] {
  return Object.entries(table)
    .filter(([name, { kind }]) => kind !== 'unchecked' && hasFlag(name, path))
    .map(([name, setting]) => {
      const word = (flagNames[name] ?? name).replaceAll('_', '-');
      const isBoolean = setting.kind === 'boolean';
      const optional = isBoolean && setting.mayBeAuto === true ? '[auto]' : null;
      return {
        flag: `--${word}`,
        name,
        attribute: word.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase()),
        argument: isBoolean ? optional : placeholderOf(setting, name),
        negation: isBoolean ? `--no-${word}` : null,
        help: settingHelp(setting),
        choices: isBoolean && optional === null ? [] : (kindOf(setting).words?.(setting) ?? []),
        path,
        repeatable: kindOf(setting).isRepeatable ?? false,
      };
    });
}

function hasFlag(name: string, path: SettingFlag['path']): boolean {
  // --force of run and submit sets the first, and the second is an option of the commands.
  if (name === 'overwrite' || name === 'preset') return false;
  return path === 'job' ? name !== 'input' && name !== 'input_name' : !Object.hasOwn(jobTable, name);
}

/**
 * The help text of a setting's flag, with range and default, generated from its row: `number of channels (1 to 2;
 * default: as many as the input has, at most 2)`.
 */
export function settingHelp(setting: Setting): string {
  const value = setting.defaultText ?? ('default' in setting ? setting.default : undefined);
  const notes = [
    rangeOf(setting),
    value === undefined ? '' : `default: ${value}`,
    kindOf(setting).isRepeatable ? 'repeatable' : '',
  ].filter((note) => note !== '');
  return notes.length === 0 ? setting.help : `${setting.help} (${notes.join('; ')})`;
}

/** The title of the section of a setting: that of the service document, without its number. */
export function sectionTitle(section: string): string {
  return section.replace(/^[\d.]+ /, '');
}
