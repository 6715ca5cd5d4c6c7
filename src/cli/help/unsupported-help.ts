import { settingFlags } from '../../shared/settings/flags.js';

/** What becomes of settings, as far as a help page tells it: those that are refused, but for some values. */
type SettingSupportTables = Readonly<Record<string, object>>;

/**
 * The part of a help page that names the flags which the daemon of this version refuses, with the values that it takes all
 * the same; nothing if it refuses none. A service elsewhere may know more.
 */
export function unsupportedHelp(tables: {
  readonly supportedJobFields: SettingSupportTables;
  readonly supportedOutputSettings: SettingSupportTables;
}): string {
  const unsupported = settingFlags().flatMap(({ flag, name, path }) => {
    const support = (path === 'job' ? tables.supportedJobFields : tables.supportedOutputSettings)[name];
    if (support === undefined || !('unsupported' in support)) return [];
    const isAccepted = 'unless' in support && Array.isArray(support.unless) ? support.unless : [];
    return [
      isAccepted.length === 0 ? `  ${flag}` : `  ${flag} other than ${isAccepted.map(String).join(', ')}`,
    ];
  });
  if (unsupported.length === 0) return '';
  return ['', 'Not supported yet by the daemon of this version, nor by run and plan:', ...unsupported].join(
    '\n',
  );
}
