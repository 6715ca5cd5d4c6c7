import { VencError } from '../errors.js';

/** One `name=value` of a command line, the quotes taken off. */
export type Assignment = readonly [name: string, value: string];

const onePair = /([^=,"]+)=(?:"((?:[^"]|"")*)"|([^,"][^,]*)?)(,|$)/y;

/**
 * Takes `name=value,name=value` apart: `x=10,url="a,b"` is `x` with `10` and `url` with `a,b`. A value with a
 * comma stands in double quotes, in which a double quote is doubled. A name may come several times, and `-` in
 * it is as good as `_`. Throws `UsageError` naming `flag`; the message never repeats the text, which may be secret.
 */
export function parseAssignments(text: string, flag: string): readonly Assignment[] {
  const assignments: Assignment[] = [];
  for (let at = 0; at < text.length; ) {
    onePair.lastIndex = at;
    const found = onePair.exec(text);
    const isUnterminated = found?.[4] === ',' && onePair.lastIndex === text.length;
    if (found === null || isUnterminated) throw malformed(flag);
    const [match, name = '', quoted, plain = ''] = found;
    assignments.push([name.trim().replaceAll('-', '_'), quoted?.replaceAll('""', '"') ?? plain]);
    at += match.length;
  }
  if (assignments.length === 0) throw malformed(flag);
  return assignments;
}

function malformed(flag: string): VencError {
  return new VencError('UsageError', `${flag} must be name=value,name=value`, {
    hint: 'A value with a comma stands in double quotes: url="a,b".',
  });
}
