import type { ModelProviderKind } from "../../lib/contract/model";
import type { ModelConnection, ModelConnectionSettings } from "../engine/agent/chat-ports";
import { anthropic } from "./anthropic/anthropic";
import { DemoClient } from "./demo-client";
import { gemini } from "./gemini/gemini";
import { ollama } from "./ollama/ollama";
import { openaiCompatible } from "./openai/completions";
import { openai } from "./openai/responses";
import type { Vendor } from "./vendor";
import { type ChatClientOptions, VendorClient } from "./vendor-client";

export const VENDORS = {
  anthropic,
  openai,
  "openai-compatible": openaiCompatible,
  gemini,
  ollama,
} satisfies Record<Exclude<ModelProviderKind, "demo">, Vendor>;

/** Creates a connection without sending a request. */
export function createModelConnection(
  { kind, ...settings }: ModelConnectionSettings,
  options: Pick<ChatClientOptions, "limits" | "fetch"> = {},
): ModelConnection {
  return kind === "demo" ? new DemoClient() : new VendorClient(VENDORS[kind], { ...settings, ...options });
}
