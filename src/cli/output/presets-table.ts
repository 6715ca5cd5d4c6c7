import { redact } from '../../shared/redact.js';
import { createTextColours } from './paint.js';
import { type Column, type TableStyle, table } from './table.js';

/** A preset as `venc preset list` prints it: without passwords. */
export interface PresetRecord {
  readonly name: string;
  /** A request without an input. */
  readonly settings: Readonly<Record<string, unknown>>;
}

/** A preset as it is printed: passwords and keys are masked. */
export function presetRecord(name: string, settings: PresetRecord['settings']): PresetRecord {
  const masked: unknown = JSON.parse(JSON.stringify(settings), (key, value: unknown) =>
    key === 'api_key' ? '***' : typeof value === 'string' ? redact(value) : value,
  );
  return { name, settings: typeof masked === 'object' && masked !== null ? { ...masked } : {} };
}

/** Presets as a table, one line each. */
export function presetsTable(presets: readonly PresetRecord[], { width, hasColour }: TableStyle): string {
  const columns: readonly Column<PresetRecord>[] = [
    { title: 'NAME', priority: 2, minWidth: 8, text: ({ name }) => name },
    { title: 'SETTINGS', priority: 1, minWidth: 24, text: ({ settings }) => settingsText(settings) },
  ];
  return table(columns, presets, width, createTextColours(hasColour));
}

function settingsText({ output, outputs = output, ...job }: PresetRecord['settings']): string {
  const [first, ...others]: readonly unknown[] = Array.isArray(outputs) ? outputs : [outputs];
  const several = others.length === 0 ? null : `${others.length + 1} outputs`;
  return [...pairs(job), ...(several === null ? pairs(first) : [several])].join(' ');
}

function pairs(settings: unknown): readonly string[] {
  return Object.entries(settings ?? {}).map(
    ([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
}
