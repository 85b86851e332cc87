/** Cells of the table: 1,000,000 take 4 MB and a few milliseconds. */
const MAX_TABLE_CELLS = 1_000_000;

export interface Pair {
  left: number;
  right: number;
}

/**
 * As many pairs of equal elements with rising indexes as possible. Common starts and ends cost nothing; null if the middle is
 * too large for the table.
 */
export function longestCommonSubsequence<T>(
  left: readonly T[],
  right: readonly T[],
  maxCells = MAX_TABLE_CELLS,
): Pair[] | null {
  let start = 0;
  const shorter = Math.min(left.length, right.length);
  while (start < shorter && left[start] === right[start]) start += 1;
  let tail = 0;
  while (tail < shorter - start && left[left.length - 1 - tail] === right[right.length - 1 - tail]) tail += 1;

  const rows = left.length - start - tail;
  const columns = right.length - start - tail;
  if (rows * columns > maxCells) return null;

  const pairs: Pair[] = [];
  for (let index = 0; index < start; index += 1) pairs.push({ left: index, right: index });
  for (const pair of middlePairs(left, right, start, rows, columns)) pairs.push(pair);
  for (let index = tail; index > 0; index -= 1) pairs.push({ left: left.length - index, right: right.length - index });
  return pairs;
}

function middlePairs<T>(left: readonly T[], right: readonly T[], start: number, rows: number, columns: number): Pair[] {
  if (rows === 0 || columns === 0) return [];
  // lengths[i * width + j]: longest in what follows i on the left and j on the right.
  const width = columns + 1;
  const lengths = new Uint32Array((rows + 1) * width);
  const length = (i: number, j: number): number => lengths[i * width + j] ?? 0;
  for (let i = rows - 1; i >= 0; i -= 1) {
    for (let j = columns - 1; j >= 0; j -= 1) {
      lengths[i * width + j] =
        left[start + i] === right[start + j] ? length(i + 1, j + 1) + 1 : Math.max(length(i + 1, j), length(i, j + 1));
    }
  }
  const pairs: Pair[] = [];
  let i = 0;
  let j = 0;
  while (i < rows && j < columns) {
    if (left[start + i] === right[start + j]) {
      pairs.push({ left: start + i, right: start + j });
      i += 1;
      j += 1;
    } else if (length(i + 1, j) >= length(i, j + 1)) i += 1;
    else j += 1;
  }
  return pairs;
}
