import type { ConnectionState } from "../../../../lib/contract/connection-state";
import type { InteractionAnswer } from "../../../../lib/contract/interaction";
import { ToolFailure } from "../../../engine/failures";
import type { ContentChange, ContentList } from "../../../engine/mcp-ports";
import type { CallerRequest, ToolContext } from "../../../engine/ports";
import { createTopic } from "../../../platform/coordination/bulletin";

/** The path at which instances take requests about each other's servers. */
export const SERVERS_PATH = "/api/copies/servers";

/** Asks which instance runs the process of a server; the answer is its id. */
export const WHO_RUNS = createTopic<{ server: string }, string | undefined>("servers.who_runs");

/** The part of a call's context that its tool's server may need. */
export interface SentContext extends Pick<ToolContext, "executionId" | "toolName" | "actor"> {
  asTask?: boolean | undefined;
  source?: ToolContext["source"];
  callerMeta?: ToolContext["callerMeta"];
  /** The replacements of the masked values; null where the call has none. */
  masked?: [string, string][] | null | undefined;
  /** The caller answers requests; a text names the client, whose calls may answer for each other. */
  interact?: true | string;
}

/** A request of an instance to the one that runs a server's process. */
export type ServerRequest = { server: string } & (
  | { op: "follow"; from: string }
  | { op: "call"; id: string; tool: string; args: Record<string, unknown>; context: SentContext }
  | { op: "request"; id: string; method: string; params: Record<string, unknown>; context: SentContext }
  | { op: "answer"; id: string; question: number; answer: InteractionAnswer | null; error?: string }
  | { op: "ask"; method: string; params: Record<string, unknown> }
  | { op: "notify"; method: string; params: Record<string, unknown> }
  | { op: "list"; list: ContentList }
  | { op: "subscribe" | "unsubscribe"; from: string; uri: string }
  | { op: "log_level"; from: string; level: string }
  | { op: "reconnect" }
  | { op: "log" | "messages"; person?: string }
);

/** The events of a server that another instance runs: one JSON text a line. */
export interface FollowedNews {
  state?: ConnectionState;
  capabilities?: Readonly<Record<string, unknown>> | null;
  tools?: readonly unknown[];
  content?: ContentChange;
}

type LoggerLevel = keyof ToolContext["logger"];

/** The events of a call that another instance carries out; the last line has the result or the failure. */
export interface CallNews {
  progress?: Parameters<ToolContext["progress"]>;
  logged?: [level: LoggerLevel, fields: object | string, message?: string];
  relayed?: Parameters<ToolContext["relayLog"]>;
  held?: number;
  released?: number;
  hint?: string;
  task?: string;
  question?: { number: number; request: CallerRequest; name?: string | undefined };
  withdrawn?: number;
  failure?: Pick<ToolFailure, "kind" | "message" | "protocolError">;
  /** The last member, so that its text is the rest of the line. */
  result?: unknown;
}

export function toFailure(error: unknown): NonNullable<CallNews["failure"]> {
  const { name, kind, message, protocolError } = error as Partial<ToolFailure>;
  const text = typeof message === "string" ? message : String(error);
  if (name !== "ToolFailure" || kind === undefined) return { kind: "tool_error", message: text };
  return { kind, message: text, ...(protocolError === undefined ? {} : { protocolError }) };
}

export const fromFailure = ({ kind, message, protocolError }: NonNullable<CallNews["failure"]>): ToolFailure =>
  new ToolFailure(kind, message, protocolError);
