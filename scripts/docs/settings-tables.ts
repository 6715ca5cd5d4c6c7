import type { SettingSupport } from '../../daemon/plan/supported-settings.js';
import { settingFlags } from '../../src/shared/settings/flags.js';
import type { Setting, SettingsTable } from '../../src/shared/settings/index.js';
import { code, table } from './markdown.js';
import { defaultText, meaningText, valueText } from './value-text.js';

/** What becomes of settings, by their paths. */
export type SettingSupportTables = Readonly<Record<string, SettingSupport>>;

const heads = ['setting', 'flag', 'value', 'default', 'meaning', 'here'] as const;

/**
 * A table of settings for each of their chapters, in the order of the rows, each below a heading with the section of the service
 * document. Settings inside of others stand below these, in the same chapter.
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

/** What this version makes of a setting. */
function supportText(support: SettingSupport | undefined): string {
  if (support === undefined) return '';
  if ('by' in support) return 'supported';
  if ('noEffect' in support) return `no effect: ${support.noEffect}`;
  const supportedChoices = (support.unless ?? []).map((value) => code(String(value)));
  return supportedChoices.length === 0
    ? '**declined**'
    : `**declined**, but for ${supportedChoices.join(', ')}`;
}
