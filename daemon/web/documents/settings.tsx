/** @jsxImportSource hono/jsx */
import { shippedPresetNames } from '../../../src/shared/settings/presets.js';
import { presetLine, presetSections } from '../../../src/shared/text/preset-facts.js';
import { readAccountUsage } from '../../actions/account-usage.js';
import { createVisibleKey, listVisibleKeys, revokeVisibleKey } from '../../actions/keys.js';
import { listPresets } from '../../actions/presets.js';
import { defaultAccountId } from '../../jobs/job.js';
import { type SettingsState, SettingsView } from '../views/settings.js';
import type { DocumentRequest, PageDocument } from './document.js';

/** `/ui/settings`: the presets and keys of an account, and its usage; for the owner, those of all accounts. */
export async function settingsDocument(request: DocumentRequest): Promise<PageDocument> {
  const state = await readSettings(request);
  return {
    ...{ title: 'Settings', current: 'settings' },
    live: { name: 'settings', data: state },
    content: (
      <div id="settings">
        <SettingsView {...state} controls={null} />
      </div>
    ),
  };
}

/** What the view of the settings shows to an account. */
export async function readSettings({ appContext, holder }: DocumentRequest): Promise<SettingsState> {
  const { account, keyId } = holder;
  const now = appContext.now();
  return {
    account: account.name,
    isOwner: account.id === defaultAccountId,
    keyId,
    presets: listPresets(account).presets.map((preset) => ({
      ...preset,
      hidesShipped: preset.source === 'account' && shippedPresetNames.includes(preset.name),
      line: presetLine(preset.settings),
      sections: presetSections(preset.settings),
    })),
    keys: await listVisibleKeys(appContext, account),
    accounts: await readAccountUsage(appContext, account),
    month: now.toISOString().slice(0, 7),
    now: now.getTime(),
  };
}

/** `POST /ui/api/keys`: creates a key. Its answer is the only one that has the key itself. */
export async function createPageKey(
  { appContext, holder }: DocumentRequest,
  body: () => Promise<unknown>,
): Promise<object> {
  return createVisibleKey(appContext, holder, await body());
}

/** `DELETE /ui/api/keys/ID`: revokes a key, and ends its sessions. */
export function revokePageKey({ appContext, holder, param }: DocumentRequest): Promise<object> {
  return revokeVisibleKey(appContext, holder, param('id'));
}
