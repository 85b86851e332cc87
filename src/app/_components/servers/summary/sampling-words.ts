import type { SamplingMode, SamplingSetting } from "@/lib/contract/sampling";
import { SAMPLING_LIMITS } from "@/lib/contract/sampling-limits";
import { formatCount } from "@/lib/format";

export const SAMPLING_LABELS: Record<SamplingMode, string> = {
  ask: "Ask",
  model: "Use a model",
  decline: "Decline",
};

const { requestsPerCall, maxTokens } = SAMPLING_LIMITS;

/** What happens when the server requests a model response. */
export const SAMPLING_HINTS: Record<SamplingMode, string> = {
  ask: "When this server requests a model response, the calling client answers if it can, else you answer in the console.",
  model: `This model answers whatever the server sends it, without asking you: at most ${requestsPerCall} requests per call and ${formatCount(maxTokens)} tokens per response.`,
  decline: "The server is told that sampling is unavailable. Requests that it sends anyway are refused.",
};

export function describeSampling(setting: SamplingSetting | undefined): string {
  if (setting?.mode === "model") return `${setting.provider} / ${setting.model}`;
  return SAMPLING_LABELS[setting?.mode ?? "ask"];
}
