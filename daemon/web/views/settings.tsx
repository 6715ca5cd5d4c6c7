/** @jsxImportSource hono/jsx */
import type { Child } from 'hono/jsx';
import type { RequestFields } from '../../../src/shared/settings/setting.js';
import { expiryText } from '../../../src/shared/text/key-expiry.js';
import { formatBytes } from '../../../src/shared/text/numbers.js';
import type { PresetSection } from '../../../src/shared/text/preset-facts.js';
import { quotaText } from '../../../src/shared/text/quotas.js';
import { humanAge, humanTime } from '../../../src/shared/text/units.js';
import type { AccountUsage } from '../../actions/account-usage.js';
import type { VisibleKey } from '../../actions/keys.js';

/** A preset, explained. */
export interface ShownPreset {
  readonly name: string;
  readonly source: 'account' | 'shipped';
  /** What a shipped one is for; null for others. */
  readonly summary: string | null;
  readonly settings: RequestFields;
  /** Whether one that comes with venc has the same name. */
  readonly hidesShipped: boolean;
  /** The settings on one line. */
  readonly line: string;
  readonly sections: readonly PresetSection[];
}

/** What the view of the settings shows. */
export interface SettingsState {
  /** The name of the visitor's account. */
  readonly account: string;
  readonly isOwner: boolean;
  /** The key of the session; null without one. */
  readonly keyId: string | null;
  readonly presets: readonly ShownPreset[];
  readonly keys: readonly VisibleKey[];
  readonly accounts: readonly AccountUsage[];
  /** The month of the usage, `YYYY-MM`. */
  readonly month: string;
  readonly now: number;
}

/** What a script adds to the view. */
export interface SettingsControls {
  /** A form, or the button that opens it. */
  readonly presetForm: Child;
  readonly editPreset: (preset: ShownPreset) => void;
  readonly removePreset: (preset: ShownPreset) => void;
  /** A form, the button that opens it, or a key that was just created. */
  readonly keyForm: Child;
  readonly revokeKey: (key: VisibleKey) => void;
}

/** Presets, keys, accounts and usage. `controls` is null without a script, or for a viewer. */
export function SettingsView({
  controls,
  ...state
}: SettingsState & { readonly controls: SettingsControls | null }) {
  return (
    <>
      <h1>Settings</h1>
      <section>
        <h2 id="presets-title" tabindex={-1}>
          Presets
        </h2>
        <p class="hint">
          A job uses a preset by its name: <code>"preset": "web"</code>. Those that you saved on a machine
          without <code>--daemon</code> are listed there: <code>venc preset list</code>.
        </p>
        {controls === null ? null : controls.presetForm}
        <ul class="rows">
          {state.presets.map((preset) => (
            <Preset key={preset.name} preset={preset} controls={controls} />
          ))}
        </ul>
      </section>
      <section>
        <h2 id="keys-title" tabindex={-1}>
          Keys
        </h2>
        {controls === null ? null : controls.keyForm}
        <ul class="rows">
          {state.keys.map((apiKey) => (
            <ApiKey key={apiKey.id} apiKey={apiKey} state={state} controls={controls} />
          ))}
        </ul>
      </section>
      <section>
        <h2>{state.isOwner ? 'Accounts and usage' : 'Usage'}</h2>
        <ul class="rows">
          {state.accounts.map((account) => (
            <Account key={account.name} account={account} month={state.month} />
          ))}
        </ul>
        {state.isOwner ? <AccountCommands /> : null}
      </section>
    </>
  );
}

function Preset({
  preset,
  controls,
}: {
  readonly preset: ShownPreset;
  readonly controls: SettingsControls | null;
}) {
  const { name, source, summary, line, sections } = preset;
  return (
    <li>
      <details>
        <summary>
          <bdi>{name}</bdi> <span class="state">{source}</span> <span class="quiet">{summary ?? line}</span>
        </summary>
        {sections.map(({ title, facts }) => (
          <div key={title}>
            <h3>{title}</h3>
            <dl>
              {facts.map((fact) => (
                <div class="fact" key={fact.name}>
                  <dt>{fact.name}</dt>
                  <dd>
                    <code>{fact.value}</code> <span class="hint">{fact.help}</span>
                  </dd>
                </div>
              ))}
            </dl>
          </div>
        ))}
        {controls === null ? null : (
          <div class="actions">
            <button type="button" onClick={() => controls.editPreset(preset)}>
              {source === 'account' ? 'Change' : 'Change a copy of'} <bdi>{name}</bdi>
            </button>
            {source === 'account' ? (
              <button type="button" onClick={() => controls.removePreset(preset)}>
                Remove <bdi>{name}</bdi>
              </button>
            ) : null}
          </div>
        )}
      </details>
    </li>
  );
}

function ApiKey({
  apiKey,
  state,
  controls,
}: {
  readonly apiKey: VisibleKey;
  readonly state: Pick<SettingsState, 'keyId' | 'now' | 'isOwner'>;
  readonly controls: SettingsControls | null;
}) {
  const { id, name, kind, account, createdAt, expiresAt, lastUsedAt, isOwners } = apiKey;
  const now = new Date(state.now);
  return (
    <li>
      <h3>
        <bdi>{name ?? id}</bdi> <span class="state">{kind}</span>
        {id === state.keyId ? <span class="state is-processing"> this session</span> : null}
      </h3>
      <dl class="line">
        <Fact name="id" value={id} />
        {state.isOwner && account !== null ? <Fact name="account" value={account} /> : null}
        <Fact name="created" value={humanTime(createdAt)} />
        <Fact name="last used" value={lastUsedAt === null ? 'never' : `${humanAge(lastUsedAt, now)} ago`} />
        <Fact name="expires" value={expiryText(expiresAt, now)} />
      </dl>
      {isOwners ? (
        <p class="hint">
          The owner's key, which commands on the machine of the daemon use. <code>venc keys rotate</code>{' '}
          replaces it.
        </p>
      ) : controls === null ? null : (
        <div class="actions">
          <button type="button" onClick={() => controls.revokeKey(apiKey)}>
            Revoke <bdi>{name ?? id}</bdi>
          </button>
        </div>
      )}
    </li>
  );
}

function Account({ account, month }: { readonly account: AccountUsage; readonly month: string }) {
  const { name, isIntegration, quotas, keyCount, encodedMinutes, billableMinutes, hostedBytes } = account;
  return (
    <li>
      <h3>
        <bdi>{name}</bdi>{' '}
        <span class={`state ${isIntegration ? 'is-paused' : ''}`}>
          {isIntegration ? 'integration mode: all jobs are test jobs' : 'live'}
        </span>
      </h3>
      <dl class="line">
        <Fact name={`encoded in ${month}`} value={`${encodedMinutes} min`} />
        <Fact name="without test jobs" value={`${billableMinutes} min`} />
        <Fact name="hosted outputs" value={formatBytes(hostedBytes)} />
        <Fact name="keys" value={String(keyCount)} />
        <Fact name="limits" value={quotaText(quotas)} />
      </dl>
    </li>
  );
}

/** A name and a value in a row of several. */
function Fact({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div>
      <dt>{name}</dt> <dd>{value}</dd>
    </div>
  );
}

function AccountCommands() {
  return (
    <p class="hint">
      Accounts are changed on the machine of the daemon: <code>venc accounts create NAME</code> adds one,{' '}
      <code>venc accounts live NAME</code> and <code>venc accounts integration NAME</code> set its mode, and{' '}
      <code>venc accounts quota NAME</code> sets its limits.
    </p>
  );
}
