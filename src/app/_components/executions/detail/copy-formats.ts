import type { ExecutionDetail } from "@/lib/contract/execution";
import { getKind } from "@/lib/contract/execution-kind";

type Copied = Pick<
  ExecutionDetail,
  | "id"
  | "toolName"
  | "implementationType"
  | "status"
  | "source"
  | "actor"
  | "queuedAt"
  | "executionTimeMs"
  | "argumentsText"
  | "resultText"
  | "resultTruncated"
  | "error"
  | "errorKind"
  | "validationSkipped"
  | "definitionHash"
>;

/** The call as one JSON object; arguments and result keep their own text, large numbers with all their digits. */
export function asJson(execution: Copied): string {
  const fields: [string, string | null][] = [
    ["id", JSON.stringify(execution.id)],
    ["tool", JSON.stringify(execution.toolName)],
    ["status", JSON.stringify(execution.status)],
    ["source", JSON.stringify(execution.source)],
    ["actor", JSON.stringify(execution.actor.name)],
    ["queued_at", JSON.stringify(new Date(execution.queuedAt).toISOString())],
    ["execution_time_ms", JSON.stringify(execution.executionTimeMs)],
    ["definition_hash", JSON.stringify(execution.definitionHash)],
    embedded("arguments", execution.argumentsText),
    execution.resultText === null ? ["result", null] : embedded("result", execution.resultText),
    ["result_truncated", execution.resultTruncated ? "true" : null],
    ["error", execution.error === null ? null : JSON.stringify(execution.error)],
    ["error_kind", execution.errorKind === null ? null : JSON.stringify(execution.errorKind)],
  ];
  const lines = fields.flatMap(([key, text]) => (text === null ? [] : [`  ${JSON.stringify(key)}: ${text}`]));
  return `{\n${lines.join(",\n")}\n}`;
}

/** A command that makes this call again on this server, through the same checks as the console. */
export function toCurl(execution: Copied, origin: string): string {
  const body = {
    json: {
      tool: execution.toolName,
      argumentsText: execution.argumentsText,
      ...(execution.validationSkipped ? { skipValidation: true } : {}),
    },
  };
  return [
    `curl -sS -X POST ${shellQuoted(`${origin}/api/trpc/executions.run`)}`,
    `  -H ${shellQuoted("content-type: application/json")}`,
    `  --data-raw ${shellQuoted(JSON.stringify(body))}`,
  ].join(" \\\n");
}

/** The message with which a client of the Model Context Protocol makes this call here, where the catalog is served. */
export function toMcpCall(execution: Copied): string {
  return toolsCall(execution.toolName, execution);
}

/** The same for the tool's own server, which knows it by its own name; null where the tool is not on one. */
export function toServerCall(execution: Copied & Pick<ExecutionDetail, "definition">): string | null {
  const implementation = execution.definition?.implementation;
  if (implementation?.type !== "mcp") return null;
  if (getKind(execution) === "tool") return toolsCall(implementation.tool, execution);
  // A read is recorded with the params of its request.
  return request(implementation.tool, isJson(execution.argumentsText) ? execution.argumentsText : "{}");
}

function toolsCall(tool: string, execution: Copied): string {
  const name = JSON.stringify(tool);
  const args = isJson(execution.argumentsText) ? execution.argumentsText : "{}";
  return request("tools/call", `{"name":${name},"arguments":${args}}`);
}

function request(method: string, params: string): string {
  return `{"jsonrpc":"2.0","id":1,"method":${JSON.stringify(method)},"params":${params}}`;
}

/** Text that is not JSON (broken arguments, a result cut by its limit) goes in as a string under a name that says so. */
function embedded(key: string, text: string): [string, string] {
  return isJson(text) ? [key, text] : [`${key}_text`, JSON.stringify(text)];
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** One word for a POSIX shell, whatever is in it. */
function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
