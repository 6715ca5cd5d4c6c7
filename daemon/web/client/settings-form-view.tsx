/** @jsxImportSource hono/jsx */
import type { Child } from 'hono/jsx';
import { type FormSetting, textOfValue } from './form-settings.js';

/** A setting with its value, and what is to be said about it. */
export interface FormRow {
  readonly shown: FormSetting;
  /** Absent if the request does not have the setting. */
  readonly value: unknown;
  /** What was typed, while it is typed; null afterwards. */
  readonly draft: string | null;
  readonly errors: readonly string[];
  /** What the preset says about it; null without that. */
  readonly note: string | null;
}

/** The settings of a group. */
export interface FormGroup {
  readonly title: string;
  readonly rows: readonly FormRow[];
  /** How many of all its settings are set. */
  readonly setCount: number;
  readonly isOpen: boolean;
}

/** What the form shows. */
export interface FormState {
  /** Why the JSON cannot be edited by the form; null if it can. */
  readonly problem: string | null;
  /** The objects of the request, with their names. */
  readonly places: readonly { readonly value: string; readonly name: string }[];
  readonly place: string;
  readonly outputCount: number;
  /** The number of the output that is shown; null for the job. */
  readonly outputNumber: number | null;
  readonly search: string;
  readonly groups: readonly FormGroup[];
  /** Sentences about fields that have no control. */
  readonly others: readonly string[];
}

/** What can be done with the form. */
export interface FormActions {
  readonly choose: (place: string) => void;
  readonly addOutput: () => void;
  readonly removeOutput: () => void;
  readonly search: (text: string) => void;
  readonly toggle: (group: string) => void;
  readonly edit: (setting: FormSetting, text: string) => void;
  /** Ends the typing into a field. */
  readonly leave: () => void;
  readonly addExample: (setting: FormSetting) => void;
  readonly remove: (setting: FormSetting) => void;
}

/** The id of the control of a setting. */
export function controlId(name: string): string {
  return `setting-${name}`;
}

/** The settings of a request, by groups. */
export function SettingsFormView({ actions, ...state }: FormState & { readonly actions: FormActions }) {
  const { problem, places, place, outputCount, outputNumber, search, groups, others } = state;
  if (problem !== null) return <p class="warning">{problem}</p>;
  const found = groups.reduce((sum, { rows }) => sum + rows.length, 0);
  return (
    <fieldset class="settings-form">
      <legend class="hidden">Settings by name</legend>
      <div class="form-head">
        <div class="field">
          <label for="settings-of">Settings of</label>
          <select id="settings-of" value={place} onChange={(event: Event) => actions.choose(textOf(event))}>
            {places.map(({ value, name }) => (
              <option key={value} value={value} selected={value === place}>
                {name}
              </option>
            ))}
          </select>
        </div>
        <div class="field">
          <label for="settings-search">Find a setting</label>
          <input
            id="settings-search"
            type="search"
            autocomplete="off"
            spellcheck={false}
            value={search}
            onInput={(event: Event) => actions.search(textOf(event))}
          />
        </div>
        <div class="actions">
          <button type="button" onClick={() => actions.addOutput()}>
            Add an output
          </button>
          {outputNumber === null || outputCount < 2 ? null : (
            <button type="button" onClick={() => actions.removeOutput()}>
              Remove output {outputNumber}
            </button>
          )}
        </div>
      </div>
      <p class="hint" role="status">
        {search === '' ? '' : found === 0 ? 'No setting has these words.' : `${found} found.`}
      </p>
      {others.map((text) => (
        <p class="warning" key={text}>
          {text}
        </p>
      ))}
      {groups.map((group) => (
        <Group key={group.title} group={group} isSearch={search !== ''} actions={actions} />
      ))}
    </fieldset>
  );
}

function Group({
  group: { title, rows, setCount, isOpen },
  isSearch,
  actions,
}: {
  readonly group: FormGroup;
  readonly isSearch: boolean;
  readonly actions: FormActions;
}) {
  const id = `group-${title.toLowerCase().replaceAll(/[^a-z]+/g, '-')}`;
  const count = setCount === 0 ? null : <span class="set-count">{setCount} set</span>;
  return (
    <div class="setting-group">
      <h3>
        {isSearch ? (
          <>
            {title} {count}
          </>
        ) : (
          <button
            type="button"
            class="disclosure"
            aria-expanded={String(isOpen)}
            aria-controls={id}
            onClick={() => actions.toggle(title)}
          >
            {title} {count}
          </button>
        )}
      </h3>
      <div id={id} class="setting-rows" hidden={!isOpen}>
        {isOpen ? rows.map((row) => <Row key={row.shown.name} row={row} actions={actions} />) : null}
      </div>
    </div>
  );
}

function Row({ row, actions }: { readonly row: FormRow; readonly actions: FormActions }) {
  const { shown, value, errors, note } = row;
  const { name, help } = shown;
  const id = controlId(name);
  const isSet = value !== undefined && value !== null;
  const isJson = shown.control === 'json' || textOfValue(shown, value) === null;
  return (
    <div class={isSet ? 'field is-set' : 'field'}>
      {isJson ? (
        <span class="label" id={`${id}-label`}>
          <code>{name}</code>
        </span>
      ) : (
        <label for={id}>
          <code>{name}</code>
        </label>
      )}
      {isJson ? <InJson row={row} actions={actions} /> : <Control row={row} actions={actions} />}
      <div id={`${id}-note`} class="note">
        <p class="hint">
          {help}
          {note === null ? '' : `. ${note}`}
        </p>
        {errors.map((error) => (
          <p class="error" key={error}>
            {error}
          </p>
        ))}
      </div>
    </div>
  );
}

/** The control of a setting with one value. */
function Control({
  row: { shown, value, draft, errors },
  actions,
}: {
  readonly row: FormRow;
  readonly actions: FormActions;
}): Child {
  const { name, control, words, setting } = shown;
  const text = draft ?? textOfValue(shown, value) ?? '';
  const id = controlId(name);
  const attributes = {
    ...{ id, 'aria-describedby': `${id}-note`, 'aria-invalid': errors.length === 0 ? undefined : 'true' },
    ...{ value: text, onBlur: () => actions.leave() },
  };
  const edit = (event: Event) => actions.edit(shown, textOf(event));
  if (control === 'choice') {
    const options = words.includes(text) || text === '' ? words : [...words, text];
    return (
      <select {...attributes} onChange={edit}>
        <option value="" selected={text === ''}>
          not set
        </option>
        {options.map((word) => (
          <option key={word} value={word} selected={word === text}>
            {setting.kind === 'boolean' ? (switchNames[word] ?? word) : word}
          </option>
        ))}
      </select>
    );
  }
  const unit = 'unit' in setting ? setting.unit : undefined;
  const isSigned = 'min' in setting && setting.min < 0;
  const input = (
    <input
      {...attributes}
      type="text"
      inputmode={control === 'number' && !isSigned ? 'decimal' : 'text'}
      autocomplete="off"
      spellcheck={false}
      onInput={edit}
    />
  );
  return unit === undefined ? (
    input
  ) : (
    <span class="with-unit">
      {input} <span aria-hidden="true">{unit}</span>
    </span>
  );
}

const switchNames: Readonly<Record<string, string>> = { true: 'on', false: 'off' };

/** What is done with a setting that is written in the JSON. */
function InJson({
  row: {
    shown,
    shown: { name },
    value,
  },
  actions,
}: {
  readonly row: FormRow;
  readonly actions: FormActions;
}) {
  const isSet = value !== undefined && value !== null;
  const action = isSet ? 'Remove it' : 'Add an example to the JSON';
  return (
    <span class="in-json">
      {isSet ? <span>set in the JSON </span> : null}
      <button
        type="button"
        id={controlId(name)}
        aria-label={`${action}: ${name}`}
        aria-describedby={`${controlId(name)}-note`}
        onClick={() => (isSet ? actions.remove(shown) : actions.addExample(shown))}
      >
        {action}
      </button>
    </span>
  );
}

function textOf({ target }: Event): string {
  return (target as HTMLInputElement | HTMLSelectElement).value;
}
