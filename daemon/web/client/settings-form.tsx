/** @jsxImportSource hono/jsx */
import { exampleValue } from '../../../src/shared/settings/kinds/groups.js';
import { outputListOf } from '../../../src/shared/settings/presets.js';
import type { RequestFields } from '../../../src/shared/settings/setting.js';
import { canonicalName, hasValue } from '../../../src/shared/settings/spellings.js';
import { parseJsonSyntax } from '../../../src/shared/text/json-syntax.js';
import { safeText } from '../../../src/shared/text/safe-text.js';
import { isObject } from '../../../src/shared/util/is-object.js';
import {
  fieldsAt,
  otherFields,
  type Place,
  tableOf,
  valueIn,
  withNewOutput,
  withoutOutput,
  withSetting,
} from './edit-request.js';
import { type FormSetting, formSettings, searchSettings, valueErrors, valueOfText } from './form-settings.js';
import { mount } from './mount.js';
import {
  controlId,
  type FormActions,
  type FormRow,
  type FormState,
  SettingsFormView,
} from './settings-form-view.js';
import { ask } from './transfer.js';

/** A preset with its settings. */
interface Preset {
  readonly name: string;
  readonly settings: RequestFields;
}

const noAnswer = { status: 0, body: null };
const brokenJson = 'The JSON below is not valid: correct it, and the settings are shown here again.';

/** The settings of a request as a form. The JSON in the text area is the request: the form shows and edits it. */
export class SettingsForm {
  readonly #json: HTMLTextAreaElement;
  readonly #preset: HTMLSelectElement;
  readonly #settings = { job: formSettings('job'), output: formSettings('output') };
  readonly #update: (state: FormState) => void;
  #place: Place = 0;
  #search = '';
  readonly #open = new Set<string>(['Resolution', 'Video bitrate']);
  #draft: { readonly name: string; readonly text: string } | null = null;
  /** What the daemon has said about fields, by their paths. */
  #rejections: ReadonlyMap<string, readonly string[]> = new Map();
  #presets: readonly Preset[] = [];

  constructor(container: HTMLElement, json: HTMLTextAreaElement, preset: HTMLSelectElement) {
    this.#json = json;
    this.#preset = preset;
    const actions: FormActions = {
      choose: (place) => this.#choose(place === 'job' ? 'job' : Number(place)),
      addOutput: () => this.#addOutput(),
      removeOutput: () => this.#removeOutput(),
      search: (text) => {
        this.#search = text.trim();
        this.#draw();
      },
      toggle: (group) => {
        if (!this.#open.delete(group)) this.#open.add(group);
        this.#draw();
      },
      edit: (setting, text) => {
        this.#draft = { name: setting.name, text };
        this.#set(setting, valueOfText(setting, text));
      },
      leave: () => {
        this.#draft = null;
        this.#draw();
      },
      addExample: (setting) => {
        this.#set(setting, exampleValue(setting.setting));
        this.#selectInJson(setting.name);
      },
      remove: (setting) => this.#set(setting, undefined),
    };
    this.#update = mount<FormState>(
      container,
      (state) => <SettingsFormView {...state} actions={actions} />,
      this.#state(),
    );
    json.addEventListener('input', () => {
      this.#rejections = new Map();
      this.#draw();
    });
    preset.addEventListener('input', () => this.#draw());
    void this.#loadPresets();
  }

  /** Shows at their fields what the daemon has rejected. */
  reject(messages: readonly string[]): void {
    const rejections = new Map<string, readonly string[]>();
    for (const message of messages) {
      const found = this.#find(message);
      if (found === null) continue;
      const key = keyOf(found.place, found.setting.name);
      rejections.set(key, [...(rejections.get(key) ?? []), message]);
    }
    this.#rejections = rejections;
    this.#draw();
  }

  /** Whether a message is shown at its setting. */
  hasRejected(message: string): boolean {
    return [...this.#rejections.values()].some((messages) => messages.includes(message));
  }

  /** Goes to the setting that a message is about. */
  show(message: string): void {
    const found = this.#find(message);
    if (found === null) return;
    this.#search = '';
    this.#open.add(found.setting.group);
    this.#choose(found.place);
    // It is drawn by then.
    setTimeout(() => document.getElementById(controlId(found.setting.name))?.focus());
  }

  /** The setting whose path a message begins with. */
  #find(message: string): { readonly place: Place; readonly setting: FormSetting } | null {
    const [path = '', output, index = '0', outputField, jobField = ''] =
      /^(?:(outputs?)(?:\[(\d+)\])?\.([\w-]+)|([\w-]+))(?=[ .[])/.exec(message) ?? [];
    if (path === '') return null;
    const place: Place = output === undefined ? 'job' : Number(index);
    const name = canonicalName(tableOf(place), (outputField ?? jobField).replaceAll('-', '_'));
    const setting = this.#settingsOf(place).find((one) => one.name === name);
    return setting === undefined ? null : { place, setting };
  }

  async #loadPresets(): Promise<void> {
    const { status, body } = await ask({ method: 'GET', path: 'presets' }).catch(() => noAnswer);
    if (status !== 200 || !isObject(body) || !Array.isArray(body.presets)) return;
    this.#presets = body.presets as readonly Preset[];
    this.#draw();
  }

  /** The request in the text area; null for a text that is not the JSON of an object. */
  #request(): RequestFields | null {
    const text = this.#json.value;
    if (text.trim() === '') return {};
    const parsed = parseJsonSyntax(text);
    return 'value' in parsed && isObject(parsed.value) ? parsed.value : null;
  }

  #write(request: RequestFields): void {
    this.#json.value = Object.keys(request).length === 0 ? '' : JSON.stringify(request, null, 2);
    // Browsers only report what is typed.
    this.#json.dispatchEvent(new Event('change', { bubbles: true }));
    this.#draw();
  }

  #set({ name }: FormSetting, value: unknown): void {
    const request = this.#request();
    if (request === null) return;
    const key = keyOf(this.#place, name);
    this.#rejections = new Map([...this.#rejections].filter(([other]) => other !== key));
    this.#write(withSetting(request, this.#place, name, value));
  }

  #choose(place: Place): void {
    this.#place = place;
    this.#draft = null;
    this.#draw();
  }

  #addOutput(): void {
    const request = this.#request();
    if (request === null) return;
    const next = withNewOutput(request);
    this.#place = outputListOf(next).length - 1;
    this.#write(next);
    document.querySelector<HTMLElement>('#settings-of')?.focus();
  }

  #removeOutput(): void {
    const request = this.#request();
    if (request === null || this.#place === 'job') return;
    const removed = this.#place;
    this.#place = Math.max(0, removed - 1);
    this.#rejections = new Map();
    this.#write(withoutOutput(request, removed));
    document.querySelector<HTMLElement>('#settings-of')?.focus();
  }

  /** Goes to a setting in the text area. */
  #selectInJson(name: string): void {
    const start = this.#json.value.lastIndexOf(`"${name}"`);
    this.#json.focus();
    if (start !== -1) this.#json.setSelectionRange(start, start + name.length + 2);
  }

  #settingsOf(place: Place): readonly FormSetting[] {
    return place === 'job' ? this.#settings.job : this.#settings.output;
  }

  #draw(): void {
    this.#update(this.#state());
  }

  #state(): FormState {
    const request = this.#request();
    const outputs = request === null ? [] : outputListOf(request);
    if (this.#place !== 'job' && this.#place >= Math.max(1, outputs.length)) this.#place = 0;
    const place = this.#place;
    const fields = request === null ? null : fieldsAt(request, place);
    const base = {
      places: placesOf(outputs),
      place: String(place),
      outputCount: outputs.length,
      outputNumber: place === 'job' ? null : place + 1,
      search: this.#search,
    };
    if (fields === null) {
      const problem =
        request === null ? brokenJson : `Output ${Number(place) + 1} in the JSON must be an object.`;
      return { ...base, problem, groups: [], others: [] };
    }
    const all = this.#settingsOf(place);
    const found = searchSettings(all, this.#search);
    const titles = [...new Set(found.map(({ group }) => group))];
    const isSet = ({ name }: FormSetting) => valueIn(fields, place, name) !== undefined;
    return {
      ...{ ...base, problem: null },
      groups: titles.map((title) => ({
        title,
        rows: found.filter(({ group }) => group === title).map((shown) => this.#row(shown, fields)),
        setCount: all.filter((one) => one.group === title && isSet(one)).length,
        isOpen: this.#search !== '' || this.#open.has(title),
      })),
      others: otherFields(fields, place, new Set(all.map(({ name }) => name))),
    };
  }

  #row(shown: FormSetting, fields: RequestFields): FormRow {
    const value = valueIn(fields, this.#place, shown.name);
    const draft = this.#draft?.name === shown.name ? this.#draft.text : null;
    const rejected = this.#rejections.get(keyOf(this.#place, shown.name)) ?? [];
    const own = valueErrors(shown, value);
    return {
      ...{ shown, value, draft, errors: own.length > 0 ? own : rejected },
      note: value === undefined ? this.#presetNote(shown.name) : null,
    };
  }

  /** What the chosen preset sets, if it is what applies. */
  #presetNote(name: string): string | null {
    const preset = this.#presets.find((one) => one.name === this.#preset.value);
    if (preset === undefined) return null;
    const place = this.#place;
    const outputs = outputListOf(preset.settings);
    const output = outputs.length === 1 ? outputs[0] : outputs[Number(place)];
    const fields = place === 'job' ? preset.settings : output;
    const value = isObject(fields) ? valueIn(fields, place, name) : undefined;
    return value === undefined ? null : `The preset ${preset.name} sets ${JSON.stringify(value)}`;
  }
}

function keyOf(place: Place, name: string): string {
  return `${place} ${name}`;
}

function placesOf(outputs: readonly unknown[]): FormState['places'] {
  const listed = outputs.length === 0 ? [{}] : outputs;
  return [
    ...listed.map((output, index) => ({
      value: String(index),
      name: `Output ${index + 1}${labelOf(output)}`,
    })),
    { value: 'job', name: 'The job' },
  ];
}

function labelOf(output: unknown): string {
  return isObject(output) && hasValue(output, 'label')
    ? ` (${safeText(String(output.label)).slice(0, 40)})`
    : '';
}
