import type { ServerLog } from "../log/server-log";
import type { ProcessEnd } from "../transport/stdio-transport";

const QUOTED_CHARS = 300;

/** How a server's process ended, with its last lines on stderr. */
export function describeProcessEnd(end: ProcessEnd | null, log: ServerLog): string {
  return `${describeEnd(end)}${describeLastStderr(log)}`;
}

function describeEnd(end: ProcessEnd | null): string {
  if (end === null) return "the process closed its standard output while it still ran";
  if (end.signal !== null) return `the process was ended by ${end.signal}`;
  return `the process ended with exit code ${end.code ?? "unknown"}`;
}

/** A server that did not respond within the connect timeout. */
export function describeSilence(kind: "stdio" | "http", timeoutMs: number, noise: string, log: ServerLog): string {
  const waited = `The server did not answer within ${timeoutMs / 1000} s`;
  if (kind === "http") return `${waited}: check the URL, or set a longer connect timeout`;
  const describeStdoutNoise = noise === "" ? "" : `. On standard output it printed: ${log.quote(noise, QUOTED_CHARS)}`;
  return `${waited}: is the command an MCP server that speaks over stdio? A slow one needs a longer connect timeout${describeStdoutNoise}${describeLastStderr(log)}`;
}

function describeLastStderr(log: ServerLog): string {
  const lines = log.lastStderr();
  if (lines.length === 0) return "";
  return `. Last lines of stderr:\n${lines.join("\n")}`;
}
