import { jobTable, outputTable } from '../settings/index.js';
import { outputListOf } from '../settings/presets.js';
import type { RequestFields, SettingsTable } from '../settings/setting.js';
import { canonicalName } from '../settings/spellings.js';
import { isObject } from '../util/is-object.js';

/** The settings of a preset on one line. */
export function presetLine({ output, outputs = output, ...job }: RequestFields): string {
  const [first, ...others] = outputListOf({ outputs });
  const several = others.length === 0 ? null : `${others.length + 1} outputs`;
  return [...pairs(job), ...(several === null ? pairs(first) : [several])].join(' ');
}

function pairs(settings: unknown): readonly string[] {
  return rows(settings).map(([name, value]) => `${name}=${value}`);
}

/** A setting of a preset. */
export interface PresetFact {
  readonly name: string;
  readonly value: string;
  /** What it means; empty for an unknown name. */
  readonly help: string;
}

/** The settings of a preset for the job, for every output, or for one of them. */
export interface PresetSection {
  readonly title: string;
  readonly facts: readonly PresetFact[];
}

/** The settings of a preset, each with what it means. */
export function presetSections(settings: RequestFields): readonly PresetSection[] {
  const { output: _, outputs: _outputs, ...job } = settings;
  const outputs = outputListOf(settings);
  return [
    ...(Object.keys(job).length === 0 ? [] : [{ title: 'job', facts: factsOf(job, jobTable) }]),
    ...outputs.map((output, index) => ({
      title: outputs.length === 1 ? 'every output' : `output ${index + 1}`,
      facts: factsOf(output, outputTable),
    })),
  ];
}

function factsOf(settings: unknown, table: SettingsTable): readonly PresetFact[] {
  return rows(settings).map(([name, value]) => ({
    ...{ name, value },
    help: table[canonicalName(table, name)]?.help ?? '',
  }));
}

function rows(settings: unknown): readonly (readonly [string, string])[] {
  if (!isObject(settings)) return [];
  return Object.entries(settings).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
}
