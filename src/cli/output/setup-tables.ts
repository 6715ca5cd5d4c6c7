import { redact } from '../../shared/redact.js';
import { createTextColours } from './paint.js';
import { type Column, type TableStyle, table } from './table.js';

/** A key of the configuration and the value that applies where no flag says otherwise. */
export interface ConfigRecord {
  readonly key: string;
  /** null if only the default applies. */
  readonly value: string | null;
  /** The environment variable or the file that it comes from, or `default`. */
  readonly from: string;
  /** What applies where nothing is configured, in words where it is no value. */
  readonly default: string;
}

/** The keys as a table, one line a key. */
export function configTableText(records: readonly ConfigRecord[], { width, hasColour }: TableStyle): string {
  const columns: readonly Column<ConfigRecord>[] = [
    { title: 'KEY', priority: 3, text: ({ key }) => key },
    { title: 'VALUE', priority: 2, minWidth: 24, text: ({ value, default: fallback }) => value ?? fallback },
    { title: 'FROM', priority: 1, minWidth: 24, text: ({ from }) => from },
  ];
  return table(columns, records, width, createTextColours(hasColour));
}

/** A target as `venc target list` prints it: its key is nowhere in it. */
export interface TargetRecord {
  readonly name: string;
  readonly url: string;
  /** Whether commands talk to it where nothing else is said. */
  readonly in_use: boolean;
}

/** Targets as a table, one line each. */
export function targetsTable(targets: readonly TargetRecord[], { width, hasColour }: TableStyle): string {
  const columns: readonly Column<TargetRecord>[] = [
    { title: 'NAME', priority: 3, minWidth: 8, text: ({ name }) => name },
    { title: 'IN USE', priority: 1, text: ({ in_use: isUsed }) => (isUsed ? 'yes' : '') },
    { title: 'URL', priority: 2, minWidth: 24, text: ({ url }) => url },
  ];
  return table(columns, targets, width, createTextColours(hasColour));
}

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
