import type { ExecutionEnvelope } from "../../../lib/contract/envelope";
import { isPlainObject } from "../../../lib/contract/json";
import { REASON } from "../../../lib/schema/describe/shown-schema";
import type { CallArguments } from "../executor/call-arguments";
import type { ExecuteOptions } from "../executor/execute-options";
import type { PreparedTool } from "./prepare-toolset";

/** Keeps the beginning of a longer reason. */
const MAX_REASON_CHARS = 2000;

/** A call of a toolset, as the executor takes it. */
export interface ToolsetCall {
  /** The name in the catalog. */
  name: string;
  args: CallArguments;
  options: Pick<
    ExecuteOptions,
    "toolset" | "calledAs" | "reason" | "timeoutMs" | "approvalRequired" | "lens" | "provided"
  >;
}

/** @param sentReason why the call is made, where the reason was not among the tool's own arguments */
export function toToolsetCall(
  toolset: string,
  tool: PreparedTool,
  sent: CallArguments,
  sentReason?: unknown,
): ToolsetCall {
  const { original, override, takesReason } = tool;
  const rules = override?.arguments ?? [];
  const dropped = new Set(rules.filter(({ mode }) => mode !== "default").map(({ name }) => name));
  if (takesReason) dropped.add(REASON);
  const added = rules.flatMap((rule) => (rule.mode === "hidden" ? [] : [[rule.name, rule.value]]));
  const own = takesReason && isPlainObject(sent.value) ? sent.value[REASON] : undefined;
  const reason = readReason(own) ?? readReason(sentReason);
  return {
    name: original.name,
    args: sent.without(dropped).withDefaults(Object.fromEntries(added)),
    options: {
      toolset,
      ...(reason === undefined ? {} : { reason }),
      ...(override?.timeoutMs === undefined ? {} : { timeoutMs: override.timeoutMs }),
      ...(override?.lens === undefined ? {} : { lens: override.lens === null ? null : { expression: override.lens } }),
      ...(override?.approval === undefined ? {} : { approvalRequired: override.approval === "always" }),
    },
  };
}

/** Undefined for a value that is not a text, and for an empty text. */
export function readReason(value: unknown): string | undefined {
  const reason = typeof value === "string" ? value.trim().slice(0, MAX_REASON_CHARS) : "";
  return reason === "" ? undefined : reason;
}

/** A failure names required arguments, of which the caller must not know the fixed and hidden ones. */
export function withoutHiddenArguments(envelope: ExecutionEnvelope, { override }: PreparedTool): ExecutionEnvelope {
  if (envelope.success || !envelope.required_parameters || !override?.arguments.length) return envelope;
  const optional = new Set(override.arguments.map(({ name }) => name));
  return { ...envelope, required_parameters: envelope.required_parameters.filter(({ name }) => !optional.has(name)) };
}
