/**
 * What a setting is. A table of these is the single source for types, validation, command-line flags, help
 * and reference: see the chapters beside this file.
 */
interface SettingText {
  /** Other names of the same setting, older or newer. The table's key is the one that readers of settings see. */
  readonly spellings?: readonly string[];
  /** Whether the object that it belongs to makes no sense without it. */
  readonly isRequired?: true;
  /** One sentence in the imperative or a noun phrase, without a full stop: it stands in `--help`. */
  readonly help: string;
  /** What applies when the setting is left out, as people read it; absent when nothing does. */
  readonly defaultText?: string;
  /** Section of the service document, with its chapter, e.g. `4.1 Resolution`; `addition` for ours. */
  readonly section: string;
}

/** A whole number from `min` to `max`, in steps of `multipleOf`. Unit in the name or in `unit`. */
export interface IntegerSetting extends SettingText {
  readonly kind: 'integer';
  readonly min: number;
  readonly max: number;
  readonly multipleOf?: number;
  readonly unit?: string;
  readonly default?: number;
}

/** A finite number from `min` to `max`. */
export interface NumberSetting extends SettingText {
  readonly kind: 'number';
  readonly min: number;
  readonly max: number;
  readonly unit?: string;
  readonly default?: number;
}

/** True or false; 1/0 and the texts of these are taken as well. */
export interface BooleanSetting extends SettingText {
  readonly kind: 'boolean';
  /** Whether the service document spells it 1 and 0, which is then what a client sends. */
  readonly isSentAsInteger?: true;
  readonly default?: boolean;
}

/** A text of up to `maxLength` characters, without control characters. */
export interface TextSetting extends SettingText {
  readonly kind: 'text';
  readonly maxLength: number;
  readonly mayBeEmpty?: true;
  /** A relative path: folders allowed, never `..`, each part up to 255 bytes. */
  readonly isPath?: boolean;
  readonly default?: string;
}

/** An address of up to 2,048 characters with a scheme. */
export interface UrlSetting extends SettingText {
  readonly kind: 'url';
  /** The schemes that are taken, in lower case; absent where that is not this table's to know. */
  readonly schemes?: readonly string[];
}

/** One of a few words, in any letter case where `anyCase`; the value is always as spelled in `choices`. */
export interface ChoiceSetting extends SettingText {
  readonly kind: 'choice';
  readonly choices: readonly string[];
  readonly isCaseInsensitive?: boolean;
  /** Other words for a choice, in lower case. Only the command line takes them: a request holds the choice itself. */
  readonly synonyms?: Readonly<Record<string, string>>;
  readonly default?: string;
}

/** One of a few whole numbers, e.g. degrees. */
export interface NumberChoiceSetting extends SettingText {
  readonly kind: 'number-choice';
  readonly choices: readonly number[];
  readonly default?: number;
}

/** `WIDTHxHEIGHT` in pixels. */
export interface SizeSetting extends SettingText {
  readonly kind: 'size';
  readonly min: number;
  readonly max: number;
}

/** A time: `HH:MM:SS.S` or decimal seconds, below `maxSeconds`. The value is in seconds. */
export interface TimeSetting extends SettingText {
  readonly kind: 'time';
  /** The least that makes sense: 0, or a length that must be above 0. */
  readonly isAboveZero?: boolean;
  readonly maxSeconds: number;
}

/** Pixels or percent, counted from either edge where `isSigned` (`-0` is the far edge). */
export interface DistanceSetting extends SettingText {
  readonly kind: 'distance';
  readonly isSigned: boolean;
  readonly default?: string;
}

/** An object with settings of its own. */
export interface ObjectSetting extends SettingText {
  readonly kind: 'object';
  readonly fields: SettingsTable;
  /** Fields of which exactly one must be given. */
  readonly oneOf?: readonly string[];
  /** Whether an array of one such object is taken as well. */
  readonly acceptsArray?: true;
  /** Field that a plain number stands for on the command line. */
  readonly numberField?: string;
  /** Field that a plain text stands for, in requests and on the command line; no other field is required then. */
  readonly textField?: string;
}

/** One value or an array of up to `max`; a list when read, and absent when the array was empty. */
export interface ListSetting extends SettingText {
  readonly kind: 'list';
  readonly of: Setting;
  readonly max: number;
}

/** Headers of HTTP: an object of up to `max` texts by names that the client chooses. */
export interface MapSetting extends SettingText {
  readonly kind: 'map';
  readonly max: number;
  readonly maxNameLength: number;
  /** Greatest length of each value, in characters. */
  readonly maxLength: number;
  /** Names that are refused, in lower case; one that ends in `*` stands for all that begin so. */
  readonly reserved: readonly string[];
}

/** One row of a table of settings. */
export type Setting =
  | IntegerSetting
  | NumberSetting
  | BooleanSetting
  | TextSetting
  | UrlSetting
  | ChoiceSetting
  | NumberChoiceSetting
  | SizeSetting
  | TimeSetting
  | DistanceSetting
  | ObjectSetting
  | ListSetting
  | MapSetting;

/** Settings by name. */
export type SettingsTable = Readonly<Record<string, Setting>>;

/** A size in pixels. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** A distance: `value` is never negative; `isFromFarEdge` says it counts from the right or the bottom. */
export interface Distance {
  readonly value: number;
  readonly unit: 'pixels' | 'percent';
  readonly isFromFarEdge: boolean;
}

/** The type of the value that a setting is read to. */
export type ValueOf<S> = S extends { kind: 'integer' | 'number' | 'time' }
  ? number
  : S extends { kind: 'boolean' }
    ? boolean
    : S extends { kind: 'text' | 'url' }
      ? string
      : S extends { kind: 'choice' | 'number-choice'; choices: readonly (infer C)[] }
        ? C
        : S extends { kind: 'size' }
          ? Size
          : S extends { kind: 'distance' }
            ? Distance
            : S extends { kind: 'object'; fields: infer F extends SettingsTable }
              ? SettingsOf<F>
              : S extends { kind: 'list'; of: infer O }
                ? readonly ValueOf<O>[]
                : S extends { kind: 'map' }
                  ? Readonly<Record<string, string>>
                  : never;

type RequiredNames<T extends SettingsTable> = {
  [K in keyof T]: T[K] extends { isRequired: true } ? K : never;
}[keyof T];

/** The settings that a request gave, typed; what it left out is absent, and no default is filled in. */
export type SettingsOf<T extends SettingsTable> = {
  readonly [K in Exclude<keyof T, RequiredNames<T>>]?: ValueOf<T[K]>;
} & { readonly [K in RequiredNames<T>]: ValueOf<T[K]> };
