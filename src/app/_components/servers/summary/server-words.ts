import type { ChangedToolsPolicy } from "@/lib/contract/held-change";
import type { SamplingMode } from "@/lib/contract/sampling";
import { SAMPLING_BUDGET, SAMPLING_LIMITS } from "@/lib/contract/sampling-limits";
import type { ConnectionStatus } from "@/lib/contract/server";
import { formatCount } from "@/lib/format";

export const STATUS_WORDS: Record<ConnectionStatus, string> = {
  connected: "connected",
  connecting: "connecting",
  disconnected: "disconnected",
  failed: "failed",
  sign_in_needed: "sign-in required",
  disabled: "disabled",
  idle: "idle",
};
export const CONNECTION_STATUSES = Object.keys(STATUS_WORDS) as ConnectionStatus[];

export const PERSONAL_HINT = "Each user connects with a credential of their own";

/** Returns the path of a server's page. */
export const toServerPath = (name: string): string => `/servers/${encodeURIComponent(name)}`;

/** Returns the name of a server's tool in the catalog: the first `__` splits. */
export const toPrefixedName = (server: string, tool: string): string => `${server}__${tool}`;

export const CHANGED_TOOLS_LABELS: Record<ChangedToolsPolicy, string> = {
  off: "Use at once",
  auto: "Review what is questioned",
  review: "Review every change",
};

export const CHANGED_TOOLS_HINTS: Record<ChangedToolsPolicy, string> = {
  off: "A tool or skill that the server changes is used as it is now.",
  auto: "A change that its schemas or recorded calls question waits for approval, and its calls are refused. Other changes of tools are used at once. Every changed or new skill waits.",
  review:
    "Every changed or new tool waits for approval and its calls are refused. Clients keep the approved version of a changed skill. The first list of a server is used as it is.",
};

export const SAMPLING_LABELS: Record<SamplingMode, string> = {
  ask: "Ask",
  model: "Use a model",
  decline: "Decline",
};

const { maxTokens } = SAMPLING_LIMITS;
const { requestsPerCall, requestsPerHour, tokensPerHour } = SAMPLING_BUDGET;

/** The effect of each setting when the server requests a model response. */
export const SAMPLING_HINTS: Record<SamplingMode, string> = {
  ask: "When this server requests a model response, the calling client answers if it can, else you answer in the console.",
  model: `This model answers whatever the server sends it, without asking you: by default at most ${requestsPerCall} requests per call, ${formatCount(requestsPerHour)} requests and ${formatCount(tokensPerHour)} tokens per hour, and ${formatCount(maxTokens)} tokens per response.`,
  decline:
    "Toolroom does not declare sampling to the server, and refuses sampling requests that the server sends anyway.",
};
