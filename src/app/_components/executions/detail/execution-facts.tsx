import { type ReactNode, useMemo } from "react";
import { formatImplementation } from "@/app/_components/tools/summary/implementation-label";
import { FactList } from "@/app/_ui/fact-list";
import { Link } from "@/app/_ui/link";
import type { ExecutionDetail } from "@/lib/contract/execution";
import { getKind } from "@/lib/contract/execution-kind";
import { isPlainObject, readMember } from "@/lib/contract/json";
import { getImplementation, HTTP_META_KEY, isApiOperation } from "@/lib/contract/openapi-constants";
import { formatDuration } from "@/lib/format";
import { formatDollars } from "@/lib/format/dollars";
import { OWN_SKILLS } from "@/lib/skill-files";

/** Facts of a call that are not in the header or the result. */
export function ExecutionFacts({ execution }: { execution: ExecutionDetail }) {
  const { runId, toolset, source, callId, serverName } = execution;
  const kind = getKind(execution);
  const implementation =
    execution.definition === null ? execution.implementationType : getImplementation(execution.definition);
  const isOperation = execution.definition !== null && isApiOperation(execution.definition);
  // A tool of any kind may return such a member, so only operations are read.
  const http = useMemo(() => (isOperation ? readHttpFacts(execution) : null), [isOperation, execution]);
  const isOwn = execution.credential === "personal";
  const facts: [string, ReactNode][] = [
    ["Called as", execution.calledAs ?? null],
    ["Implementation", implementation === null || kind !== "tool" ? null : formatImplementation(implementation)],
    [implementation === "internal" ? "Rights" : "Credential", isOwn ? "the caller's own" : null],
    ["Cost", execution.cost === undefined ? null : formatDollars(execution.cost)],
    ["Timeout", execution.timeoutMs && formatDuration(execution.timeoutMs)],
    ["Definition", execution.definition === null ? null : <SnapshotLink key="definition" execution={execution} />],
    ["Run", runId === null ? null : <FactLink key="run" path="runs" id={runId} />],
    ["Toolset", toolset === null ? null : <FactLink key="toolset" path="toolsets" id={toolset} />],
    ["Reason", execution.reason === null ? null : <bdi key="reason">{execution.reason}</bdi>],
    ["App of", source !== "app" || callId === null ? null : <FactLink key="app" path="executions" id={callId} />],
    ["Call ID", source === "app" ? null : callId],
    ["Server", serverName === null ? null : <ServerLink key="server" name={serverName} />],
    ["Task", execution.taskId],
    ["HTTP status", http?.status ?? null],
    [
      "HTTP headers",
      http === null || http.headers.length === 0 ? null : <HeaderLines key="http" lines={http.headers} />,
    ],
    ["Validation", execution.validationSkipped ? "Skipped by user" : null],
    ["Response", isCallerGone(execution) ? "Client disconnected before the response" : null],
  ];
  return (
    <section aria-label="Details" className="flex flex-col gap-1.5">
      <h2 className="font-medium">Details</h2>
      <FactList facts={facts} className="gap-y-2! text-xs" />
    </section>
  );
}

/** The definition that this call ran, which its page keeps. */
function SnapshotLink({
  execution: { id, version, definitionHash, definitionChanged },
}: {
  execution: ExecutionDetail;
}) {
  return (
    <>
      <Link href={`/executions/${id}?tab=definition`} title={definitionHash ?? undefined} className="underline">
        {version === null ? "Snapshot" : `Version ${version.number}`}
      </Link>
      {definitionChanged && <span className="text-warn"> · changed since</span>}
    </>
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

/** The team's skills are read like those of a server, and have a page of their own. */
function ServerLink({ name }: { name: string }) {
  if (name !== OWN_SKILLS) return <FactLink path="servers" id={name} />;
  return (
    <Link href="/skills" className="underline">
      {name}
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
  const page = `/servers/${encodeURIComponent(server)}?tab=offers&of=${kind}s`;
  return (
    <span>
      {kind} of{" "}
      <Link href={server === OWN_SKILLS ? "/skills" : page} className="font-mono underline">
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
  const meta = readMember(readMember(result, "_meta"), HTTP_META_KEY);
  const status = readMember(meta, "status");
  if (typeof status !== "number") return null;
  const headers = readMember(meta, "headers");
  const lines = isPlainObject(headers)
    ? Object.entries(headers).map(([name, value]) => `${name}: ${String(value)}`)
    : [];
  return { status: `${status} ${String(readMember(meta, "statusText") ?? "")}`.trim(), headers: lines };
}
