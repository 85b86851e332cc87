import type { EvalOffering, EvalRunSummary } from "@/lib/contract/eval";
import { formatCount, formatRate } from "@/lib/format";
import { wilsonInterval } from "@/lib/wilson-interval";

export const toSuitePath = (name: string): string => `/suites/${encodeURIComponent(name)}`;
export const toRunPath = (id: string): string => `/suites/runs/${encodeURIComponent(id)}`;

/** `83.3% (66–93%)`: the rate with its 95 % interval. */
export function formatInterval(passed: number, total: number): string {
  if (total === 0) return "–";
  const { low, high } = wilsonInterval(passed, total);
  return `${formatRate(passed, total)} (${Math.round(low * 100)}–${Math.round(high * 100)}%)`;
}

export function formatModel({ provider, model }: Pick<EvalRunSummary, "provider" | "model">): string {
  return provider === model ? model : `${provider} / ${model}`;
}

export function formatTokens({
  inputTokens,
  outputTokens,
}: Pick<EvalRunSummary, "inputTokens" | "outputTokens">): string {
  return `${formatCount(inputTokens)} in, ${formatCount(outputTokens)} out`;
}

const DOLLARS = new Intl.NumberFormat("en-US", { style: "currency", currency: "USD", maximumFractionDigits: 4 });
export const formatCost = (cost: number | null): string => (cost === null ? "no price" : DOLLARS.format(cost));

/** The label of how a model is offered tools. */
export const OFFERING_LABELS: Record<EvalOffering, string> = { direct: "List of tools", discovery: "Discovery" };
