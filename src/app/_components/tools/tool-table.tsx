"use client";

import { useState } from "react";
import { ShowMore } from "@/app/_ui/show-more";
import type { ToolSummary } from "@/lib/contract";
import { ToolRow } from "./tool-row";
import type { ToolActions } from "./tool-row-menu";

/** Rows put on the page at once; a catalogue of thousands must not make typing in the search slow. */
const STEP = 150;

export function ToolTable({ tools, actions }: { tools: readonly ToolSummary[]; actions: ToolActions }) {
  const [limit, setLimit] = useState(STEP);
  const rest = tools.length - limit;
  return (
    <>
      <table className="mt-1.5 w-full border-collapse bg-panel text-left text-sm">
        <caption className="sr-only">Tools</caption>
        <thead>
          <tr className="border-line border-y text-mute text-xs max-md:sr-only">
            <th scope="col" className="py-1.5 pr-3 pl-4 font-medium">
              Name
            </th>
            <th scope="col" className="py-1.5 pr-3 font-medium max-md:hidden">
              Description
            </th>
            <th scope="col" className="whitespace-nowrap py-1.5 pr-3 font-medium max-md:hidden">
              Type, hints
            </th>
            <th scope="col" className="py-1.5 pr-3 font-medium max-lg:hidden">
              Quality
            </th>
            <th scope="col" className="py-1.5 pr-3 font-medium max-lg:hidden">
              Origin
            </th>
            <th
              scope="col"
              className="whitespace-nowrap py-1.5 pr-3 text-right font-medium max-md:hidden"
              title="Parameters, and how many of them are required"
            >
              Params / req.
            </th>
            <th scope="col" className="py-1.5 pr-3">
              <span className="sr-only">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {tools.slice(0, limit).map((tool) => (
            <ToolRow key={tool.name} tool={tool} actions={actions} />
          ))}
        </tbody>
      </table>
      <ShowMore rest={rest} onMore={() => setLimit(limit + STEP)} />
    </>
  );
}
