import { createHmac } from "node:crypto";
import type { JsonSchema } from "../../../lib/contract/json";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import { toMask } from "../../../lib/masked-value";
import type { Masking } from "../ports";
import { CallMask } from "./call-mask";

/** Masks under a fixed key, no known secrets. */
export const testMasking: Masking = {
  getMask: (text) => toMask(createHmac("sha256", "key").update(text).digest("hex")),
  inText: (text) => text,
  inJson: (text) => text,
  inValue: (value) => value,
  inArguments: (text) => text,
};

export function toolWith(parts: Partial<ToolDefinition>): ToolDefinition {
  return {
    name: "tool",
    description: "A tool",
    type: "function",
    handler: "tool",
    parameters: { type: "object" },
    implementation: { type: "builtin", handler: "tool" },
    ...parts,
  };
}

export function maskedArguments(args: unknown, parameters: JsonSchema): string {
  return new CallMask(toolWith({ parameters }), testMasking).argumentsText(JSON.stringify(args));
}
