import { jobTable, outputTable } from '../../shared/settings/index.js';
import { outputListOf } from '../../shared/settings/presets.js';
import type { RequestFields, SettingsTable } from '../../shared/settings/setting.js';
import { canonicalName } from '../../shared/settings/spellings.js';
import { safeText } from '../../shared/text/safe-text.js';
import { isObject } from '../../shared/util/is-object.js';

/** A preset as it is printed, without passwords. */
export interface PrintedPreset {
  readonly name: string;
  /** `own`: saved on this machine; `account`: saved at the service; `shipped`: it comes with venc. */
  readonly source: 'own' | 'account' | 'shipped';
  /** What a shipped one is for; null for others. */
  readonly summary: string | null;
  /** A request without an input. */
  readonly settings: RequestFields;
}

const sources = {
  own: 'saved on this machine',
  account: 'saved at the service',
  shipped: 'comes with venc',
} as const;

/** The settings of a preset on one line. */
export function presetLine({ settings: { output, outputs = output, ...job } }: PrintedPreset): string {
  const [first, ...others] = outputListOf({ outputs });
  const several = others.length === 0 ? null : `${others.length + 1} outputs`;
  return [...pairs(job), ...(several === null ? pairs(first) : [several])].join(' ');
}

function pairs(settings: unknown): readonly string[] {
  return rows(settings).map(([name, value]) => `${name}=${value}`);
}

/** A page about a preset: what it is for, and what each of its settings means. */
export function presetPage(preset: PrintedPreset): string {
  const { name, source, summary, settings } = preset;
  const { output: _, outputs: _outputs, ...job } = settings;
  const outputs = outputListOf(settings);
  const head = summary === null ? sources[source] : `${summary} (${sources[source]})`;
  const sections = [
    ...(Object.keys(job).length === 0 ? [] : ['', 'job', ...lines(job, jobTable)]),
    ...outputs.flatMap((output, index) => [
      '',
      outputs.length === 1 ? 'every output' : `output ${index + 1}`,
      ...lines(output, outputTable),
    ]),
  ];
  return `${safeText(`${name}: ${head}`)}\n${sections.map((line) => `${line}\n`).join('')}`;
}

function lines(settings: unknown, table: SettingsTable): readonly string[] {
  const all = rows(settings);
  const width = Math.max(
    0,
    ...all.map(([name, value]) => `  ${name} ${value}`.length).filter((one) => one <= 34),
  );
  return all.map(([name, value]) => {
    const help = table[canonicalName(table, name)]?.help ?? '';
    return safeText(`${`  ${name} ${value}`.padEnd(width)}  ${help}`.trimEnd());
  });
}

function rows(settings: unknown): readonly (readonly [string, string])[] {
  if (!isObject(settings)) return [];
  return Object.entries(settings).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
}
