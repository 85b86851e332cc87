"use client";

import { useState } from "react";
import { FieldProblems } from "@/app/_kit/form-field";
import { findField, sortProblems } from "@/app/_kit/problems";
import type { DraftState } from "@/app/_kit/use-draft";
import { Badge } from "@/app/_ui/badge";
import { Button } from "@/app/_ui/button";
import { Link } from "@/app/_ui/link";
import { ShowMore } from "@/app/_ui/show-more";
import { describeProblem, type Problem } from "@/lib/contract/problem";
import type { ToolsetPreview, ToolsetTool } from "@/lib/contract/toolset";
import { formatPlural } from "@/lib/format";
import { OverrideFields } from "./override-fields";
import { NO_OVERRIDE, OVERRIDE_FORM, type OverrideDraft, type ToolsetDraft } from "./toolset-fields";

/** Rows rendered at once. */
const STEP = 50;
const OVERRIDES = "overrides";
/** Problems of arguments are listed at the tool. */
const EDITED = Object.keys(OVERRIDE_FORM.fields).filter((path) => path !== "arguments");

export interface ToolRowsProps {
  held: DraftState<ToolsetDraft>;
  preview: ToolsetPreview | null;
  /** The problems of the whole toolset, as the server or the form names them. */
  problems: readonly Problem[];
}

/** The tools of the set as clients see them, each with a link to the original and what the set changes. */
export function ToolRows({ held, preview, problems }: ToolRowsProps) {
  const [limit, setLimit] = useState(STEP);
  const tools = preview?.tools ?? [];
  const rows = tools.slice(0, limit);
  const names = Object.keys(held.draft.overrides);
  const found = problems
    .map(({ path, message }) => ({ path: path.replace(/^toolset\./, ""), message }))
    .filter(({ path }) => path.startsWith(OVERRIDES))
    .map((problem) => ({ problem, tool: getTool(problem, names) }));
  const elsewhere = found.filter(({ tool }) => !rows.some((row) => row.tool === tool));
  return (
    <section aria-labelledby="toolset-tools">
      <h2 id="toolset-tools" className="mb-1 font-medium">
        {preview === null ? "Selected tools" : formatPlural(tools.length, "selected tool")}
      </h2>
      <FieldProblems id="toolset-overrides" problems={elsewhere.map(({ problem }) => describeProblem(problem))} />
      {preview !== null && tools.length === 0 && (
        <p className="rounded-lg border border-line2 border-dashed p-3.5 text-mute">
          No tool is selected yet. Choose tools by name, by server or by pattern above.
        </p>
      )}
      {tools.length > 0 && (
        <ul aria-label="Tools of the set" className="rounded-lg border border-line bg-panel">
          {rows.map((tool) => (
            <ToolRow
              key={tool.tool}
              tool={tool}
              held={held}
              problems={found.flatMap((each) => (each.tool === tool.tool ? each.problem : []))}
            />
          ))}
        </ul>
      )}
      <ShowMore rest={tools.length - limit} onMore={() => setLimit(limit + STEP)} />
    </section>
  );
}

interface ToolRowProps {
  tool: ToolsetTool;
  held: DraftState<ToolsetDraft>;
  problems: readonly Problem[];
}

function ToolRow({ tool, held, problems }: ToolRowProps) {
  const [open, setOpen] = useState(false);
  const override = held.draft.overrides[tool.tool];
  const fieldsId = `override-${tool.tool}`;
  const sorted = sortProblems(problems, EDITED, `${OVERRIDES}.${tool.tool}`);
  function change(part: Partial<OverrideDraft>): void {
    held.update((before) => ({
      ...before,
      overrides: {
        ...before.overrides,
        [tool.tool]: { ...(before.overrides[tool.tool] ?? NO_OVERRIDE), ...part },
      },
    }));
  }
  function reset(): void {
    held.update((before) => {
      const { [tool.tool]: _removed, ...overrides } = before.overrides;
      return { ...before, overrides };
    });
  }
  return (
    <li data-row={tool.name} className="border-line border-b p-3 last:border-b-0">
      <div className="flex flex-wrap items-start gap-x-3 gap-y-1">
        <div className="min-w-0 flex-1">
          <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
            <span className="font-medium font-mono text-xs leading-5 [overflow-wrap:anywhere]">{tool.name}</span>
            {tool.leftOut && <Badge tone="bad">left out</Badge>}
            {tool.pinned === true && <Badge tone="accent">pinned</Badge>}
            {override !== undefined && <Badge>changed</Badge>}
            {tool.name !== tool.tool && (
              <span className="text-mute text-xs">
                of{" "}
                <Link
                  href={`/tools/${encodeURIComponent(tool.tool)}`}
                  className="font-mono hover:underline [overflow-wrap:anywhere]"
                >
                  {tool.tool}
                </Link>
              </span>
            )}
          </p>
          <p dir="auto" className="line-clamp-2 text-mute text-xs [overflow-wrap:anywhere]">
            {tool.description}
          </p>
          <p className="text-faint text-xs">
            {tool.argumentCount === tool.originalArguments.length
              ? formatPlural(tool.argumentCount, "argument")
              : `${tool.argumentCount} of ${formatPlural(tool.originalArguments.length, "argument")} shown`}
            {tool.name === tool.tool && (
              <>
                {" · "}
                <Link href={`/tools/${encodeURIComponent(tool.tool)}`} className="hover:underline">
                  Original
                  <span className="sr-only"> of {tool.name}</span>
                </Link>
              </>
            )}
          </p>
        </div>
        {override !== undefined && (
          <Button variant="ghost" onClick={reset}>
            Reset
            <span className="sr-only"> {tool.name}</span>
          </Button>
        )}
        <Button
          aria-expanded={open}
          aria-controls={fieldsId}
          data-wrong={(open ? sorted[""] : problems)?.length ? "" : undefined}
          onClick={() => setOpen(!open)}
        >
          {open ? "Close" : "Change"}
          <span className="sr-only"> {tool.name}</span>
        </Button>
      </div>
      <FieldProblems
        id={fieldsId}
        problems={open ? (sorted[""] ?? []) : problems.map((each) => describeProblem(each))}
      />
      {open && (
        <div id={fieldsId} className="mt-3">
          <OverrideFields
            tool={tool}
            form={{
              ...{ fields: OVERRIDE_FORM.fields, draft: override ?? NO_OVERRIDE, change, isShown: () => true },
              findProblems: (path) => sorted[path] ?? [],
              ...{ revealed: null, reveal: () => undefined },
            }}
          />
        </div>
      )}
    </li>
  );
}

/** Returns the tool of a problem below `overrides.<tool>`: names may have dots, so the longest one counts. Empty for none. */
function getTool({ path }: Problem, tools: readonly string[]): string {
  const paths = tools.map((tool) => `${OVERRIDES}.${tool}`);
  return findField(path, paths).slice(OVERRIDES.length + 1);
}
