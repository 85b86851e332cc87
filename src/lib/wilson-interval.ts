/** z of a 95 % interval. */
const Z = 1.96;

export interface RateInterval {
  low: number;
  high: number;
}

/** The Wilson interval of a rate: where the true rate lies with 95 % confidence. Without attempts it is everything. */
export function wilsonInterval(passed: number, total: number): RateInterval {
  if (total <= 0) return { low: 0, high: 1 };
  const rate = passed / total;
  const spread = Z * Math.sqrt((rate * (1 - rate)) / total + (Z * Z) / (4 * total * total));
  const middle = rate + (Z * Z) / (2 * total);
  const scale = 1 + (Z * Z) / total;
  return { low: Math.max(0, (middle - spread) / scale), high: Math.min(1, (middle + spread) / scale) };
}

/** Whether two rates differ by more than chance explains: the 95 % interval of their difference (Newcombe) excludes zero. */
export function ratesDiffer(one: [passed: number, total: number], other: [passed: number, total: number]): boolean {
  const [p1, p2] = [one[0] / Math.max(one[1], 1), other[0] / Math.max(other[1], 1)];
  const [first, second] = [wilsonInterval(...one), wilsonInterval(...other)];
  const difference = p1 - p2;
  const low = difference - Math.hypot(p1 - first.low, second.high - p2);
  const high = difference + Math.hypot(first.high - p1, p2 - second.low);
  return low > 0 || high < 0;
}
