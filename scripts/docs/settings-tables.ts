import type { SettingSupport } from '../../daemon/plan/supported-settings.js';
import { settingFlags } from '../../src/shared/settings/flags.js';
import type { Setting, SettingsTable } from '../../src/shared/settings/index.js';
import { sidePixels } from '../../src/shared/settings/limits.js';

/** The support of settings, by path. */
export type SettingSupportTables = Readonly<Record<string, SettingSupport>>;

const heads = ['setting', 'flag', 'value', 'default', 'meaning', 'here'] as const;

/**
 * Generates a table for each chapter of the settings, in the order of the rows, each below a heading with the section
 * of the service document. Nested settings follow their parent in the same chapter.
 */
export function settingsTables(
  settings: SettingsTable,
  support: SettingSupportTables,
  path: 'job' | 'output',
): string {
  const chapters = [...new Set(Object.values(settings).map(({ section }) => section))];
  return chapters
    .map((section) => {
      const rows = Object.entries(settings)
        .filter(([, setting]) => setting.section === section)
        .flatMap(([name, setting]) => rowsOf(name, setting, { support, path }));
      return `### ${chapterTitle(section)}\n\n${table(heads, rows)}\n`;
    })
    .join('\n');
}

function chapterTitle(section: string): string {
  if (section === 'addition') return 'Additions of this project';
  const [, number = '', chapter = ''] = /^(\S+) (.+)$/.exec(section) ?? [];
  return `${chapter} (section ${number})`;
}

interface TableContext {
  readonly support: SettingSupportTables;
  readonly path: 'job' | 'output';
}

function rowsOf(name: string, setting: Setting, context: TableContext): readonly (readonly string[])[] {
  const others = (setting.spellings ?? []).map(code).join(', ');
  const flag = settingFlags().find((one) => one.path === context.path && one.name === name)?.flag;
  const row = [
    others === '' ? code(name) : `${code(name)}, also ${others}`,
    flag === undefined ? '' : code(flag),
    valueText(setting),
    defaultText(setting),
    meaningText(setting),
    supportText(context.support[name]),
  ];
  const inner = Object.entries(fieldsOf(setting)).flatMap(([field, one]) =>
    rowsOf(`${name}.${field}`, one, context),
  );
  return [row, ...inner];
}

function fieldsOf(setting: Setting): SettingsTable {
  if (setting.kind === 'list') return fieldsOf(setting.of);
  return setting.kind === 'object' ? setting.fields : {};
}

/** Describes the support of a setting in this version. */
function supportText(support: SettingSupport | undefined): string {
  if (support === undefined) return '';
  if ('by' in support) return 'supported';
  if ('noEffect' in support) return `no effect: ${support.noEffect}`;
  const supportedChoices = (support.unless ?? []).map((value) => code(String(value)));
  return supportedChoices.length === 0
    ? '**not supported**'
    : `**not supported**, except ${supportedChoices.join(', ')}`;
}

/** Describes the kind, range and spelling of the value of a setting. */
export function valueText(setting: Setting): string {
  switch (setting.kind) {
    case 'integer':
    case 'number': {
      const kind = setting.kind === 'integer' ? 'whole number' : 'number';
      const unit = setting.unit === undefined ? '' : ` ${setting.unit}`;
      const step =
        setting.kind === 'integer' && setting.multipleOf ? `, a multiple of ${setting.multipleOf}` : '';
      return `${kind}, ${setting.min} to ${setting.max}${unit}${step}`;
    }
    case 'boolean':
      return setting.isSentAsInteger ? `${code('1')} or ${code('0')}` : `${code('true')} or ${code('false')}`;
    case 'text': {
      const kind = setting.isPath ? 'relative path' : 'text';
      return `${kind} of ${setting.mayBeEmpty ? 'up' : '1'} to ${setting.maxLength} characters`;
    }
    case 'url':
      return setting.schemes === undefined ? 'URL' : `URL with ${setting.schemes.map(code).join(' or ')}`;
    case 'choice':
      return `${setting.choices.map(code).join(', ')}${setting.isCaseInsensitive ? ', in any letter case' : ''}`;
    case 'number-choice':
      return setting.choices.map((choice) => code(String(choice))).join(', ');
    case 'size':
      return `${code('WIDTHxHEIGHT')}, sides of ${setting.min} to ${setting.max} pixels`;
    case 'time': {
      const min = setting.isAboveZero ? 'above 0, ' : '';
      return `${code('HH:MM:SS.S')} or seconds, ${min}below ${setting.maxSeconds / 3600} hours`;
    }
    case 'distance': {
      const sign = setting.isSigned ? `, either with a minus: ${code('-10')}` : ', above 0';
      return `pixels up to ${sidePixels.max} or percent up to 100, as ${code('10')} and ${code('25%')}${sign}`;
    }
    case 'object': {
      const text = setting.textField === undefined ? '' : `, or the ${code(setting.textField)} as a string`;
      return `object${text}${setting.acceptsArray ? ', or an array of one' : ''}`;
    }
    case 'list':
      return `one, or an array of up to ${setting.max}: ${valueText(setting.of)}`;
    case 'map':
      return `object of up to ${setting.max} strings of up to ${setting.maxLength} characters, by name`;
  }
}

/** Describes the default of a setting: `required` for a required one, `-` if there is none. */
export function defaultText(setting: Setting): string {
  if (setting.isRequired) return 'required';
  if (setting.defaultText !== undefined) return setting.defaultText;
  const value = 'default' in setting ? setting.default : undefined;
  if (value === undefined) return '-';
  if (setting.kind === 'boolean' && setting.isSentAsInteger) return code(value === true ? '1' : '0');
  return code(String(value));
}

/** Describes the meaning of a setting, including the rule about its own fields. */
export function meaningText(setting: Setting): string {
  const inner = setting.kind === 'list' ? setting.of : setting;
  const oneOf = inner.kind === 'object' ? (inner.oneOf ?? []) : [];
  return oneOf.length === 0
    ? setting.help
    : `${setting.help}; exactly one of ${oneOf.map(code).join(', ')} in each`;
}

/** A Markdown table; cells must be single lines. */
export function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(heads), line(heads.map(() => '---')), ...rows.map(line)].join('\n');
}

/** Inline code. */
export function code(text: string): string {
  return `\`${text}\``;
}

/** A fenced code block in a language. */
export function block(language: string, text: string): string {
  return `\`\`\`${language}\n${text}\n\`\`\``;
}
