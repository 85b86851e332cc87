import { type ReactNode, useMemo } from "react";
import { KIND_LABELS, SOURCE_LABELS } from "@/app/_components/executions/summary/execution-labels";
import { formatStoredSize } from "@/app/_components/executions/summary/stored-size";
import { useWaitsForInput } from "@/app/_components/interactions/summary/use-waits-for-input";
import { formatImplementation } from "@/app/_components/tools/summary/implementation-label";
import { VersionLink } from "@/app/_components/tools/summary/version-link";
import { FactList } from "@/app/_ui/fact-list";
import { Link } from "@/app/_ui/link";
import { RelativeTime } from "@/app/_ui/relative-time";
import { describeStatus } from "@/app/_ui/status-badge";
import type { ExecutionDetail } from "@/lib/contract/execution";
import { getKind } from "@/lib/contract/execution-kind";
import { isPlainObject } from "@/lib/contract/json";
import { getImplementation, HTTP_META_KEY } from "@/lib/contract/openapi-constants";
import { formatDuration } from "@/lib/format";

/** Shows who made the call, from where, of what, and when. */
export function ExecutionFacts({ execution }: { execution: ExecutionDetail }) {
  const { parentId, runId, toolset, source, callId, serverName } = execution;
  const kind = getKind(execution);
  const waitsForInput = useWaitsForInput({ executionId: execution.id }, execution.status === "running");
  const implementation =
    execution.definition === null ? execution.implementationType : getImplementation(execution.definition);
  // Any tool may answer with such a member.
  const http = useMemo(
    () => (implementation === "openapi" ? readHttpFacts(execution) : null),
    [implementation, execution],
  );
  const facts: [string, ReactNode][] = [
    ["Status", describeStatus(waitsForInput ? "input" : execution.status, execution.errorKind)],
    ["Kind", kind === "tool" ? null : KIND_LABELS[kind]],
    ["Tool", kind === "tool" ? <ToolLink key="tool" name={execution.toolName} /> : null],
    ["Called as", execution.calledAs ?? null],
    ["Implementation", implementation === null || kind !== "tool" ? null : formatImplementation(implementation)],
    ["Source", SOURCE_LABELS[source]],
    ["Program", execution.client],
    ["Caller", execution.actor.name],
    ["Credential", execution.credential === "personal" ? "the caller's own" : null],
    ["Received", <RelativeTime key="received" at={execution.queuedAt} clock />],
    ["Finished", execution.finishedAt && <RelativeTime key="finished" at={execution.finishedAt} clock />],
    ["Timeout", execution.timeoutMs && formatDuration(execution.timeoutMs)],
    ["Definition", kind === "tool" ? execution.definitionHash : null],
    ["Version", execution.version === null ? null : <VersionLink key="version" version={execution.version} />],
    ["Replay of", parentId === null ? null : <FactLink key="parent" path="executions" id={parentId} />],
    ["Run", runId === null ? null : <FactLink key="run" path="runs" id={runId} />],
    ["Toolset", toolset === null ? null : <FactLink key="toolset" path="toolsets" id={toolset} />],
    ["Reason", execution.reason === null ? null : <bdi key="reason">{execution.reason}</bdi>],
    ["App of", source !== "app" || callId === null ? null : <FactLink key="app" path="executions" id={callId} />],
    ["Call ID", source === "app" ? null : callId],
    ["Server", serverName === null ? null : <FactLink key="server" path="servers" id={serverName} />],
    ["Task", execution.taskId],
    ["HTTP status", http?.status ?? null],
    [
      "HTTP headers",
      http === null || http.headers.length === 0 ? null : <HeaderLines key="http" lines={http.headers} />,
    ],
    ["Validation", execution.validationSkipped ? "Skipped by user" : null],
    ["Response", isCallerGone(execution) ? "Client disconnected before the response" : null],
    ["Result", execution.resultBytes === null ? null : formatStoredSize(execution)],
  ];
  return (
    <section aria-label="Details" className="flex flex-col gap-1.5">
      <h2 className="font-medium">Details</h2>
      <FactList facts={facts} className="gap-y-2! text-xs" />
    </section>
  );
}

const isCallerGone = ({ logs }: ExecutionDetail): boolean => logs.some(({ event }) => event === "caller_gone");

function HeaderLines({ lines }: { lines: readonly string[] }) {
  return lines.map((line) => (
    <span key={line} className="block">
      {line}
    </span>
  ));
}

function FactLink({ path, id }: { path: "executions" | "runs" | "toolsets" | "servers"; id: string }) {
  return (
    <Link href={`/${path}/${encodeURIComponent(id)}`} className="underline">
      {id}
    </Link>
  );
}

/** Names the executed tool with a link to it, or to the server's page that lists resources or prompts. */
export function ExecutionTarget({ execution }: { execution: ExecutionDetail }) {
  const kind = getKind(execution);
  if (kind === "tool") {
    return (
      <span>
        tool <ToolLink name={execution.toolName} />
      </span>
    );
  }
  const server = execution.serverName ?? "";
  return (
    <span>
      {kind} of{" "}
      <Link href={`/servers/${encodeURIComponent(server)}?tab=${kind}s`} className="font-mono underline">
        {server}
      </Link>
    </span>
  );
}

export function ToolLink({ name }: { name: string }) {
  return (
    <Link href={`/tools/${encodeURIComponent(name)}`} className="font-mono underline">
      {name}
    </Link>
  );
}

/** Status line and headers of the response that an OpenAPI tool got; null for other results. */
function readHttpFacts({ resultText, resultTruncated }: Pick<ExecutionDetail, "resultText" | "resultTruncated">) {
  if (resultText === null || resultTruncated || !resultText.includes(`"${HTTP_META_KEY}"`)) return null;
  let result: unknown;
  try {
    result = JSON.parse(resultText);
  } catch {
    return null;
  }
  const meta = own(own(result, "_meta"), HTTP_META_KEY);
  const status = own(meta, "status");
  if (typeof status !== "number") return null;
  const headers = own(meta, "headers");
  const lines = isPlainObject(headers)
    ? Object.entries(headers).map(([name, value]) => `${name}: ${String(value)}`)
    : [];
  return { status: `${status} ${String(own(meta, "statusText") ?? "")}`.trim(), headers: lines };
}

function own(value: unknown, key: string): unknown {
  return isPlainObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}
