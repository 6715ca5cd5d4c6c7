import { settingFlags } from '../../src/shared/settings/flags.js';
import type { Setting, SettingsTable } from '../../src/shared/settings/index.js';
import { kindOf, nestedSettings } from '../../src/shared/settings/kinds/groups.js';
import { code } from '../../src/shared/settings/kinds/kind.js';
import { defaultText, exceptionsText, meaningText } from '../../src/shared/settings/support.js';

const heads = ['setting', 'flag', 'value', 'default', 'meaning', 'here'] as const;

/**
 * Generates a table for each chapter of the settings, in the order of the rows, each below a heading with the section
 * of the service document. Nested settings follow their parent in the same chapter.
 */
export function settingsTables(settings: SettingsTable, path: 'job' | 'output'): string {
  const chapters = [...new Set(Object.values(settings).map(({ section }) => section))];
  return chapters
    .map((section) => {
      const rows = Object.entries(settings)
        .filter(([, setting]) => setting.section === section)
        .flatMap(([name, setting]) => rowsOf(name, setting, path));
      return `### ${chapterTitle(section)}\n\n${table(heads, rows)}\n`;
    })
    .join('\n');
}

function chapterTitle(section: string): string {
  if (section === 'addition') return 'Additions of this project';
  const [, number, chapter] = /^([\d.]+) (.+)$/.exec(section) ?? [];
  return number === undefined ? section : `${chapter} (section ${number})`;
}

function rowsOf(name: string, setting: Setting, path: 'job' | 'output'): readonly (readonly string[])[] {
  const others = (setting.spellings ?? []).map(code).join(', ');
  const flag = settingFlags().find((one) => one.path === path && one.name === name)?.flag;
  const row = [
    others === '' ? code(name) : `${code(name)}, also ${others}`,
    flag === undefined ? '' : code(flag),
    kindOf(setting).describe(setting),
    defaultText(setting),
    meaningText(setting),
    supportText(setting),
  ];
  const inner = Object.entries(nestedSettings(setting)).flatMap(([field, one]) =>
    rowsOf(`${name}.${field}`, one, path),
  );
  return [row, ...inner];
}

/** Describes the support of a setting in this version. */
function supportText(setting: Setting): string {
  const { rejected, noEffect, warns, unless = [] } = setting;
  if (rejected !== undefined) {
    const except =
      unless.length === 0 ? '' : `, except ${unless.map((value) => code(String(value))).join(', ')}`;
    return `**rejected**${except}: ${rejected}`;
  }
  if (noEffect !== undefined) return `no effect${warns ? ', with a warning' : ''}: ${noEffect}`;
  return `supported ${exceptionsText(setting)}`.trimEnd();
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
