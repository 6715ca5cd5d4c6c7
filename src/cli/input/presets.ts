import type { Client } from '../../client/client.js';
import type { Environment } from '../../config/folders.js';
import { VencError } from '../../shared/errors.js';
import { outputListOf, presetHint, shippedPresetNames } from '../../shared/settings/presets.js';
import type { RequestFields } from '../../shared/settings/setting.js';
import { isObject } from '../../shared/util/is-object.js';

/** A preset that a command line or a request names. */
export interface ChosenPreset {
  readonly name: string;
  /** `own`: a file of the user; `account`: saved at the service; `shipped`: it comes with venc. */
  readonly source: 'own' | 'account' | 'shipped';
  readonly settings: RequestFields;
}

/** Finds a preset by its name. Rejects with `UsageError` if there is none, or if its file cannot be read. */
export type ChoosePreset = (name: string) => Promise<ChosenPreset>;

/**
 * The presets that a command can name: those of the user come before those of the account, and these before the shipped
 * ones. Without a client the service is not asked. Each name is looked up once.
 */
export function createPresets(env: Environment, client?: () => Promise<Client>): ChoosePreset {
  const known = new Map<string, Promise<ChosenPreset>>();
  return (name) => {
    const found = known.get(name) ?? choose(name, env, client);
    known.set(name, found);
    return found;
  };
}

async function choose(
  name: string,
  env: Environment,
  client: (() => Promise<Client>) | undefined,
): Promise<ChosenPreset> {
  const { presetNames, readPreset } = await import('../../config/presets.js');
  const own = await presetNames(env);
  if (own.includes(name)) return { name, source: 'own', settings: await readPreset(env, name) };
  const service = await client?.();
  const { findAccountPresets, findPreset } = await import('../../client/presets.js');
  const account = service === undefined ? null : await findPreset(service, name);
  if (account !== null) return { name, source: 'account', settings: account };
  const { shippedPreset } = await import('../../shared/settings/shipped-presets.js');
  const shipped = shippedPreset(name);
  if (shipped !== null) return { name, source: 'shipped', settings: shipped.settings };
  const others = service === undefined ? [] : await findAccountPresets(service);
  throw unknownPreset(name, [...own, ...others.map((one) => one.name)]);
}

/** The error for a name that is neither one of these nor that of a shipped preset. */
export function unknownPreset(name: string, known: readonly string[]): VencError {
  return new VencError('UsageError', `There is no preset ${JSON.stringify(name)}.`, {
    hint: presetHint(name, [...new Set([...known, ...shippedPresetNames])]),
  });
}

/**
 * The flags of a command with `--hls` for the shipped preset `hls`, so that flags of settings apply to its renditions,
 * and `-o` names a folder. Unchanged for requests and with `--output`, which the outputs of the preset are merged with.
 */
export async function withPresetLadder<
  T extends {
    readonly preset?: string;
    readonly presets?: ChoosePreset;
    readonly hls?: string | true;
    readonly output?: readonly string[];
  },
>(options: T, hasRequest: boolean): Promise<T> {
  const { preset, ...others } = options;
  if (preset !== 'hls' || hasRequest || options.output !== undefined) return options;
  if ((await options.presets?.(preset))?.source !== 'shipped') return options;
  return { ...others, hls: options.hls ?? true, ladderPreset: preset } as unknown as T;
}

/** The names of presets in the outputs of a request. */
export function presetsOfOutputs(request: RequestFields): readonly string[] {
  return outputListOf(request).flatMap((output) =>
    isObject(output) && typeof output.preset === 'string' ? [output.preset] : [],
  );
}
