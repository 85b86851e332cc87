import { useQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import { describeApprovalReason } from "@/app/_components/approvals/summary/approval-words";
import { useSetApproval } from "@/app/_components/approvals/summary/use-set-approval";
import { SchemaNotes } from "@/app/_components/tools/summary/schema-notes";
import { HintBadges } from "@/app/_components/tools/summary/tool-badges";
import { ToolMarks } from "@/app/_components/tools/summary/tool-marks";
import { trpc } from "@/app/_trpc/client";
import { Guard } from "@/app/_ui/access";
import { Badge } from "@/app/_ui/badge";
import { Button } from "@/app/_ui/button";
import { cx } from "@/app/_ui/class-names";
import { CopyButton } from "@/app/_ui/copy-button";
import { JsonText } from "@/app/_ui/json-text";
import { Link } from "@/app/_ui/link";
import { ROW_CONTROL } from "@/app/_ui/row-control";
import { Skeleton } from "@/app/_ui/skeleton";
import type { ToolApproval } from "@/lib/contract/approval";
import { findApproverRule } from "@/lib/contract/approver";
import type { ListedServerTool } from "@/lib/contract/server-tool";

/** The characters of a description shown on hover. */
const MAX_TITLE_CHARS = 2_000;

const STATUS_TONE = { malformed: "bad", excluded: "neutral" } as const;
const REASON_CLASS = { usable: "", malformed: "text-bad", excluded: "text-mute" } as const;

interface ServerToolRowProps {
  server: string;
  tool: ListedServerTool;
  /** @param name in the catalog */
  onRun: (name: string) => void;
}

/** One entry of the server's list: a link to run it, or why it cannot be called; what the server sent on demand. */
export function ServerToolRow({ server, tool, onRun }: ServerToolRowProps) {
  const [raw, setRaw] = useState(false);
  const rawId = useId();
  const name = tool.name ?? "(no name)";
  return (
    <li className="group/row border-line px-4 py-2 not-first:border-t hover:bg-rail has-[[data-row]:focus]:bg-accent-bg">
      <div className="relative flex flex-wrap items-baseline gap-x-2.5 gap-y-1 pr-30">
        {tool.catalogName === null ? (
          <span className="min-w-0 font-mono text-mute text-xs leading-5 [overflow-wrap:anywhere]">{name}</span>
        ) : (
          <Link
            href={`/tools/${encodeURIComponent(tool.catalogName)}`}
            data-row=""
            className="min-w-0 rounded-xs font-medium font-mono text-xs leading-5 [overflow-wrap:anywhere] hover:underline"
          >
            {name}
          </Link>
        )}
        {tool.catalogName !== null && (
          <span className="min-w-0 font-mono text-faint text-xs [overflow-wrap:anywhere] max-sm:hidden">
            {tool.catalogName}
          </span>
        )}
        {tool.status !== "usable" && <Badge tone={STATUS_TONE[tool.status]}>{tool.status}</Badge>}
        <ToolMarks tool={{ held: tool.held }} />
        <HintBadges annotations={tool.annotations} />
        <span className="absolute -top-0.5 right-0 flex gap-1">
          <Button
            variant="ghost"
            className={ROW_CONTROL}
            aria-expanded={raw}
            aria-controls={raw ? rawId : undefined}
            onClick={() => setRaw((before) => !before)}
          >
            {raw ? "Hide JSON" : "JSON"}
            <span className="sr-only"> of {name}</span>
          </Button>
          {tool.catalogName !== null && (
            <Button needs="run" className={ROW_CONTROL} onClick={() => onRun(tool.catalogName ?? name)}>
              Run
              <span className="sr-only"> {name}</span>
            </Button>
          )}
        </span>
      </div>
      {tool.reason !== null && (
        <p className={cx("text-xs [overflow-wrap:anywhere]", REASON_CLASS[tool.status])}>{tool.reason}</p>
      )}
      {(tool.title !== null || tool.description !== "") && (
        <p
          className="line-clamp-2 max-w-4xl text-mute max-sm:pr-28 [overflow-wrap:anywhere]"
          title={tool.description.slice(0, MAX_TITLE_CHARS)}
        >
          {tool.title !== null && tool.title !== tool.name && <bdi className="text-text">{tool.title}. </bdi>}
          <bdi>{tool.description}</bdi>
        </p>
      )}
      {tool.catalogName !== null && tool.approval !== null && (
        <ToolApprovalLine name={tool.catalogName} approval={tool.approval} server={server} />
      )}
      <SchemaNotes notes={tool.notes} />
      {raw && (
        <div id={rawId} className="relative mt-2 rounded-lg border border-line bg-bg">
          <ToolJson server={server} tool={tool} />
        </div>
      )}
    </li>
  );
}

/** Read when it is opened: schemas of thousands of tools are megabytes. */
function ToolJson({ server, tool }: { server: string; tool: ListedServerTool }) {
  const { position } = tool;
  const { data, error } = useQuery(trpc.servers.toolJson.queryOptions({ name: server, position, tool: tool.name }));
  const name = tool.name ?? "(no name)";
  if (error !== null) return <p className="p-3 text-bad text-xs">Couldn't load the JSON: {error.message}</p>;
  if (data === undefined) return <Skeleton className="m-3 h-16" />;
  return (
    <>
      <JsonText text={data.text} label={`${name} as the server sent it`} className="max-h-96 p-3" />
      <CopyButton text={data.text} label={`Copy the JSON of ${name}`} className="absolute top-1 right-2 bg-bg" />
    </>
  );
}

/** Why a tool of the server's list requires approval, with one click to change it; nothing where the default lets it run. */
function ToolApprovalLine({ name, approval, server }: { name: string; approval: ToolApproval; server: string }) {
  const save = useSetApproval(name);
  if (!approval.required && approval.mode === null) return null;
  const next = approval.mode === null ? "never" : null;
  return (
    <p className="flex flex-wrap items-center gap-x-2 text-mute text-xs">
      <span className={cx("min-w-0 [overflow-wrap:anywhere]", approval.required && "text-warn")}>
        {describeApprovalReason(approval, server)}
      </span>
      <Guard needs={findApproverRule(approval.mode) === null ? "edit" : "administer"}>
        <button
          type="button"
          disabled={save.saving !== undefined}
          onClick={() => save.set(next)}
          className="rounded-xs underline hover:text-text disabled:opacity-60 aria-disabled:cursor-not-allowed aria-disabled:opacity-60"
        >
          {next === null ? "Use default" : "Never require approval"}
          <span className="sr-only"> for {name}</span>
        </button>
      </Guard>
      {save.error !== null && (
        <span role="alert" className="text-bad">
          {save.error}
        </span>
      )}
    </p>
  );
}
