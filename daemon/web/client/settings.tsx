/** @jsxImportSource hono/jsx */
import { parseJsonSyntax } from '../../../src/shared/text/json-syntax.js';
import type { CreatedKey, RevocationAnswer, VisibleKey } from '../../actions/keys.js';
import { type SettingsState, SettingsView, type ShownPreset } from '../views/settings.js';
import { AnsweredError, attempt, canChange, read, root, say, send } from './call.js';
import { mount } from './mount.js';
import {
  byField,
  CreatedKeyView,
  type FieldErrors,
  KeyForm,
  type PresetDraft,
  PresetForm,
} from './settings-forms.js';

/** The settings, and the forms that are open. */
interface Shown extends SettingsState {
  readonly draft: PresetDraft | null;
  /** What is wrong with the form for a key; null if it is closed. */
  readonly keyErrors: FieldErrors | null;
  readonly created: CreatedKey | null;
}

/** Shows the settings and, unless for a viewer, what changes them. */
export function showSettings(initial: SettingsState): void {
  const container = document.querySelector<HTMLElement>('#settings');
  if (container === null || !canChange) return;
  new SettingsPage(initial, container);
}

const keyFields = ['kind', 'account', 'name', 'expires'] as const;

class SettingsPage {
  readonly #update: (shown: Shown) => void;
  #shown: Shown;

  constructor(initial: SettingsState, container: HTMLElement) {
    this.#shown = { ...initial, draft: null, keyErrors: null, created: null };
    this.#update = mount(container, (shown) => this.#view(shown), this.#shown);
  }

  #view(shown: Shown) {
    const controls = {
      presetForm: this.#presetForm(shown),
      editPreset: (preset: ShownPreset) => this.#edit(preset),
      removePreset: (preset: ShownPreset) => void this.#removePreset(preset),
      keyForm: this.#keyForm(shown),
      revokeKey: (key: VisibleKey) => void this.#revoke(key),
    };
    return <SettingsView {...shown} controls={controls} />;
  }

  #presetForm({ draft }: Shown) {
    if (draft === null)
      return (
        <button type="button" id="new-preset" onClick={() => this.#edit(null)}>
          New preset
        </button>
      );
    return (
      <PresetForm
        draft={draft}
        submit={(fields) => void this.#savePreset(draft, fields)}
        cancel={() => this.#show({ draft: null }, 'new-preset')}
      />
    );
  }

  #keyForm({ keyErrors, created, accounts, isOwner }: Shown) {
    if (created !== null)
      return (
        <CreatedKeyView
          created={created}
          copy={() => void copyCreatedKey()}
          close={() => this.#show({ created: null }, 'new-key')}
        />
      );
    if (keyErrors === null)
      return (
        <button type="button" id="new-key" onClick={() => this.#show({ keyErrors: {} }, 'key-kind')}>
          New key
        </button>
      );
    return (
      <KeyForm
        errors={keyErrors}
        accounts={accounts.map(({ name }) => name)}
        isOwner={isOwner}
        submit={(fields) => void this.#createKey(fields)}
        cancel={() => this.#show({ keyErrors: null }, 'new-key')}
      />
    );
  }

  /** Draws a change, and focuses an element. */
  #show(change: Partial<Shown>, focused?: string): void {
    this.#shown = { ...this.#shown, ...change };
    this.#update(this.#shown);
    if (focused !== undefined) setTimeout(() => document.getElementById(focused)?.focus());
  }

  async #load(change: Partial<Shown> = {}, focused?: string): Promise<void> {
    this.#show({ ...(await read<SettingsState>('settings')), ...change }, focused);
  }

  #edit(preset: ShownPreset | null): void {
    const settings = preset?.settings ?? { output: { height: 720 } };
    const isNew = preset?.source !== 'account';
    const draft = {
      name: preset?.name ?? '',
      text: JSON.stringify(settings, null, 2),
      ...{ isNew, errors: {} },
    };
    // Another preset needs another form: what was typed stays in the one that is open.
    this.#show({ draft: null });
    setTimeout(() => this.#show({ draft }, isNew ? 'preset-name' : 'preset-settings'));
  }

  async #savePreset(
    draft: PresetDraft,
    { name = '', settings = '' }: Readonly<Record<string, string>>,
  ): Promise<void> {
    const problem = (errors: FieldErrors) =>
      this.#show({ draft: { ...draft, errors } }, fieldOf('preset', errors));
    const parsed = parseJsonSyntax(settings);
    if (!('value' in parsed)) {
      const place = parsed.position === null ? '' : ` (${parsed.position})`;
      return problem({ settings: [`This is not valid JSON${place}.`] });
    }
    const isSaved = this.#shown.presets.some((one) => one.name === name && one.source === 'account');
    if (draft.isNew && isSaved && !confirm(`Replace the preset ${name} of the account?`)) return;
    await this.#submit(
      async () => {
        const answer = await send('PUT', `presets/${encodeURIComponent(name)}`, parsed.value);
        const { warnings = [] } = (await answer.json()) as SavedPreset;
        await this.#load({ draft: null }, 'new-preset');
        return warnings.map(({ field, message }) => `${field}: ${message}`).join(' ');
      },
      (messages) => {
        const ofName = messages.filter((message) => message.startsWith('the name of a preset'));
        problem({ name: ofName, settings: messages.filter((message) => !ofName.includes(message)) });
      },
    );
  }

  async #removePreset({ name, hidesShipped }: ShownPreset): Promise<void> {
    const then = hidesShipped ? `${name} is that of venc again then.` : 'New jobs that name it are rejected.';
    if (!confirm(`Remove the preset ${name}? ${then}`)) return;
    await attempt(async () => {
      await send('DELETE', `presets/${encodeURIComponent(name)}`);
      await this.#load({}, 'presets-title');
    });
  }

  async #createKey(fields: Readonly<Record<string, string>>): Promise<void> {
    const { account, ...others } = fields;
    const body = fields.kind === 'worker' || account === undefined ? others : fields;
    await this.#submit(
      async () => {
        const created = (await (await send('POST', 'keys', body)).json()) as CreatedKey;
        // Before anything else can fail: it is not shown again.
        this.#show({ created, keyErrors: null }, 'created-key');
        await this.#load();
        return '';
      },
      (messages) => {
        const keyErrors = byField(messages, keyFields);
        this.#show({ keyErrors }, fieldOf('key', keyErrors));
      },
    );
  }

  async #revoke({ id, name, kind, account }: VisibleKey): Promise<void> {
    const isOwn = id === this.#shown.keyId;
    const consequence = isOwn
      ? 'It is the key of this session: you are signed out.'
      : kind === 'worker'
        ? 'The workers that use it stop.'
        : 'Programs and sessions that use it stop working.';
    if (!confirm(`Revoke the key ${name ?? id}? ${consequence}`)) return;
    let note = '';
    const isRevoked = await attempt(async () => {
      const revoked = (await (await send('DELETE', `keys/${id}`)).json()) as RevocationAnswer;
      if (isOwn) return location.assign(`${root}sign-in`);
      if (revoked.kind === 'full' && !revoked.hasFullKeyLeft)
        note = `The account ${account} has no full key any more: venc keys create --account ${account} makes one.`;
      await this.#load({}, 'keys-title');
    });
    if (isRevoked && note !== '') say(note);
  }

  /** Submits a form. Says what `work` resolves to, and shows at the fields what the daemon rejects. */
  async #submit(work: () => Promise<string>, reject: (messages: readonly string[]) => void): Promise<void> {
    let note = '';
    const isDone = await attempt(async () => {
      try {
        note = await work();
      } catch (error) {
        if (!(error instanceof AnsweredError) || error.status !== 422) throw error;
        reject(error.messages);
      }
    });
    if (isDone && note !== '') say(note);
  }
}

interface SavedPreset {
  readonly warnings?: readonly { readonly field: string; readonly message: string }[];
}

/** The id of the first field of a form with an error. */
function fieldOf(form: 'preset' | 'key', errors: FieldErrors): string {
  const [name = ''] = Object.entries(errors).find(([field, wrong]) => field !== '' && wrong.length > 0) ?? [];
  return `${form}-${name}`;
}

/** Copies the key that is shown; without HTTPS, browsers only let it be selected and copied. */
async function copyCreatedKey(): Promise<void> {
  const field = document.querySelector<HTMLInputElement>('#created-key');
  if (field === null) return;
  field.select();
  const isCopied =
    navigator.clipboard === undefined
      ? document.execCommand('copy')
      : await navigator.clipboard.writeText(field.value).then(
          () => true,
          () => false,
        );
  say(isCopied ? 'The key is copied.' : 'The browser did not copy the key: it is selected.');
}
