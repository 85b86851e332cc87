import type { ExecutionDetail } from "@/lib/contract/execution";
import { getKind } from "@/lib/contract/execution-kind";
import { isJsonText as isJson } from "@/lib/json/is-json-text";
import { quoteForPowerShell, toAsciiJson, toPowerShellLine } from "@/lib/quote-for-powershell";
import { quoteForShell } from "@/lib/quote-for-shell";
import type { Shell } from "@/lib/shell-line";

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

interface Call {
  tool: string;
  /** The JSON text of an object. */
  args: string;
  /** The origin of this server, such as `http://127.0.0.1:3000`. */
  origin: string;
}

type Format = (call: Call) => string;

/** The ways in which a program makes a call. */
const PROGRAMS: readonly { label: string; format: Readonly<Record<Shell, Format>> | Format }[] = [
  { label: "command line", format: { posix: toCommandLine, powershell: toPowerShellCommandLine } },
  { label: "curl", format: { posix: toCurl, powershell: toPowerShellCurl } },
  { label: "TypeScript", format: toTypeScript },
  { label: "Python", format: toPython },
];

/** The call as programs make it; none where its arguments are no JSON object, which no program could send. */
export function listPrograms({ toolName, argumentsText }: Copied, shell: Shell) {
  if (!isJson(argumentsText) || !argumentsText.trimStart().startsWith("{")) return [];
  return PROGRAMS.map(({ label, format }) => {
    const isForShell = typeof format !== "function";
    const write = isForShell ? format[shell] : format;
    return {
      label: isForShell && shell === "powershell" ? `${label} (PowerShell)` : label,
      format: (origin: string) => write({ tool: toolName, args: argumentsText, origin }),
    };
  });
}

function toCommandLine({ tool, args }: Call): string {
  return `toolroom call ${/^[\w.]+$/.test(tool) ? tool : quoteForShell(tool)} ${quoteForShell(args)}`;
}

/** Passes the arguments through the program's input: Windows PowerShell removes the quotes from words. */
function toPowerShellCommandLine({ tool, args }: Call): string {
  return toPowerShellLine("toolroom", ["call", tool, "-"], quoteForPowerShell(toAsciiJson(args)));
}

/** The variable holds an API token. Where accounts are off, none is needed. */
const TOKEN = "TOOLROOM_API_TOKEN";

const toAddress = ({ tool, origin }: Call): string => `${origin}/api/v1/tools/${encodeURIComponent(tool)}/execute`;

function toCurl(call: Call): string {
  return [
    `curl -sS -X POST ${quoteForShell(toAddress(call))}`,
    `  -H "Authorization: Bearer $${TOKEN}"`,
    `  -H ${quoteForShell("content-type: application/json")}`,
    `  --data-raw ${quoteForShell(`{"arguments":${call.args}}`)}`,
  ].join(" \\\n");
}

/** `curl` alone is another command in Windows PowerShell. */
function toPowerShellCurl(call: Call): string {
  const words = [
    `curl.exe -sS -X POST ${quoteForPowerShell(toAddress(call))}`,
    `-H "Authorization: Bearer $env:${TOKEN}"`,
    `-H ${quoteForPowerShell("content-type: application/json")}`,
    "--data-binary '@-'",
  ];
  return `${quoteForPowerShell(toAsciiJson(`{"arguments":${call.args}}`))} |\n  ${words.join(" `\n  ")}`;
}

function toTypeScript({ tool, args, origin }: Call): string {
  // In an object literal, the key `__proto__` would set the prototype, also when it is written with escapes.
  const value = /__proto__|\\u/.test(args) ? `JSON.parse(${JSON.stringify(args)})` : args;
  return `import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

const client = new Client({ name: "my-program", version: "1.0.0" });
const headers = { Authorization: \`Bearer \${process.env.${TOKEN}}\` };
const address = new URL(${JSON.stringify(`${origin}/mcp`)});
await client.connect(new StreamableHTTPClientTransport(address, { requestInit: { headers } }));
const result = await client.callTool({ name: ${JSON.stringify(tool)}, arguments: ${value} });
console.log(result);
await client.close();
`;
}

/** For version 2 of the package `mcp`. A JSON string is a Python string too. */
function toPython({ tool, args, origin }: Call): string {
  return `import asyncio
import json
import os

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client


async def main():
    token = os.environ.get("${TOKEN}")
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    async with httpx2.AsyncClient(headers=headers, timeout=300) as http:
        async with Client(streamable_http_client(${JSON.stringify(`${origin}/mcp`)}, http_client=http)) as client:
            result = await client.call_tool(${JSON.stringify(tool)}, json.loads(${JSON.stringify(args)}))
            print(result)


asyncio.run(main())
`;
}

/** The message with which a client of the Model Context Protocol makes this call here, where the catalog is served. */
export const toMcpCall = (execution: Copied): string => toolsCall(execution.toolName, execution);

/** The call for the tool's own server, under the name that the server knows; null where the tool is not on a server. */
export function toServerCall(execution: Copied & Pick<ExecutionDetail, "definition">): string | null {
  const implementation = execution.definition?.implementation;
  if (implementation?.type !== "mcp") return null;
  if (getKind(execution) === "tool") return toolsCall(implementation.tool, execution);
  // A read is recorded with the parameters of its request.
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

/** Embeds text that is not JSON (broken arguments, a result cut by its limit) as a string under a name that says so. */
function embedded(key: string, text: string): [string, string] {
  return isJson(text) ? [key, text] : [`${key}_text`, JSON.stringify(text)];
}
