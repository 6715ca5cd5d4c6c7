import { redact } from '../redact.js';
import { isObject } from '../util/is-object.js';
import { parseJobRequest } from './parse-job-request.js';
import { outputListOf } from './presets.js';
import { applyStrictMode } from './report-warnings.js';
import type { RequestWarning } from './setting.js';
import { hasValue } from './spellings.js';

/** A preset that was checked: what is wrong with it, and what has no effect in it. */
export interface CheckedPreset {
  readonly validationErrors: readonly string[];
  readonly warnings: readonly RequestWarning[];
}

/** Fields that a preset cannot have, with the reason. */
const foreignFields = {
  input: 'must not be in a preset: each job has its own',
  input_name: 'must not be in a preset: each job has its own',
  api_key: 'must not be in a preset: send the key in the header Service-Api-Key',
  preset: 'must not be in a preset: give its settings instead',
} as const;

/** Settings of an output that a preset cannot have: everybody with a key of the account can read it. */
const secretFields = ['encryption_key', 'encryption_iv'] as const;

/**
 * Checks a preset that a daemon is to store: a request without an input, and without unknown names and secrets. Pure;
 * never throws.
 */
export function checkPreset(value: unknown, limits: { readonly maxOutputs: number }): CheckedPreset {
  if (!isObject(value))
    return {
      validationErrors: ['the preset must be an object such as {"output": {"height": 720}}'],
      warnings: [],
    };
  const { input: _, api_key: _key, preset: _preset, $schema: _schema, ...settings } = value;
  const parsed = parseJobRequest({ ...settings, input: 'file:///input' }, limits);
  const unknown = parsed.warnings.filter((warning) => warning.unknown !== undefined);
  const errors = [
    ...Object.entries(foreignFields).flatMap(([name, reason]) =>
      hasValue(value, name) ? [`${name} ${reason}`] : [],
    ),
    ...outputListOf(value).flatMap((output, index) => errorsOfOutput(output, `outputs[${index}]`)),
    ...passwordErrors(settings, ''),
    ...(parsed.ok ? [] : parsed.validationErrors),
    ...applyStrictMode(unknown, true).validationErrors,
  ];
  const isEmpty = errors.length === 0 && Object.keys(settings).length === 0;
  return {
    validationErrors: isEmpty ? ['the preset must have a setting'] : [...new Set(errors)],
    warnings: parsed.warnings.filter((warning) => warning.unknown === undefined),
  };
}

function errorsOfOutput(output: unknown, path: string): readonly string[] {
  if (!isObject(output)) return [];
  return [
    ...(hasValue(output, 'preset') ? [`${path}.preset ${foreignFields.preset}`] : []),
    ...secretFields.flatMap((name) =>
      hasValue(output, name)
        ? [`${path}.${name} must not be in a preset: it is secret; give it in the job`]
        : [],
    ),
  ];
}

/** An error for each text that contains a password or a key, such as a URL with one. */
function passwordErrors(value: unknown, path: string): readonly string[] {
  if (typeof value === 'string')
    return redact(value) === value
      ? []
      : [
          `${path} must have no password in a preset: save it with venc credentials, and give its name as credentials`,
        ];
  if (Array.isArray(value)) return value.flatMap((item, index) => passwordErrors(item, `${path}[${index}]`));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, item]) =>
    passwordErrors(item, path === '' ? name : `${path}.${name}`),
  );
}
