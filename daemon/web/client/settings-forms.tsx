/** @jsxImportSource hono/jsx */
import type { Child } from 'hono/jsx';
import type { CreatedKey } from '../../actions/keys.js';

/** What is wrong with a form, by the name of its field; empty for what concerns no single field. */
export type FieldErrors = Readonly<Record<string, readonly string[]>>;

/** Sorts the errors of an answer by the fields of a form: each begins with the name of its field. */
export function byField(messages: readonly string[], fields: readonly string[]): FieldErrors {
  return Object.fromEntries(
    ['', ...fields].map((field) => [
      field,
      messages.filter((message) => (fields.find((one) => message.startsWith(`${one} `)) ?? '') === field),
    ]),
  );
}

interface FieldProps {
  /** Which form it belongs to: two can be open. */
  readonly form: 'preset' | 'key';
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  readonly errors: FieldErrors;
  /** Draws the control with these attributes. */
  readonly control: (attributes: ControlAttributes) => Child;
}

interface ControlAttributes {
  readonly id: string;
  readonly name: string;
  readonly 'aria-describedby': string;
  readonly 'aria-invalid': 'true' | undefined;
}

/** A field with its label, and below it what is wrong. */
function Field({ form, name, label, hint = '', errors, control }: FieldProps) {
  const id = `${form}-${name}`;
  const wrong = errors[name] ?? [];
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {control({
        ...{ id, name },
        'aria-describedby': `${id}-note`,
        'aria-invalid': wrong.length === 0 ? undefined : 'true',
      })}
      <div id={`${id}-note`}>
        {hint === '' ? null : <p class="hint">{hint}</p>}
        <Errors messages={wrong} />
      </div>
    </div>
  );
}

function Errors({ messages }: { readonly messages: readonly string[] }) {
  return (
    <>
      {messages.map((message) => (
        <p class="error" role="alert" key={message}>
          {message}
        </p>
      ))}
    </>
  );
}

/** A preset that is being written. */
export interface PresetDraft {
  readonly name: string;
  /** Its settings in JSON. */
  readonly text: string;
  /** Whether its name can be chosen. */
  readonly isNew: boolean;
  readonly errors: FieldErrors;
}

interface FormProps {
  readonly submit: (fields: Readonly<Record<string, string>>) => void;
  readonly cancel: () => void;
}

/** Passes the fields of a form that was submitted. */
function onSubmit(submit: FormProps['submit']) {
  return (event: Event) => {
    event.preventDefault();
    const entries = [...new FormData(event.target as HTMLFormElement)];
    submit(Object.fromEntries(entries.map(([name, value]) => [name, String(value)])));
  };
}

/** The form for a preset: its name, and its settings as JSON. */
export function PresetForm({ draft, submit, cancel }: FormProps & { readonly draft: PresetDraft }) {
  const { name, text, isNew, errors } = draft;
  return (
    <form class="form" onSubmit={onSubmit(submit)} aria-label={isNew ? 'New preset' : `Preset ${name}`}>
      <Field
        form="preset"
        name="name"
        label="Name of the preset"
        errors={errors}
        control={(attributes) => (
          <input
            {...attributes}
            value={name}
            readonly={!isNew}
            required
            autocomplete="off"
            spellcheck={false}
          />
        )}
      />
      <Field
        form="preset"
        name="settings"
        label="Settings: a request in JSON, without an input"
        errors={errors}
        control={(attributes) => (
          <textarea {...attributes} rows={10} required spellcheck={false}>
            {text}
          </textarea>
        )}
      />
      <Errors messages={errors[''] ?? []} />
      <Buttons action={isNew ? 'Save the preset' : `Save ${name}`} cancel={cancel} />
    </form>
  );
}

/** The form for a key. The owner also chooses its account, and creates worker keys. */
export function KeyForm({
  errors,
  accounts,
  isOwner,
  submit,
  cancel,
}: FormProps & {
  readonly errors: FieldErrors;
  readonly accounts: readonly string[];
  readonly isOwner: boolean;
}) {
  const kinds = isOwner ? keyKinds : keyKinds.filter(([kind]) => kind !== 'worker');
  return (
    <form class="form" onSubmit={onSubmit(submit)} aria-label="New key">
      <Field
        form="key"
        name="kind"
        label="Kind"
        errors={errors}
        control={(attributes) => (
          <select {...attributes}>
            {kinds.map(([kind, text]) => (
              <option key={kind} value={kind}>
                {kind}: {text}
              </option>
            ))}
          </select>
        )}
      />
      {isOwner ? (
        <Field
          form="key"
          name="account"
          label="Account"
          hint="A worker key has none."
          errors={errors}
          control={(attributes) => (
            <select {...attributes}>
              {accounts.map((account) => (
                <option key={account} value={account}>
                  {account}
                </option>
              ))}
            </select>
          )}
        />
      ) : null}
      <Field
        form="key"
        name="name"
        label="Name, if any"
        hint="What the key is for, such as ci."
        errors={errors}
        control={(attributes) => (
          <input {...attributes} maxlength={64} autocomplete="off" spellcheck={false} />
        )}
      />
      <Field
        form="key"
        name="expires"
        label="Expires, if ever"
        hint="After a time such as 12h or 90d, or on a date such as 2027-03-31 in UTC."
        errors={errors}
        control={(attributes) => <input {...attributes} autocomplete="off" spellcheck={false} />}
      />
      <Errors messages={errors[''] ?? []} />
      <Buttons action="Create the key" cancel={cancel} />
    </form>
  );
}

const keyKinds = [
  ['full', 'can do everything'],
  ['viewer', 'reads everything and changes nothing'],
  ['read-only', 'reads inputs, outputs and progress by the API'],
  ['worker', 'runs the jobs of all accounts'],
] as const;

function Buttons({ action, cancel }: { readonly action: string; readonly cancel: () => void }) {
  return (
    <div class="actions">
      <button type="submit">{action}</button>
      <button type="button" onClick={cancel}>
        Cancel
      </button>
    </div>
  );
}

/** A key that was just created: the only time that it is shown. */
export function CreatedKeyView({
  created,
  copy,
  close,
}: {
  readonly created: CreatedKey;
  readonly copy: () => void;
  readonly close: () => void;
}) {
  return (
    <div class="form">
      <div class="field">
        <label for="created-key">The new key {created.id}. Copy it now: it is not shown again.</label>
        <input id="created-key" value={created.key} readonly autocomplete="off" spellcheck={false} />
      </div>
      <div class="actions">
        <button type="button" onClick={copy}>
          Copy
        </button>
        <button type="button" onClick={close}>
          I have stored it
        </button>
      </div>
    </div>
  );
}
