// Names in SQL and here: `entry_key` is `entryKey`.

export function snake(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** The name in a list that is nearest to a misspelt one; null if none is near. */
export function nearest(written: string, known: readonly string[]): string | null {
  const distances = known.map((name) => editDistance(written.toLowerCase().replaceAll("_", ""), name.toLowerCase()));
  const least = Math.min(...distances);
  return least <= Math.max(1, written.length / 3) ? known[distances.indexOf(least)]! : null;
}

// The Levenshtein distance, computed one row of its table at a time.
function editDistance(from: string, to: string): number {
  let above = Array.from({ length: to.length + 1 }, (_, place) => place);
  for (const [row, letter] of [...from].entries()) {
    const line = [row + 1];
    for (let column = 0; column < to.length; column++) {
      const changed = above[column]! + (letter === to[column] ? 0 : 1);
      line.push(Math.min(changed, above[column + 1]! + 1, line[column]! + 1));
    }
    above = line;
  }
  return above[to.length]!;
}

export function camel(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
