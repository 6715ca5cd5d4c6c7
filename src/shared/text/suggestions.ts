/**
 * Suggestions for an unknown word, best first, at most three: names that start with it or have it as a whole part
 * (`bitrate` in `video-bitrate`), and names within a small edit distance. An edit inserts, deletes or replaces a
 * letter, or swaps two adjacent letters. One edit is allowed per three letters of the word: with more, unrelated
 * words of the same length would match.
 */
export function findSuggestions(word: string, known: readonly string[]): readonly string[] {
  const typed = word.toLowerCase();
  const maxDistance = Math.floor(typed.length / 3);
  const suggestions = known.flatMap((candidate) => {
    const name = candidate.toLowerCase();
    // Most names are ruled out by the cheap tests.
    const isPart = typed !== '' && name.includes(typed);
    if (isPart && (name.startsWith(typed) || name.split(/[-_]/).includes(typed))) {
      return [{ candidate, distance: 0 }];
    }
    if (Math.abs(typed.length - name.length) > maxDistance) return [];
    const distance = editDistance(typed, name, maxDistance);
    return distance <= maxDistance ? [{ candidate, distance }] : [];
  });
  return suggestions
    .sort((a, b) => a.distance - b.distance)
    .slice(0, 3)
    .map(({ candidate }) => candidate);
}

/** The edit distance of two words; infinite if it is above `max`. */
function editDistance(from: string, to: string, max: number): number {
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
    // A swap of two letters continues from the row before the last one.
    if (Math.min(...current) > max && Math.min(...last) > max) return Number.POSITIVE_INFINITY;
    beforeLast = last;
    last = current;
  }
  return last[to.length] ?? 0;
}
