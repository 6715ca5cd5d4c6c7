import type { SettingsTable } from './setting.js';

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
