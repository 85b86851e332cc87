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

type Rate = readonly [passed: number, total: number];

/** Compares a rate with the one before; `chance` where the 95 % interval of their difference (Newcombe) includes zero. */
export function compareRates(before: Rate, after: Rate): "better" | "worse" | "chance" {
  const p1 = before[0] / Math.max(before[1], 1);
  const p2 = after[0] / Math.max(after[1], 1);
  const first = wilsonInterval(...before);
  const second = wilsonInterval(...after);
  const difference = p1 - p2;
  if (difference - Math.hypot(p1 - first.low, second.high - p2) > 0) return "worse";
  return difference + Math.hypot(first.high - p1, p2 - second.low) < 0 ? "better" : "chance";
}
