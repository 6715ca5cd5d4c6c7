import { settingFlags } from '../../shared/settings/flags.js';

/** What becomes of settings, as far as a help page tells it: those that are refused, but for some values. */
type Honours = Readonly<Record<string, object>>;

/**
 * The part of a help page that names the flags which the daemon of this version refuses, with the values that it takes all
 * the same; nothing where it refuses none. A service elsewhere may know more.
 */
export function declinedHelp(tables: {
  readonly supportedJobFields: Honours;
  readonly supportedOutputSettings: Honours;
}): string {
  const declined = settingFlags().flatMap(({ flag, name, path }) => {
    const honour = (path === 'job' ? tables.supportedJobFields : tables.supportedOutputSettings)[name];
    if (honour === undefined || !('unsupported' in honour)) return [];
    const taken = 'unless' in honour && Array.isArray(honour.unless) ? honour.unless : [];
    return [taken.length === 0 ? `  ${flag}` : `  ${flag} other than ${taken.map(String).join(', ')}`];
  });
  if (declined.length === 0) return '';
  return ['', 'Not supported yet by the daemon of this version, nor by run and plan:', ...declined].join(
    '\n',
  );
}
