import type { LimitKey, LimitMeasure } from "../contract/call-rule-words";
import type { LimitEffect } from "../contract/rule-limit";
import { formatDollars } from "./dollars";

const UNITS: readonly [minutes: number, one: string, many: string][] = [
  [1_440, "day", "days"],
  [60, "hour", "hours"],
  [1, "minute", "minutes"],
];

/** Formats a window: `1 hour`, `90 minutes`. */
export function describeWindow(minutes: number): string {
  const [size, one, many] = UNITS.find(([each]) => minutes % each === 0) ?? [1, "minute", "minutes"];
  const count = minutes / size;
  return `${count} ${count === 1 ? one : many}`;
}

/** Reads what `describeWindow` writes, and `2h`; null for another text. */
export function parseWindow(text: string): number | null {
  const [, count, unit] = /^\s*(\d{1,5})\s*(m|h|d)(?:in|inutes?|ours?|ays?)?\s*$/i.exec(text) ?? [];
  if (count === undefined || unit === undefined) return null;
  const [minutes] = UNITS.find(([, one]) => one.startsWith(unit.toLowerCase())) ?? [1];
  return Number(count) * minutes;
}

/** `12 calls`, `1,024 bytes`, `$0.25`. */
export function formatAmount(measure: LimitMeasure, amount: number): string {
  if (measure === "money") return formatDollars(amount);
  const unit = measure === "bytes" ? "byte" : "call";
  return `${amount.toLocaleString("en-US")} ${amount === 1 ? unit : `${unit}s`}`;
}

/** `12 of 100 calls`. */
export function formatUsed(measure: LimitMeasure, used: number, most: number): string {
  const first = measure === "money" ? formatDollars(used) : used.toLocaleString("en-US");
  return `${first} of ${formatAmount(measure, most)}`;
}

export const LIMIT_KEY_LABELS: Readonly<Record<LimitKey, string>> = {
  user: "user",
  token: "API token",
  client: "client",
  tool: "tool",
  run: "agent run",
};

/** ` per user and tool`; empty for all calls together. */
function describeLimitKeys(per: readonly LimitKey[]): string {
  return per.length === 0 ? "" : ` per ${per.map((each) => LIMIT_KEY_LABELS[each]).join(" and ")}`;
}

/** `100 calls in 1 hour per user and tool`. */
export const describeLimit = ({
  measure,
  most,
  minutes,
  per,
  models,
}: Pick<LimitEffect, "measure" | "most" | "minutes" | "per" | "models">): string =>
  `${formatAmount(measure, most)} in ${describeWindow(minutes)}${describeLimitKeys(per)}${models ? ", models included" : ""}`;

/** Formats a price: `$0.02`, or the expression. */
export const describePrice = (price: string): string =>
  /^\d+(\.\d+)?$/.test(price) ? formatDollars(Number(price)) : price;

/** `user ada, tool pay`: what a count is for. @param names of users, by their id */
export const describeCounted = (
  parts: readonly { of: LimitKey; value: string | null }[],
  names?: ReadonlyMap<string, string>,
): string =>
  parts
    .map(({ of, value }) =>
      value === null
        ? `no ${LIMIT_KEY_LABELS[of]}`
        : `${LIMIT_KEY_LABELS[of]} ${(of === "user" && names?.get(value)) || value}`,
    )
    .join(", ") || "all calls together";
