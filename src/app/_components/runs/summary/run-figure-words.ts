import type { ChatUsage } from "@/lib/contract/chat";
import type { RunDetail } from "@/lib/contract/run";
import { formatCount, formatPlural } from "@/lib/format";

/** A count in little room: `940`, `12.4k`, `3.1M`. */
function formatShortCount(count: number): string {
  if (count < 1_000) return formatCount(count);
  if (count < 999_500) return `${trimmed(count / 1_000)}k`;
  return `${trimmed(count / 1_000_000)}M`;
}

function trimmed(value: number): string {
  return value < 99.95 ? String(Number(value.toFixed(1))) : String(Math.round(value));
}

/** `1.2k in · 96 out`; null where nothing was counted. */
export function formatTokens({ inputTokens, outputTokens }: ChatUsage): string | null {
  if (inputTokens === 0 && outputTokens === 0) return null;
  return `${formatShortCount(inputTokens)} in · ${formatShortCount(outputTokens)} out`;
}

/** All counted tokens, for a tooltip. */
export function describeTokens({ inputTokens, outputTokens, cachedInputTokens, reasoningTokens }: ChatUsage): string {
  const cached = cachedInputTokens ? `, ${formatCount(cachedInputTokens)} of them cached` : "";
  const reasoning = reasoningTokens ? `, ${formatCount(reasoningTokens)} of them reasoning` : "";
  return `${formatCount(inputTokens)} tokens read${cached}; ${formatCount(outputTokens)} tokens written${reasoning}`;
}

/** Calls that a rerun's log has from the run that it repeats: `1 model call and 2 tool calls`. */
export function describeTakenOver({ modelCalls, toolCalls }: NonNullable<RunDetail["takenOver"]>): string {
  const models = formatPlural(modelCalls, "model call");
  return toolCalls === 0 ? models : `${models} and ${formatPlural(toolCalls, "tool call")}`;
}

/** US dollars with the digits that matter: `$0.0042`, `$1.27`. Null, a model without a price, gives a dash. */
export function formatCost(dollars: number | null): string {
  if (dollars === null || !Number.isFinite(dollars)) return "–";
  if (dollars === 0) return "$0";
  if (dollars < 0.0001) return "<$0.0001";
  return `$${dollars < 1 ? Number(dollars.toPrecision(2)) : dollars.toFixed(2)}`;
}
