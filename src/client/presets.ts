import { fieldsOf, readText } from '../shared/client/coerce.js';
import { isVencError, VencError } from '../shared/errors.js';
import type { PresetRecord } from '../shared/records.js';
import type { RequestFields } from '../shared/settings/setting.js';
import { isObject } from '../shared/util/is-object.js';
import type { Client } from './client.js';
import { isNotFound } from './network-errors.js';
import type { ServiceResponse } from './read-response.js';

/** The settings of a preset that the account has saved; null if it has none of this name, or the service no presets. */
export async function findPreset(client: Client, name: string): Promise<RequestFields | null> {
  try {
    const preset = readPreset((await client.call('preset', { values: { name } })).body);
    return preset?.source === 'account' ? preset.settings : null;
  } catch (error) {
    if (isNotFound(error)) return null;
    throw error;
  }
}

/** The presets that the account has saved; none if the service has no presets. */
export async function findAccountPresets(
  client: Client,
  signal?: AbortSignal,
): Promise<readonly PresetRecord[]> {
  try {
    return (await requestPresets(client, signal)).filter(({ source }) => source === 'account');
  } catch (error) {
    if (isVencError(error, 'UsageError') || isNotFound(error)) return [];
    throw error;
  }
}

/** The presets of the account and those that the service has shipped. Rejects with `UsageError` if it has no presets. */
export async function requestPresets(client: Client, signal?: AbortSignal): Promise<readonly PresetRecord[]> {
  const { body } = await callPresets(client, () => client.call('presets', { signal }));
  const { presets } = fieldsOf(body);
  return (Array.isArray(presets) ? presets : []).flatMap((one: unknown) => readPreset(one) ?? []);
}

/** A preset of the account or a shipped one. Rejects with `NotFoundError` if there is none of this name. */
export async function requestPreset(client: Client, name: string): Promise<PresetRecord> {
  const { body } = await callPresets(client, () => client.call('preset', { values: { name } }));
  const preset = readPreset(body);
  if (preset !== null) return preset;
  throw new VencError('UnreachableError', 'The service answered without a preset.');
}

/** Saves a preset of the account. Resolves to the answer, which may have warnings. */
export async function savePreset(client: Client, name: string, settings: RequestFields): Promise<unknown> {
  const call = () => client.call('savePreset', { values: { name }, body: settings });
  return (await callPresets(client, call)).body;
}

/** Removes a preset of the account. Rejects with `NotFoundError` if there is none of this name. */
export async function removePreset(client: Client, name: string): Promise<void> {
  await callPresets(client, () => client.call('removePreset', { values: { name } }));
}

/** Calls a route of presets. Rejects with `UsageError` if the service has none of them. */
async function callPresets(client: Client, call: () => Promise<ServiceResponse>): Promise<ServiceResponse> {
  try {
    return await call();
  } catch (error) {
    if (!isNotFound(error)) throw error;
    const hasRoute = await client.call('presets').then(
      () => true,
      () => false,
    );
    if (hasRoute) throw error;
    throw new VencError('UsageError', 'This service has no presets.', {
      cause: error,
      hint: 'only a venc daemon has them, and those of earlier versions have none; without --daemon, presets are on this machine',
    });
  }
}

function readPreset(value: unknown): PresetRecord | null {
  const { name, source, summary, settings } = fieldsOf(value);
  const isKnown = source === 'account' || source === 'shipped';
  if (typeof name !== 'string' || !isKnown || !isObject(settings)) return null;
  return { name, source, summary: readText(summary), settings: settings as PresetRecord['settings'] };
}
