import { jobTable, outputTable, type Setting, type SettingsTable } from '../../src/shared/settings/index.js';

/** A setting whose value is a text, by its path in a job or in an output. */
export interface TextLeaf {
  /** Names of fields, and 0 for an entry of a list. */
  readonly path: readonly (string | number)[];
  readonly kind: 'text' | 'url' | 'map';
  readonly isOfJob: boolean;
}

/** Every setting of the tables whose value is a text, a URL or headers. */
export function textLeaves(): readonly TextLeaf[] {
  const inTable = (table: SettingsTable, path: TextLeaf['path'], isOfJob: boolean): readonly TextLeaf[] =>
    Object.entries(table)
      // Its jobs wait for a machine with these labels.
      .filter(([name]) => name !== 'requires')
      .flatMap(([name, setting]) => inSetting(setting, [...path, name], isOfJob));
  const inSetting = (setting: Setting, path: TextLeaf['path'], isOfJob: boolean): readonly TextLeaf[] => {
    const { kind } = setting;
    if (kind === 'object') return inTable(setting.fields, path, isOfJob);
    if (kind === 'list') return inSetting(setting.of, [...path, 0], isOfJob);
    return kind === 'text' || kind === 'url' || kind === 'map' ? [{ path, kind, isOfJob }] : [];
  };
  return [...inTable(jobTable, [], true), ...inTable(outputTable, [], false)];
}

/** Values that would be options, filters, files or commands, if a setting were not one argument or not escaped. `canary` is a path. */
export function injectedValues(canary: string): readonly string[] {
  return [
    '-i',
    '-y',
    '--help',
    `-i ${canary}`,
    `-attach ${canary}`,
    `[in]movie=${canary}[out]`,
    `a,movie=${canary}`,
    `a;movie=${canary}[a];[a]null`,
    `a:textfile=${canary}`,
    `a':textfile='${canary}`,
    `a\\':textfile=\\'${canary}`,
    `'${canary}'`,
    `"$(cat ${canary})"`,
    `\`cat ${canary}\``,
    `$(cat<${canary})`,
    `;cat ${canary};`,
    `|cat ${canary}`,
    `%{metadata:title}%{pts}%{expr:1}`,
    '%03d%d%s%n',
    `a\n-i\n${canary}`,
    `a\r\n-i ${canary}`,
    `a\t-i\t${canary}`,
    `@${canary}`,
    `file:${canary}`,
    `concat:${canary}|${canary}`,
    `subfile,,start,0,end,9,,:${canary}`,
    `tee:a|${canary}.written`,
    `[f=mpegts]a|[f=mp4]${canary}.written`,
    `a=b:c=d[e](f){g}<h>&i*?~!#`,
    '\u0000-i',
    '\u2028-i',
    '‮-i',
  ];
}

/** A value in the form that a kind of setting takes. */
export function valueFor({ kind, path }: TextLeaf, value: string, root: string): unknown {
  if (kind === 'map') return { 'x-amz-meta-a': value };
  const name = path.at(-1);
  if (kind === 'url') {
    const last = encodeURIComponent(value).slice(0, 200);
    if (name === 'base_url' || name === 'smil_base_url') return `file://${root}/${last}/`;
    return `file://${root}/${last}.mp4`;
  }
  // Names need an extension that selects a container.
  if (name === 'filename' && path.length === 1) return `${value}.mp4`;
  if (name === 'keyframe_manifest_filename') return `${value}.m3u8`;
  return value;
}

/** Objects, from the outer to the inner one, with the value at the path. `required` are the other fields of its last object. */
export function atPath(path: TextLeaf['path'], value: unknown, required: object = {}): object {
  const [first, ...rest] = path;
  const isLast = rest.filter((part) => typeof part === 'string').length === 0;
  const inner = rest.length === 0 ? value : atPath(rest, value, required);
  if (first === 0) return [inner];
  return { ...(isLast ? required : {}), [String(first)]: inner };
}
