/**
 * When a process began, in ticks since the machine started, from the text of its /proc/PID/stat (field 22). Null for one that has ended and
 * only waits for its parent to be told.
 */
export function parseStartTicks(stat: string): string | null {
  // The name in field 2 may hold anything, blanks and `)` too.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const isDead = fields[0] === 'Z' || fields[0] === 'X';
  return isDead ? null : (fields[19] ?? null);
}
