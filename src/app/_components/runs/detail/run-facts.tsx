import { Fragment, type ReactNode, useMemo } from "react";
import { ACTIVE_TIME_HINT, ActiveTime } from "@/app/_components/runs/summary/active-time";
import { toCompareRunsPath } from "@/app/_components/runs/summary/compare-path";
import {
  describeTakenOver,
  describeTokens,
  formatCost,
  formatTokens,
} from "@/app/_components/runs/summary/run-figure-words";
import { RUN_SOURCE_LABELS } from "@/app/_components/runs/summary/run-labels";
import { useCopyText } from "@/app/_kit/use-copy-text";
import { useHasAccounts } from "@/app/_ui/access";
import { CopyButton } from "@/app/_ui/copy-button";
import { Link } from "@/app/_ui/link";
import type { MenuItem } from "@/app/_ui/menu-props";
import { RelativeTime } from "@/app/_ui/relative-time";
import { getConsoleAddress } from "@/lib/base-path";
import type { RunDetail } from "@/lib/contract/run";
import { formatCount, formatPlural } from "@/lib/format";
import { addLaterEvents, type RunSumsRead } from "@/lib/run/run-figures";
import { addUsage } from "@/lib/run/usage";
import { firstIndex, isLive, type RunState } from "./run-state";

/** The figures of a run in one line, and the runs that it comes from and that were made of it. */
export function RunFacts({ state: { detail, events } }: { state: RunState }) {
  const figures = useMemo(() => addLaterEvents(detail, events), [detail, events]);
  const accounts = useHasAccounts();
  const usage = isLive(detail.status) ? usageSince(detail, events) : detail.usage;
  const tokens = formatTokens(usage);
  const facts: [key: string, fact: ReactNode][] = [
    [
      "id",
      <span key="id" className="flex items-center">
        <span className="font-mono">{detail.id}</span>
        <CopyButton text={detail.id} label="Copy id" />
      </span>,
    ],
    [
      "model",
      <span key="model" className="font-mono">
        {detail.provider} / {detail.model}
      </span>,
    ],
    [
      "cassette",
      detail.settings.cassette === undefined ? null : (
        <span key="cassette">
          answered by{" "}
          <Link
            href={`/cassettes/${encodeURIComponent(detail.settings.cassette)}?session=${encodeURIComponent(detail.id)}`}
            className="rounded-xs font-mono underline"
          >
            {detail.settings.cassette}
          </Link>
        </span>
      ),
    ],
    ["source", detail.source === "agent" ? null : RUN_SOURCE_LABELS[detail.source]],
    ["actor", accounts ? detail.actor.name : null],
    ["started", <RelativeTime key="started" at={detail.startedAt} />],
    [
      "time",
      <span key="time" title={ACTIVE_TIME_HINT}>
        <ActiveTime figures={figures} /> active
      </span>,
    ],
    ["models", formatPlural(figures.modelCalls, "model call")],
    ["tools", <ToolCalls key="tools" id={detail.id} figures={figures} />],
  ];
  if (tokens !== null)
    facts.push([
      "tokens",
      <span key="tokens" title={describeTokens(usage)}>
        {tokens}
      </span>,
    ]);
  if (detail.cost !== null) facts.push(["cost", formatCost(detail.cost)]);
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-2 px-4 pb-1 text-mute text-xs tabular-nums">
        {facts
          .filter(([, fact]) => fact !== null)
          .map(([key, fact], at) => (
            <Fragment key={key}>
              {at > 1 && <span aria-hidden>·</span>}
              {typeof fact === "string" ? <span>{fact}</span> : fact}
            </Fragment>
          ))}
      </div>
      <RunFamily detail={detail} />
    </>
  );
}

function ToolCalls({ id, figures: { toolCalls, failedToolCalls } }: { id: string; figures: RunSumsRead }) {
  return (
    <span>
      <Link
        href={`/executions?run=${encodeURIComponent(id)}`}
        className="inline-flex min-h-6 items-center underline max-sm:min-h-10"
      >
        {formatPlural(toolCalls, "tool call")}
      </Link>
      {failedToolCalls > 0 && <span className="text-bad">, {formatCount(failedToolCalls)} failed</span>}
    </span>
  );
}

/** Returns the usage that was read plus the responses received since. */
function usageSince({ usage, eventCount }: RunDetail, events: RunState["events"]): RunDetail["usage"] {
  return events.reduce(
    (sum, event) =>
      event.type === "model_finished" && event.index >= eventCount && event.usage ? addUsage(sum, event.usage) : sum,
    usage,
  );
}

const SHOWN_CHILDREN = 8;

/** The run that this one was made from, and the runs that were made from it. */
function RunFamily({ detail }: { detail: RunDetail }) {
  const { parentId, parentStep, children, takenOver } = detail;
  if (parentId === null && children.length === 0) return null;
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-0.5 px-4 pb-1.5 text-mute text-xs">
      {parentId !== null && (
        <span>
          Rerun of{" "}
          <Link href={`/runs/${encodeURIComponent(parentId)}`} className="font-mono underline">
            {parentId}
          </Link>
          {parentStep !== null && ` from step ${parentStep}`}
          {takenOver !== null && takenOver.modelCalls > 0 && `, with ${describeTakenOver(takenOver)} copied from it`}
        </span>
      )}
      {parentId !== null && (
        <Link
          href={toCompareRunsPath(parentId, detail.id)}
          className="inline-flex min-h-6 items-center underline max-sm:min-h-10"
        >
          Compare with original
        </Link>
      )}
      {children.length > 0 && (
        <span>
          Reruns:{" "}
          {children.slice(0, SHOWN_CHILDREN).map((child, at) => (
            <Fragment key={child.id}>
              {at > 0 && ", "}
              <Link href={`/runs/${encodeURIComponent(child.id)}`} className="font-mono underline" title={child.title}>
                {child.id}
              </Link>
              {child.parentStep !== null && ` (step ${child.parentStep})`}
            </Fragment>
          ))}
          {children.length > SHOWN_CHILDREN && ` and ${children.length - SHOWN_CHILDREN} more`}
        </span>
      )}
    </div>
  );
}

function isWhole(events: RunState["events"]): boolean {
  return firstIndex(events) === 0 && events.every(({ cut }) => cut === undefined);
}

export function useCopyRunItems(state: RunState | null): MenuItem[] {
  const copy = useCopyText();
  if (state === null) return [];
  const { detail, events } = state;
  return [
    {
      label: "Copy as JSON",
      onSelect: () =>
        void copy(
          isWhole(events) ? "as JSON" : "what is loaded as JSON",
          JSON.stringify({ ...detail, events }, null, 2),
        ),
    },
    {
      label: "Copy settings",
      onSelect: () => void copy("the settings", JSON.stringify(detail.settings, null, 2)),
    },
    {
      label: "Copy link",
      onSelect: () => void copy("the link", `${getConsoleAddress()}/runs/${detail.id}`),
    },
  ];
}
