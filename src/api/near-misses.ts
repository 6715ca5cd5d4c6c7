/**
 * The known words that somebody who typed `word` may have meant, best first, at most three: those that it begins, and those a few
 * slips away, where a slip is a letter too much, too few or wrong, or two in each other's place.
 */
export function nearMisses(word: string, known: readonly string[]): readonly string[] {
  const sought = word.toLowerCase();
  const near = known.flatMap((candidate) => {
    const lower = candidate.toLowerCase();
    if (sought !== '' && lower.startsWith(sought)) return [{ candidate, slips: 0 }];
    // Texts of very different lengths are never near: the count would be in vain.
    const most = Math.floor(Math.max(sought.length, lower.length) * 0.4);
    if (Math.abs(sought.length - lower.length) > most) return [];
    const slips = slipsBetween(sought, lower);
    return slips <= most ? [{ candidate, slips }] : [];
  });
  return near
    .sort((a, b) => a.slips - b.slips)
    .slice(0, 3)
    .map(({ candidate }) => candidate);
}

function slipsBetween(from: string, to: string): number {
  let beforeLast: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const isSame = from[row - 1] === to[column - 1];
      const isSwapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      current[column] = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (isSame ? 0 : 1),
        row > 1 && column > 1 && isSwapped ? (beforeLast[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    beforeLast = last;
    last = current;
  }
  return last[to.length] ?? 0;
}
