import { type CassetteCall, type CassetteTool, formatCall, formatTool } from "../../../lib/cassette/cassette-file";
import { compactJson } from "../../../lib/cassette/read-members";
import type { CallEvents } from "../../../lib/contract/call-event";

import type { LeftOutReason } from "../../../lib/contract/cassette-words";
import type { ToolCallResult } from "../../../lib/contract/content";
import type { ExecutionEnvelope } from "../../../lib/contract/envelope";
import { getKind } from "../../../lib/contract/execution-kind";
import { isPlainObject } from "../../../lib/contract/json";
import { getServerName, type ToolDefinition } from "../../../lib/contract/tool-definition";
import { writeKeptParts } from "../../../lib/json/known-text";
import { TimeSlice } from "../../../lib/time-slice";
import type { StoredExecution } from "../../calls/executions/execution-store";
import { isToolCallResult } from "../../engine/executor/tool-call-result";
import { listTool } from "../../engine/registry/list-tool";
import { requiredParameters } from "../../engine/validation/argument-faults";
import type { CassetteLines } from "./cassette-store";

export interface FrozenCalls extends CassetteLines {
  leftOut: ReadonlyMap<LeftOutReason, number>;
}

interface FreezeInput {
  /** The executions in the order of recording. */
  executions: readonly StoredExecution[];
  events: ReadonlyMap<string, CallEvents>;
  /** Tools that are listed too, without a call. */
  others: readonly ToolDefinition[];
  toAnswer: ToAnswer;
}

/** The part of a result that an MCP client received. */
export interface ToAnswer {
  /** The result of an execution that has no result of an MCP server. */
  ofEnvelope(envelope: ExecutionEnvelope, definition: ToolDefinition | undefined, calledAs: string): ToolCallResult;
  /** JSON text of a server's result. */
  ofResult(text: string): string;
}

/** The calls and the tools that made them, as lines of a cassette. */
export async function freezeCalls({ executions, events, others, toAnswer }: FreezeInput): Promise<FrozenCalls> {
  const slice = new TimeSlice();
  const tools = new Map<string, CassetteTool>();
  const calls: CassetteCall[] = [];
  const leftOut = new Map<LeftOutReason, number>();
  for (const execution of executions) {
    await slice.pause();
    const reason = findReason(execution);
    if (reason !== null) {
      leftOut.set(reason, (leftOut.get(reason) ?? 0) + 1);
      continue;
    }
    const call = toCall(execution, events.get(execution.id), toAnswer);
    calls.push(call);
    // The newest definition of a tool is the one that is listed.
    if (call.kind === "tool") tools.set(call.name, toTool(execution.definition as ToolDefinition, call.name));
  }
  for (const definition of others) {
    const isCalled = [...tools.values()].some(
      ({ entry, catalogName }) => (catalogName ?? entry.name) === definition.name,
    );
    if (!isCalled) tools.set(definition.name, toTool(definition, definition.name));
  }
  const listed = [...tools.values()].sort((left, right) => (left.entry.name < right.entry.name ? -1 : 1));
  const servers = new Set([...listed, ...calls].flatMap(({ server }) => server ?? []));
  return {
    lines: [...listed.map(formatTool), ...calls.map(formatCall)],
    servers: [...servers].sort(),
    toolCount: listed.length,
    callCount: calls.length,
    leftOut,
  };
}

const ENDED = new Set(["succeeded", "failed", "timed_out"]);

function findReason(execution: StoredExecution): LeftOutReason | null {
  const { restricted, status, credential, resultTruncated, definition, argumentsText } = execution;
  if (credential === "personal" || restricted) return "private";
  if (!ENDED.has(status)) return "unfinished";
  if (resultTruncated) return "cut";
  if (!isPlainObject(parseOrNull(argumentsText))) return "no_object";
  return definition === null ? "unknown_tool" : null;
}

function parseOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function toTool(definition: ToolDefinition, name: string): CassetteTool {
  const entry = listTool(definition, name) as CassetteTool["entry"];
  const execution = definition.listed?.execution;
  return {
    entry: isPlainObject(execution) ? { ...entry, execution } : entry,
    server: getServerName(definition),
    catalogName: definition.name === name ? null : definition.name,
    sensitive: definition.sensitive?.arguments ?? [],
  };
}

function toCall(execution: StoredExecution, recorded: CallEvents | undefined, toAnswer: ToAnswer): CassetteCall {
  const kind = getKind(execution);
  const server = execution.serverName;
  const argumentsText = compactJson(execution.argumentsText);
  const args = JSON.parse(argumentsText) as Record<string, unknown>;
  const error = recorded?.protocolError ?? (kind === "tool" ? null : toContentError(execution));
  const outcome = {
    failed: error !== null,
    outcomeText: error === null ? toResultText(execution, kind, toAnswer) : (writeKeptParts(error) ?? "null"),
    task: execution.taskId !== null,
    events: recorded?.events ?? [],
  };
  if (kind === "tool")
    return { kind, name: execution.calledAs ?? execution.toolName, server, args, argumentsText, ...outcome };
  if (kind === "resource") return { kind, name: String(args.uri), server, args: {}, argumentsText: "{}", ...outcome };
  const own = isPlainObject(args.arguments) ? args.arguments : {};
  const name = `${server}__${String(args.name)}`;
  return { kind, name, server, args: own, argumentsText: JSON.stringify(own), ...outcome };
}

const INTERNAL_ERROR = -32_603;

/** A read that failed before its server answered has an error all the same. */
function toContentError({ error }: StoredExecution): { code: number; message: string } | null {
  return error === null ? null : { code: INTERNAL_ERROR, message: error };
}

/** The result as its caller received it. A result of an MCP server keeps its text. */
function toResultText(execution: StoredExecution, kind: CassetteCall["kind"], toAnswer: ToAnswer): string {
  const { resultText, error, definition, toolName, id, status, calledAs } = execution;
  const result: unknown = resultText === null ? undefined : JSON.parse(resultText);
  const isAnswer = kind !== "tool" || (definition?.implementation.type === "mcp" && isToolCallResult(result));
  if (isAnswer && resultText !== null && (error === null || (result as { isError?: unknown }).isError === true)) {
    return compactJson(toAnswer.ofResult(resultText));
  }
  const common = { tool_name: toolName, execution_id: id, execution_time_ms: 0, status };
  const required = execution.errorKind === "invalid_arguments" ? requiredParameters(definition?.parameters ?? {}) : [];
  const envelope =
    error === null
      ? { success: true, result, ...common }
      : {
          success: false,
          error_kind: execution.errorKind,
          error,
          ...common,
          ...(required.length === 0 ? {} : { required_parameters: required }),
          ...(result === undefined ? {} : { result }),
        };
  const answer = toAnswer.ofEnvelope(envelope as ExecutionEnvelope, definition ?? undefined, calledAs ?? toolName);
  return JSON.stringify(answer);
}
