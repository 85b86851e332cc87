"use client";

import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { Pin } from "lucide-react";
import { parseAsStringLiteral, useQueryState } from "nuqs";
import { useState } from "react";
import { ApprovalBadge } from "@/app/_components/approvals/summary/approval-badge";
import { ApprovalOutcomeView } from "@/app/_components/approvals/summary/approval-outcome";
import { CallActions } from "@/app/_components/executions/actions/call-actions";
import { toServerCall } from "@/app/_components/executions/actions/copy-formats";
import { RESULT_TABS, ResultPanel } from "@/app/_components/executions/result/result-panel";
import { ArgumentsBlock } from "@/app/_components/executions/summary/arguments-block";
import { toComparePath } from "@/app/_components/executions/summary/comparison";
import { ExecutionBadge } from "@/app/_components/executions/summary/execution-badge";
import { formatExecutionOrigin } from "@/app/_components/executions/summary/execution-origin";
import { useExecution } from "@/app/_components/executions/summary/use-execution";
import { usePin } from "@/app/_components/executions/summary/use-pin";
import { ToolNotices } from "@/app/_components/tools/summary/tool-marks";
import { VersionLink } from "@/app/_components/tools/summary/version-link";
import { PaneHandle } from "@/app/_kit/pane-handle";
import { useLiveEvents } from "@/app/_live/live-provider";
import { trpc } from "@/app/_trpc/client";
import { Alert } from "@/app/_ui/alert";
import { IconButton } from "@/app/_ui/button";
import { CopyButton } from "@/app/_ui/copy-button";
import { EmptyState } from "@/app/_ui/empty-state";
import { JsonText } from "@/app/_ui/json-text";
import { Link } from "@/app/_ui/link";
import { onDemand } from "@/app/_ui/on-demand";
import { PageHeader } from "@/app/_ui/page-header";
import { RelativeTime } from "@/app/_ui/relative-time";
import { TabList, TabPanel } from "@/app/_ui/tab-list";
import type { ApprovalFacts } from "@/lib/contract/approval";
import { classifyCall } from "@/lib/contract/call-class";
import type { ExecutionDetail } from "@/lib/contract/execution";
import { formatTitle, getKind } from "@/lib/contract/execution-kind";
import { formatJson } from "@/lib/json/format-json";
import { EditAndReplay } from "./edit-and-replay";
import { ExecutionFacts, ExecutionTarget } from "./execution-facts";
import { ReplayFamily } from "./replay-family";

/** Loaded only for calls of MCP servers. */
const SamplingSection = onDemand(() => import("./sampling-section"), "SamplingSection");

/** Loaded only for calls that a rule matched. */
const RuleMatches = onDemand(() => import("@/app/_components/rules/summary/rule-matches"), "RuleMatches", {
  onServer: true,
});

/** Loaded only for failed calls. */
const CaughtSection = onDemand(() => import("@/app/_components/rules/summary/caught-section"), "CaughtSection");

const CallMessages = onDemand(() => import("./call-messages"), "CallMessages");

const TABS = ["call", "edit", "messages", "definition", "replays"] as const;

/** The whole page of one call. */
export function ExecutionView({ id }: { id: string }) {
  const first = useSuspenseQuery(trpc.executions.get.queryOptions({ id }));
  // Polls the same data while the call runs.
  const execution = useExecution(id).data ?? first.data;
  // A replay that begins elsewhere joins the list of this call's replays.
  useLiveEvents((event) => {
    if (event.type === "execution" && event.execution.parentId === id) void first.refetch();
  });
  const isTool = getKind(execution) === "tool" && execution.restricted === undefined;
  const [asked, setTab] = useQueryState("tab", parseAsStringLiteral(TABS).withDefault("call"));
  // A read has no editor and no definition.
  const hasMessages = execution.restricted === undefined && toServerCall(execution) !== null;
  const available = { call: true, edit: isTool, messages: hasMessages, definition: isTool, replays: true };
  const tab = available[asked] ? asked : "call";
  const relatives = execution.children.length + (execution.parentId === null ? 0 : 1);
  return (
    <div className="flex min-h-full flex-col xl:h-full xl:min-h-0">
      <ExecutionHeader execution={execution} />
      <TabList
        label="Execution views"
        className="shrink-0 bg-panel"
        tabs={[
          { value: "call", label: "Call" },
          ...(isTool ? [{ value: "edit" as const, label: "Edit and replay" }] : []),
          ...(hasMessages ? [{ value: "messages" as const, label: "Messages" }] : []),
          // The details of the call link to it.
          ...(tab === "definition" ? [{ value: "definition" as const, label: "Definition snapshot" }] : []),
          { value: "replays", label: "Replays", ...(relatives > 0 ? { count: relatives } : {}) },
        ]}
        value={tab}
        onChange={setTab}
      >
        <TabPanel value="call" active={tab} className="min-h-0 flex-1">
          <CallPanel execution={execution} />
        </TabPanel>
        <TabPanel value="edit" active={tab} className="min-h-0 flex-1">
          <EditAndReplay key={execution.id} original={execution} />
        </TabPanel>
        <TabPanel value="messages" active={tab} className="min-h-0 flex-1 overflow-auto">
          <CallMessages execution={execution} />
        </TabPanel>
        <TabPanel value="definition" active={tab} className="min-h-0 flex-1 overflow-auto p-4">
          <DefinitionThen execution={execution} />
        </TabPanel>
        <TabPanel value="replays" active={tab} className="min-h-0 flex-1 overflow-auto p-4">
          <ReplayFamily execution={execution} />
        </TabPanel>
      </TabList>
    </div>
  );
}

function ExecutionHeader({ execution }: { execution: ExecutionDetail }) {
  const pin = usePin();
  const { id, pinned } = execution;
  return (
    <PageHeader
      title={formatTitle(execution)}
      mono
      badges={
        <span role="status">
          <ExecutionBadge execution={execution} />
        </span>
      }
    >
      <div className="flex flex-wrap items-center gap-x-2 px-4 pb-1 text-mute text-xs [overflow-wrap:anywhere]">
        <span className="font-mono">{id}</span>
        <span className="flex">
          <CopyButton text={id} label="Copy id" />
          <IconButton
            needs="run"
            label={pinned ? "Unpin" : "Pin"}
            aria-pressed={pinned}
            onClick={() => pin(id, !pinned)}
          >
            <Pin size={15} className={pinned ? "fill-current" : undefined} />
          </IconButton>
        </span>
        <ExecutionTarget execution={execution} />
        <Dot />
        <span>{formatExecutionOrigin(execution)}</span>
        <Dot />
        <span>{execution.actor.name}</span>
        <Dot />
        <RelativeTime at={execution.queuedAt} />
      </div>
    </PageHeader>
  );
}

/** Separates facts of one line; hidden on a phone, where they wrap and a dot would end a line. */
function Dot() {
  return (
    <span aria-hidden className="max-sm:hidden">
      ·
    </span>
  );
}

function CallPanel({ execution }: { execution: ExecutionDetail }) {
  const [view, setView] = useQueryState("view", parseAsStringLiteral(RESULT_TABS));
  // A request that was open here is answered, and says its outcome, in the result's panel.
  const [wasOpen] = useState(execution.status === "waiting");
  const parentId = execution.parent?.id;
  const original = useQuery({
    ...trpc.executions.get.queryOptions({ id: parentId ?? "" }),
    enabled: parentId !== undefined,
  });
  return (
    <div className="grid min-h-full xl:h-full xl:min-h-0 xl:grid-cols-[clamp(320px,var(--pane-execution,42%),calc(100%-380px))_0_minmax(0,1fr)]">
      <div className="flex min-w-0 flex-col gap-5 overflow-auto border-line p-4 xl:border-r">
        {!wasOpen && execution.approval !== null && execution.approval.status !== "open" && (
          <ApprovalSection approval={execution.approval} argumentsText={execution.argumentsText} />
        )}
        {execution.ruleMatches.length > 0 && <RuleMatches matches={execution.ruleMatches} />}
        {isCatchable(execution) && <CaughtSection executionId={execution.id} />}
        {getKind(execution) === "tool" && <NoticesNow name={execution.toolName} />}
        {execution.restricted === undefined && <ArgumentsBlock execution={execution} />}
        {execution.serverName !== null && <SamplingSection execution={execution} />}
        <ExecutionFacts execution={execution} />
      </div>
      <PaneHandle pane="execution" label="Resize the details" resizes="before" className="max-xl:hidden" />
      <div className="flex min-h-0 min-w-0 flex-col border-line bg-panel max-xl:order-first max-xl:border-b">
        {execution.restricted ? (
          <EmptyState title="Restricted">
            This call used {execution.implementationType === "internal" ? "the rights" : "the personal credential"} of{" "}
            {execution.actor.name}. Only that user, those who may approve the call, and admins can read its arguments
            and result.
          </EmptyState>
        ) : (
          <ResultPanel
            execution={execution}
            withoutApproval
            withStatus={false}
            tab={view}
            onTabChange={(next) => void setView(next)}
            actions={
              <CallActions
                execution={execution}
                comparePath={execution.parentId === null ? null : toComparePath([execution.parentId, execution.id])}
              />
            }
            {...(original.data ? { original: original.data } : {})}
          />
        )}
      </div>
    </div>
  );
}

/** A call that failed after rules were evaluated. */
function isCatchable(execution: ExecutionDetail): boolean {
  const its = classifyCall(execution);
  const isFailed = its === "error" || its === "timedOut" || its === "interrupted";
  return (
    isFailed &&
    getKind(execution) === "tool" &&
    execution.restricted === undefined &&
    execution.errorKind !== "not_found"
  );
}

/** Shows who was asked before the call ran, the decision, and how the arguments were edited. */
function ApprovalSection({ approval, argumentsText }: { approval: ApprovalFacts; argumentsText: string }) {
  return (
    <section aria-label="Approval" className="flex min-w-0 flex-col gap-1.5">
      <div className="flex items-center gap-2">
        <h2 className="font-medium">Approval</h2>
        <ApprovalBadge status={approval.status} />
      </div>
      <ApprovalOutcomeView facts={approval} argumentsText={argumentsText} />
    </section>
  );
}

/** The notices of the tool as it is now, for a user who is about to copy or replay the call. */
function NoticesNow({ name }: { name: string }) {
  // The tool may have been removed, which the rest of the page says.
  const { data: tool } = useQuery({ ...trpc.tools.get.queryOptions({ name }), retry: false });
  return tool && <ToolNotices tool={tool} />;
}

/** The definition that this call ran, kept with it. */
function DefinitionThen({ execution }: { execution: ExecutionDetail }) {
  const { definition, definitionHash, definitionChanged, toolName, version } = execution;
  if (!definition) {
    return <p className="text-mute">No tool had this name, so the call has no definition.</p>;
  }
  const text = formatJson(definition);
  return (
    <div className="flex flex-col gap-3">
      {definitionChanged ? (
        <Alert tone="warn" title="Changed since this call">
          The tool has changed or was deleted.{" "}
          <Link href={`/tools/${encodeURIComponent(toolName)}`} className="underline">
            Current tool
          </Link>
        </Alert>
      ) : (
        <p className="text-mute text-xs">The tool still has this definition.</p>
      )}
      <div className="flex items-center gap-2">
        {version !== null && <VersionLink version={version} />}
        <span className="font-mono text-mute text-xs">{definitionHash}</span>
        <CopyButton text={text} label="Copy definition" className="ml-auto" />
      </div>
      <div className="rounded-lg border border-line bg-panel p-2.5">
        <JsonText text={text} label="Definition snapshot" />
      </div>
    </div>
  );
}
