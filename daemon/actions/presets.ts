import { invalidRequest, VencError } from '../../src/shared/errors.js';
import type { PresetListRecord, PresetRecord, SavedPresetRecord } from '../../src/shared/records.js';
import { checkPreset } from '../../src/shared/settings/check-preset.js';
import {
  isPresetName,
  type PresetLookup,
  presetHint,
  presetNameRule,
  shippedPresetNames,
} from '../../src/shared/settings/presets.js';
import { toReportedWarnings } from '../../src/shared/settings/report-warnings.js';
import { toReportedErrors } from '../../src/shared/settings/sent-paths.js';
import { shippedPreset } from '../../src/shared/settings/shipped-presets.js';
import { isObject } from '../../src/shared/util/is-object.js';
import type { Account } from '../store/account-store.js';
import type { AppContext } from './app-context.js';

/** Maximum number of presets of an account, which are held in memory. */
const maxPresets = 100;
/** Maximum length of a preset as JSON, in characters. */
const maxPresetLength = 64 * 1024;

type PresetDeps = Pick<AppContext, 'accounts' | 'maxOutputs' | 'log'>;
type Owner = Pick<Account, 'id' | 'presets'>;

/** The presets that the requests of an account can name: its own ones before those that come with venc. */
export function presetsOf(account: Pick<Account, 'presets'>): PresetLookup {
  const names = [...ownNames(account), ...shippedPresetNames];
  return {
    find: (name) => ownPreset(account, name) ?? shippedPreset(name)?.settings ?? null,
    names: [...new Set(names)],
  };
}

/** The presets of an account by name, and then those that come with venc and have no name of these. */
export function listPresets(account: Owner): PresetListRecord {
  return { presets: presetsOf(account).names.map((name) => readPreset(account, name)) };
}

/** A preset of an account or, without one of this name, of venc. Throws `NotFoundError` if there is none. */
export function readPreset(account: Owner, name: string): PresetRecord {
  const own = ownPreset(account, name);
  if (own !== null) return { name, source: 'account', summary: null, settings: own };
  const shipped = shippedPreset(name);
  if (shipped === null) throw unknownPreset(account, name);
  return { name, source: 'shipped', ...shipped };
}

/**
 * Saves a preset of an account, and replaces one of this name. Rejects with `InvalidRequestError` for an invalid name
 * or preset, and with `ConflictError` if the account has too many.
 */
export async function savePreset(
  { accounts, maxOutputs, log }: PresetDeps,
  { id }: Owner,
  name: string,
  body: unknown,
): Promise<SavedPresetRecord> {
  if (!isPresetName(name))
    throw invalidRequest([`the name of a preset has 1 to 64 characters: ${presetNameRule}`]);
  const { validationErrors, warnings } = checkPreset(body, { maxOutputs });
  if (validationErrors.length > 0 || !isObject(body))
    throw invalidRequest(toReportedErrors(validationErrors, [], body));
  if (JSON.stringify(body).length > maxPresetLength)
    throw invalidRequest([`the preset must have at most ${maxPresetLength} characters`]);
  await accounts.changePresets(id, (presets) => {
    if (!Object.hasOwn(presets, name) && Object.keys(presets).length >= maxPresets)
      throw new VencError('ConflictError', `The account has ${maxPresets} presets already.`, {
        hint: 'Remove one first: DELETE /v2/presets/NAME.',
      });
    return { ...presets, [name]: body };
  });
  log('info', `Preset ${name} of account ${id} is saved.`);
  const reported = toReportedWarnings(warnings, body);
  const saved = { name, source: 'account', summary: null, settings: body } as const;
  return reported.length === 0 ? saved : { ...saved, warnings: reported };
}

/**
 * Removes a preset of an account. Rejects with `NotFoundError` if there is none, and with `ConflictError` for one that
 * comes with venc.
 */
export async function removePreset(
  { accounts, log }: Pick<PresetDeps, 'accounts' | 'log'>,
  account: Owner,
  name: string,
): Promise<void> {
  await accounts.changePresets(account.id, (presets) => {
    if (!Object.hasOwn(presets, name))
      throw shippedPreset(name) === null
        ? unknownPreset({ presets }, name)
        : new VencError('ConflictError', `The preset ${name} comes with venc and cannot be removed.`);
    const { [name]: _, ...others } = presets;
    return others;
  });
  log('info', `Preset ${name} of account ${account.id} is removed.`);
}

function ownNames({ presets = {} }: Pick<Account, 'presets'>): readonly string[] {
  return Object.keys(presets).toSorted();
}

function ownPreset({ presets = {} }: Pick<Account, 'presets'>, name: string) {
  return Object.hasOwn(presets, name) ? (presets[name] ?? null) : null;
}

function unknownPreset(account: Pick<Account, 'presets'>, name: string): VencError {
  const hint = presetHint(name, presetsOf(account).names);
  return new VencError('NotFoundError', `There is no preset of this name; ${hint}.`, { hint });
}
