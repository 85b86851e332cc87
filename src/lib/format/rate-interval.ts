import { wilsonInterval } from "../wilson-interval";

/** A rate with its 95% interval: `83.3% (66.4–92.7%)`; nothing without attempts. */
export function formatRateInterval({ passed, done }: { passed: number; done: number }): string {
  if (done === 0) return "";
  const { low, high } = wilsonInterval(passed, done);
  const formatPercent = (rate: number): string => (rate * 100).toFixed(rate === 1 ? 0 : 1);
  return `${formatPercent(passed / done)}% (${formatPercent(low)}–${formatPercent(high)}%)`;
}
