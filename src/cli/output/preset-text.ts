import type { RequestFields } from '../../shared/settings/setting.js';
import { type PresetFact, presetSections } from '../../shared/text/preset-facts.js';
import { safeText } from '../../shared/text/safe-text.js';

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

/** A page about a preset: what it is for, and what each of its settings means. */
export function presetPage(preset: PrintedPreset): string {
  const { name, source, summary, settings } = preset;
  const head = summary === null ? sources[source] : `${summary} (${sources[source]})`;
  const sections = presetSections(settings).flatMap(({ title, facts }) => ['', title, ...lines(facts)]);
  return `${safeText(`${name}: ${head}`)}\n${sections.map((line) => `${line}\n`).join('')}`;
}

function lines(facts: readonly PresetFact[]): readonly string[] {
  const width = Math.max(
    0,
    ...facts.map(({ name, value }) => `  ${name} ${value}`.length).filter((one) => one <= 34),
  );
  return facts.map(({ name, value, help }) =>
    safeText(`${`  ${name} ${value}`.padEnd(width)}  ${help}`.trimEnd()),
  );
}
