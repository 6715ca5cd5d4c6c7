import type { SettingSupport } from '../../daemon/plan/supported-settings.js';
import { settingFlags } from '../../src/shared/settings/flags.js';
import type { Setting, SettingsTable } from '../../src/shared/settings/index.js';
import { code, table } from './markdown.js';
import { defaultText, meaningText, valueText } from './value-text.js';

/** What becomes of settings, by their paths. */
export type Honours = Readonly<Record<string, SettingSupport>>;

const heads = ['setting', 'flag', 'value', 'default', 'meaning', 'here'] as const;

/**
 * A table of settings for each of their chapters, in the order of the rows, each below a heading with the section of the service
 * document. Settings inside of others stand below these, in the same chapter.
 */
export function settingsTables(settings: SettingsTable, honours: Honours, path: 'job' | 'output'): string {
  const chapters = [...new Set(Object.values(settings).map(({ section }) => section))];
  return chapters
    .map((section) => {
      const rows = Object.entries(settings)
        .filter(([, setting]) => setting.section === section)
        .flatMap(([name, setting]) => rowsOf(name, setting, { honours, path }));
      return `### ${chapterTitle(section)}\n\n${table(heads, rows)}\n`;
    })
    .join('\n');
}

function chapterTitle(section: string): string {
  if (section === 'addition') return 'Additions of this project';
  const [, number = '', chapter = ''] = /^(\S+) (.+)$/.exec(section) ?? [];
  return `${chapter} (section ${number})`;
}

interface Surroundings {
  readonly honours: Honours;
  readonly path: 'job' | 'output';
}

function rowsOf(name: string, setting: Setting, around: Surroundings): readonly (readonly string[])[] {
  const others = (setting.spellings ?? []).map(code).join(', ');
  const flag = settingFlags().find((one) => one.path === around.path && one.name === name)?.flag;
  const row = [
    others === '' ? code(name) : `${code(name)}, also ${others}`,
    flag === undefined ? '' : code(flag),
    valueText(setting),
    defaultText(setting),
    meaningText(setting),
    hereText(around.honours[name]),
  ];
  const inner = Object.entries(fieldsOf(setting)).flatMap(([field, one]) =>
    rowsOf(`${name}.${field}`, one, around),
  );
  return [row, ...inner];
}

function fieldsOf(setting: Setting): SettingsTable {
  if (setting.kind === 'list') return fieldsOf(setting.of);
  return setting.kind === 'object' ? setting.fields : {};
}

/** What this version makes of a setting. */
function hereText(honour: SettingSupport | undefined): string {
  if (honour === undefined) return '';
  if ('by' in honour) return 'honoured';
  if ('noEffect' in honour) return `moot: ${honour.noEffect}`;
  const taken = (honour.unless ?? []).map((value) => code(String(value)));
  return taken.length === 0 ? '**declined**' : `**declined**, but for ${taken.join(', ')}`;
}
