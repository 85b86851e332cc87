"use client";

import Link from "next/link";
import { useId, useState } from "react";
import { Badge } from "@/app/_ui/badge";
import { cx } from "@/app/_ui/class-names";
import { RelativeTime } from "@/app/_ui/relative-time";
import type { ToolSummary } from "@/lib/contract";
import { implementationLabel } from "./implementation-label";
import { ApprovalHint, HintBadges, originLabel, QualityList } from "./tool-badges";
import { hasProblems } from "./tool-filters";
import { type ToolActions, ToolRowMenu } from "./tool-row-menu";

const TOOL_COLUMNS = 7;

export interface ToolRowProps {
  tool: ToolSummary;
  actions: ToolActions;
}

export function ToolRow({ tool, actions }: ToolRowProps) {
  const [explained, setExplained] = useState(false);
  const notesId = useId();
  return (
    <>
      <tr className="group border-line border-b hover:bg-rail has-[[data-row]:focus]:bg-accent-bg">
        <td className="py-1.5 pr-3 pl-4 align-top max-md:w-full">
          <ToolName tool={tool} />
        </td>
        <td className="w-full max-w-0 py-1.5 pr-3 align-top max-md:hidden">
          <p className="truncate text-mute" title={tool.description}>
            {tool.description}
          </p>
        </td>
        <td className="py-1.5 pr-3 align-top max-md:hidden">
          <span className="flex flex-wrap gap-1 xl:flex-nowrap">
            <Badge>{implementationLabel(tool.implementationType)}</Badge>
            <HintBadges annotations={tool.annotations} />
            <ApprovalHint tool={tool} />
          </span>
        </td>
        <td className="py-1.5 pr-3 align-top max-lg:hidden">
          <QualityButton
            tool={tool}
            expanded={explained}
            controls={notesId}
            onToggle={() => setExplained((before) => !before)}
          />
        </td>
        <td
          className="whitespace-nowrap py-1.5 pr-3 align-top text-mute max-lg:hidden"
          title={tool.originPath ?? undefined}
        >
          <Origin tool={tool} />
          {tool.updatedAt !== null && (
            <>
              <span aria-hidden> · </span>
              <RelativeTime at={tool.updatedAt} className="text-xs" />
            </>
          )}
        </td>
        <td className="py-1.5 pr-3 text-right align-top font-mono text-xs leading-5 tabular-nums max-md:hidden">
          <span title={`${tool.parameterCount} parameters, ${tool.requiredCount} of them required`}>
            {tool.parameterCount}
            <span className="text-faint"> / {tool.requiredCount}</span>
          </span>
        </td>
        <td className="py-0.5 pr-3 text-right align-top">
          <ToolRowMenu tool={tool} actions={actions} />
        </td>
      </tr>
      {explained && (
        <tr id={notesId} className="border-line border-b bg-rail max-lg:hidden">
          <td colSpan={TOOL_COLUMNS} className="px-4 py-2">
            <QualityList notes={tool.quality} />
          </td>
        </tr>
      )}
    </>
  );
}

/** On a narrow screen it carries what the dropped columns would have said. */
function ToolName({ tool }: { tool: ToolSummary }) {
  return (
    <div className="min-w-0">
      <span className="flex flex-wrap items-center gap-x-2 gap-y-1 md:flex-nowrap">
        <Link
          href={`/tools/${encodeURIComponent(tool.name)}`}
          data-row=""
          title={tool.name}
          className={cx(
            "rounded-xs font-medium font-mono text-xs leading-5 hover:underline max-md:[overflow-wrap:anywhere] md:max-w-80 md:truncate",
            !tool.enabled && "text-mute",
          )}
        >
          {tool.name}
        </Link>
        {!tool.enabled && <Badge>disabled</Badge>}
      </span>
      <div className="md:hidden">
        <p className="line-clamp-2 text-mute">{tool.description}</p>
        <span className="mt-1 flex flex-wrap gap-1">
          <Badge>{implementationLabel(tool.implementationType)}</Badge>
          <HintBadges annotations={tool.annotations} />
          <ApprovalHint tool={tool} />
          {hasProblems(tool) && <Badge tone="warn">has problems</Badge>}
          {tool.server !== null && (
            <span className="text-xs">
              <Origin tool={tool} />
            </span>
          )}
        </span>
      </div>
    </div>
  );
}

/** Where it came from; for a tool of a server the way there. */
function Origin({ tool }: { tool: ToolSummary }) {
  if (tool.server === null) return originLabel(tool);
  return (
    <>
      {originLabel(tool)}{" "}
      <Link
        href={`/servers/${encodeURIComponent(tool.server)}`}
        className="rounded-xs font-mono text-xs hover:text-text hover:underline"
      >
        {tool.server}
      </Link>
    </>
  );
}

interface QualityButtonProps {
  tool: ToolSummary;
  expanded: boolean;
  controls: string;
  onToggle: () => void;
}

function QualityButton({ tool, expanded, controls, onToggle }: QualityButtonProps) {
  const count = tool.quality.length;
  if (count === 0) return <span className="text-faint">–</span>;
  return (
    <button
      type="button"
      aria-expanded={expanded}
      aria-controls={expanded ? controls : undefined}
      onClick={onToggle}
      className="rounded-sm"
    >
      <Badge tone={hasProblems(tool) ? "warn" : "neutral"}>
        {count === 1 ? "1 note" : `${count} notes`}
        <span className="sr-only"> on {tool.name}</span>
      </Badge>
    </button>
  );
}
