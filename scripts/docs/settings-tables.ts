import {
  code,
  defaultText,
  meaningText,
  nestedSettings,
  valueText,
} from '../../src/shared/settings/describe-setting.js';
import { settingFlags } from '../../src/shared/settings/flags.js';
import type { Setting, SettingsTable } from '../../src/shared/settings/index.js';
import { exceptionsText, type SettingSupport } from '../../src/shared/settings/support/setting-support.js';

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
  const [, number, chapter] = /^([\d.]+) (.+)$/.exec(section) ?? [];
  return number === undefined ? section : `${chapter} (section ${number})`;
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
  const inner = Object.entries(nestedSettings(setting)).flatMap(([field, one]) =>
    rowsOf(`${name}.${field}`, one, context),
  );
  return [row, ...inner];
}

/** Describes the support of a setting in this version. */
function supportText(support: SettingSupport | undefined): string {
  if (support === undefined) return '';
  if ('by' in support) return `supported ${exceptionsText(support)}`.trimEnd();
  if ('noEffect' in support) {
    return `no effect${support.warns ? ', with a warning' : ''}: ${support.noEffect}`;
  }
  const supportedChoices = (support.unless ?? []).map((value) => code(String(value)));
  const except = supportedChoices.length === 0 ? '' : `, except ${supportedChoices.join(', ')}`;
  return `**rejected**${except}: ${support.unsupported}`;
}

/** A Markdown table; cells must be single lines. */
export function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(heads), line(heads.map(() => '---')), ...rows.map(line)].join('\n');
}

/** A fenced code block in a language. */
export function block(language: string, text: string): string {
  return `\`\`\`${language}\n${text}\n\`\`\``;
}
