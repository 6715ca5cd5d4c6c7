/**
 * What all kinds of settings have in common. Tables of settings are the single source for types, validation,
 * command-line flags, help and reference. Each chapter of the service document has its table in a file of this
 * folder.
 */
interface SettingText {
  /** Other names of the same setting, older or newer. Code uses the key of the table. */
  readonly spellings?: readonly string[];
  /** Whether the object that contains it is invalid without it. */
  readonly isRequired?: true;
  /** One sentence in the imperative or a noun phrase, without a full stop; shown in `--help`. */
  readonly help: string;
  /** The default as shown to users; absent if there is none. */
  readonly defaultText?: string;
  /**
   * Section of the service document with its chapter, e.g. `4.1 Resolution`. Settings that the document does not have:
   * only a chapter, e.g. `Live streaming`, if the hosted service had them; `addition` otherwise.
   */
  readonly section: string;
  /** A value for documentation, if one that follows from the kind would mislead. */
  readonly example?: unknown;
  /** Rejected with this text (after the path of the setting), except for values that turn it off. */
  readonly rejected?: string;
  /** Accepted, without effect in this daemon, for this reason. */
  readonly noEffect?: string;
  /** Whether a setting without effect is a warning, because a client may expect another file. */
  readonly warns?: true;
  /** Values of a setting that is rejected or has no effect that match what this daemon does: no error, no warning. */
  readonly unless?: readonly unknown[];
  /** Values that are rejected, each with its text (after the path of the setting). */
  readonly rejectedValues?: Readonly<Record<string, string>>;
  /**
   * Where the setting makes a difference, itself and the settings nested in it. Absent: `plan` for a setting of an
   * output, which is how its file is made, and `job` for a field of the job.
   */
  readonly seenIn?: 'job' | 'delivery' | 'notification';
}

/** A whole number from `min` to `max`. The unit is in the name or in `unit`. */
export interface IntegerSetting extends SettingText {
  readonly kind: 'integer';
  readonly min: number;
  readonly max: number;
  readonly unit?: string;
  /** Whether `auto` is accepted and means omitted. */
  readonly acceptsAuto?: true;
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

/** True or false. Also accepts 1 and 0, and each of the four as text. */
export interface BooleanSetting extends SettingText {
  readonly kind: 'boolean';
  /** Whether the service document writes it as 1 and 0; clients then send it so. */
  readonly isSentAsInteger?: true;
  /** Whether the value may also be the word `auto`: true or false is then decided when the input is known. */
  readonly mayBeAuto?: true;
  readonly default?: boolean;
}

/** A text of up to `maxLength` characters, without control characters. */
export interface TextSetting extends SettingText {
  readonly kind: 'text';
  readonly maxLength: number;
  readonly mayBeEmpty?: true;
  /** Whether an empty text is the same as omitting the setting, with a warning: forms send empty fields. */
  readonly emptyMeansOmitted?: true;
  /** Whether an invalid value is ignored with a warning, because the setting never breaks a request. */
  readonly invalidMeansOmitted?: true;
  /** Up to this, a whole number is accepted and read as its digits: for names that may be numbers. */
  readonly maxNumber?: number;
  /** The form of the whole text, and the rule that a text of another form violates (`must be ...`). */
  readonly form?: { readonly pattern: string; readonly rule: string; readonly example: string };
  /** The name of the value in the help of the flag, if the name of the setting would mislead. */
  readonly argument?: string;
  /** Whether the value is in lower case, because letter case makes no difference. */
  readonly isLowerCased?: true;
  /** A relative path: folders are allowed, `..` is not; each part has up to 255 bytes. */
  readonly isPath?: boolean;
  readonly default?: string;
}

/** A URL of up to 2,048 characters, with a scheme. */
export interface UrlSetting extends SettingText {
  readonly kind: 'url';
  /** The supported schemes, in lower case; absent if the table does not restrict them. */
  readonly schemes?: readonly string[];
  /** Whether an e-mail address is accepted as well. */
  readonly acceptsEmail?: true;
  /** Words that are accepted in place of a URL. */
  readonly words?: readonly string[];
  /** Whether a request file may have the path of a local file instead, which the command line replaces with a URL. */
  readonly mayBePath?: true;
  /** Whether an empty text is the same as omitting the setting, with a warning: forms send empty fields. */
  readonly emptyMeansOmitted?: true;
}

/**
 * One of the words in `choices`, in any letter case. The value is always spelled as in `choices`.
 */
export interface ChoiceSetting extends SettingText {
  readonly kind: 'choice';
  readonly choices: readonly string[];
  /** Choices that every request is rejected for, with a reason. No list of choices offers them. */
  readonly rejectedChoices?: readonly string[];
  /**
   * Other words for a choice, in lower case. Only the command line accepts them: a request contains the choice
   * itself.
   */
  readonly synonyms?: Readonly<Record<string, string>>;
  /**
   * Other words for a choice, in lower case, which requests may contain as well: records of the hosted service have
   * them.
   */
  readonly aliases?: Readonly<Record<string, string>>;
  /** The choice that `true` stands for; `false` then means omitted. */
  readonly trueMeans?: string;
  readonly default?: string;
}

/** One of the whole numbers in `choices`, e.g. degrees. */
export interface NumberChoiceSetting extends SettingText {
  readonly kind: 'number-choice';
  readonly choices: readonly number[];
  /** Whether the value may also be the word `auto`: the number is then decided when the input is known. */
  readonly mayBeAuto?: true;
  readonly default?: number;
}

/** `WIDTHxHEIGHT` in pixels. */
export interface SizeSetting extends SettingText {
  readonly kind: 'size';
  readonly min: number;
  readonly max: number;
}

/** A size of a file, as a number of bytes or with a decimal unit: `10MB`. The value is in bytes. */
export interface BytesSetting extends SettingText {
  readonly kind: 'bytes';
  readonly min: number;
  readonly max: number;
}

/** `A:B`, two whole numbers from 1 to `max`. */
export interface RatioSetting extends SettingText {
  readonly kind: 'ratio';
  readonly max: number;
}

/** A time, as `HH:MM:SS.S` or decimal seconds, below `maxSeconds`. The value is in seconds. */
export interface TimeSetting extends SettingText {
  readonly kind: 'time';
  /** Whether the time must be above 0, as a length must be. */
  readonly isAboveZero?: boolean;
  readonly maxSeconds: number;
}

/**
 * Pixels or percent. If `isSigned`, a negative value counts from the far edge (`-0` is the far edge), and `centered` is
 * the middle.
 */
export interface DistanceSetting extends SettingText {
  readonly kind: 'distance';
  readonly isSigned: boolean;
  readonly default?: string;
}

/** An object of nested settings. */
export interface ObjectSetting extends SettingText {
  readonly kind: 'object';
  readonly fields: SettingsTable;
  /** Names of which one must be given: fields, or spellings of one field. */
  readonly oneOf?: readonly string[];
  /** The field that a plain number on the command line sets. */
  readonly numberField?: string;
  /** The field that a plain string sets, in requests and on the command line. No other field is required then. */
  readonly textField?: string;
  /** Whether the command line also accepts the values of all fields in order, with a slash between them. */
  readonly isOrdered?: true;
}

/** One value or an array of up to `max` values. The parsed value is a list; an empty array counts as omitted. */
export interface ListSetting extends SettingText {
  readonly kind: 'list';
  readonly of: Setting;
  readonly max: number;
  /** Whether one text may hold several values, separated by commas. */
  readonly isCommaSeparated?: true;
  /** Whether an empty array is invalid instead of omitted. */
  readonly isNeverEmpty?: true;
  /** Whether a single value is sent without an array, as the service document has it. */
  readonly isSentAlone?: true;
  /** The field of its objects that an object by name sets: `{"NAME": {}}` or `{"NAME": [{}, {}]}`. */
  readonly groupField?: string;
}

/**
 * An object of up to `max` strings by name: HTTP headers, tags of a file, where channels come from, or purposes by the
 * number of a track. Tags have names of letters, digits, `_`, `-` and `.`, and any text except control characters.
 */
export interface MapSetting extends SettingText {
  readonly kind: 'map';
  readonly of: 'headers' | 'tags' | 'channels' | 'service-types';
  /** Words that are accepted in place of an object. */
  readonly words?: readonly string[];
  readonly max: number;
  readonly maxNameLength: number;
  /** Maximum length of each value, in characters. */
  readonly maxLength: number;
  /** Rejected names, in lower case; a name that ends in `*` is a prefix. */
  readonly reserved: readonly string[];
}

/**
 * A setting of the service that venc knows but does not apply: it has no effect, or it is rejected. Its value is
 * checked only for its type, and a wrong type is a warning. It has no command-line flag.
 */
export type UncheckedSetting = SettingText & {
  readonly kind: 'unchecked';
  /** The type of its value; absent if any type is accepted. */
  readonly type?: 'boolean' | 'number' | 'string' | 'object';
  /** The names that an object has at the service, for the reference. */
  readonly fieldNames?: readonly string[];
  /** Whether the value is a secret, which is not kept. */
  readonly isSecret?: true;
} & ({ readonly rejected: string } | { readonly noEffect: string });

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
  | BytesSetting
  | RatioSetting
  | TimeSetting
  | DistanceSetting
  | ObjectSetting
  | ListSetting
  | MapSetting
  | UncheckedSetting;

/** Settings by name. */
export type SettingsTable = Readonly<Record<string, Setting>>;

/** Fields of a request as a client sends them, under the names of the service. */
export type RequestFields = Readonly<Record<string, unknown>>;

/** A size in pixels. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** A ratio of two whole numbers. */
export interface Proportion {
  readonly numerator: number;
  readonly denominator: number;
}

/** A distance. `value` is never negative; `isFromFarEdge` means that it counts from the right or the bottom. */
export interface Distance {
  readonly value: number;
  readonly unit: 'pixels' | 'percent';
  readonly isFromFarEdge: boolean;
  /** Set for the middle; the other fields then mean nothing. */
  readonly isCentered?: true;
}

/** The type of the parsed value of a setting. */
type ValueOf<S> = S extends { kind: 'integer' | 'number' | 'time' | 'bytes' }
  ? number
  : S extends { kind: 'boolean' }
    ? boolean | (S extends { mayBeAuto: true } ? 'auto' : never)
    : S extends { kind: 'text' | 'url' }
      ? string
      : S extends { kind: 'choice' | 'number-choice'; choices: readonly (infer C)[] }
        ? C | (S extends { mayBeAuto: true } ? 'auto' : never)
        : S extends { kind: 'size' }
          ? Size
          : S extends { kind: 'ratio' }
            ? Proportion
            : S extends { kind: 'distance' }
              ? Distance
              : S extends { kind: 'object'; fields: infer F extends SettingsTable }
                ? SettingsOf<F>
                : S extends { kind: 'list'; of: infer O }
                  ? readonly ValueOf<O>[]
                  : S extends { kind: 'map' }
                    ?
                        | Readonly<Record<string, string>>
                        | (S extends { words: readonly (infer W)[] } ? W : never)
                    : S extends { kind: 'unchecked' }
                      ? unknown
                      : never;

type RequiredNames<T extends SettingsTable> = {
  [K in keyof T]: T[K] extends { isRequired: true } ? K : never;
}[keyof T];

/** The settings of a request, typed. Omitted settings are absent; defaults are not filled in. */
export type SettingsOf<T extends SettingsTable> = {
  readonly [K in Exclude<keyof T, RequiredNames<T>>]?: ValueOf<T[K]>;
} & { readonly [K in RequiredNames<T>]: ValueOf<T[K]> };

/** A name that is not in the table of its object. `parent` is the path of the object, empty for the job. */
export interface UnknownName {
  readonly table: SettingsTable;
  readonly parent: string;
  readonly name: string;
}

/**
 * Something in a request that is accepted, but does not do what it seems to ask for: an unknown name, a setting without
 * effect, or a value that was corrected. The response to the create lists all of them as `warnings`.
 */
export interface RequestWarning {
  /** Path of the field, e.g. `outputs[0].widht`. */
  readonly field: string;
  /** What happened, as a sentence without the path and without a full stop. It never repeats the value. */
  readonly message: string;
  /**
   * The validation error that replaces the warning in strict mode, without the path. Absent if it is a warning in
   * strict mode, too.
   */
  readonly strictError?: string;
  /** Set for an unknown name. What was probably meant is searched only for the warnings that are reported. */
  readonly unknown?: UnknownName;
}

/** A warning as responses and records have it. */
export type ReportedWarning = Pick<RequestWarning, 'field' | 'message'>;
