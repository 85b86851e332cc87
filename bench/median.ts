export function median(values: number[]): number {
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** Other load on the machine only adds to a time. @returns NaN for none */
export const lowestTenth = (times: readonly number[]): number =>
  times.toSorted((one, other) => one - other)[Math.floor(times.length / 10)] ?? Number.NaN;
