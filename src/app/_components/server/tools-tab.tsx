"use client";

import { parseAsString, useQueryState } from "nuqs";
import { useRef, useState } from "react";
import { ListSearch } from "@/app/_components/frame/list-search";
import { useListKeys } from "@/app/_components/frame/use-list-keys";
import { Button } from "@/app/_ui/button";
import { EmptyState } from "@/app/_ui/empty-state";
import { RelativeTime } from "@/app/_ui/relative-time";
import { ShowMore } from "@/app/_ui/show-more";
import type { ServerDetail, ServerTool } from "@/lib/contract/server";
import { formatCount, formatPlural } from "@/lib/format";
import { ServerToolRow } from "./server-tool-row";

/** Rows put on the page at once. */
const STEP = 150;

/** What the server offers to call, what it offers that cannot be called, and what it says of itself. */
export function ToolsTab({ server }: { server: ServerDetail }) {
  const [q, setQ] = useQueryState("q", parseAsString.withDefault(""));
  const list = useRef<HTMLDivElement>(null);
  const search = useRef<HTMLInputElement>(null);
  useListKeys({ list, search });
  const shown = findTools(server.tools, q);
  const usable = shown.filter(({ status }) => status === "usable");
  const unusable = shown.filter(({ status }) => status !== "usable");
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      {server.state.instructions !== null && <Instructions text={server.state.instructions} />}
      {server.tools.length === 0 ? (
        <NoTools server={server} />
      ) : (
        <>
          <search className="flex flex-wrap items-center gap-x-3 gap-y-2 px-4 py-2.5">
            <ListSearch
              label="Search this server's tools"
              placeholder="Search name, description"
              value={q}
              onChange={(value) => void setQ(value === "" ? null : value)}
              searchRef={search}
            />
            <p role="status" className="text-mute text-xs">
              {q === ""
                ? formatPlural(server.tools.length, "tool")
                : `${formatCount(shown.length)} of ${formatPlural(server.tools.length, "tool")}`}
              {server.listedAt !== null && (
                <>
                  {" · read "}
                  <RelativeTime at={server.listedAt} />
                </>
              )}
            </p>
          </search>
          <div ref={list} className="flex flex-col gap-4 pb-4">
            {unusable.length > 0 && <ToolSection title="Cannot be called" tools={unusable} />}
            {usable.length > 0 && <ToolSection title={unusable.length > 0 ? "Usable" : null} tools={usable} />}
            {shown.length === 0 && (
              <EmptyState
                heading="h2"
                title="No tool matches"
                action={<Button onClick={() => void setQ(null)}>Clear search</Button>}
              />
            )}
          </div>
        </>
      )}
    </div>
  );
}

function findTools(tools: readonly ServerTool[], search: string): ServerTool[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return tools.filter((tool) => {
    const text = `${tool.name ?? ""} ${tool.catalogueName ?? ""} ${tool.title ?? ""} ${tool.description}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

function ToolSection({ title, tools }: { title: string | null; tools: readonly ServerTool[] }) {
  const [limit, setLimit] = useState(STEP);
  const rest = tools.length - limit;
  return (
    <section aria-label={title ?? "Tools"}>
      {title !== null && (
        <h2 className="px-4 pb-1.5 font-medium">
          {title} <span className="font-mono font-normal text-2xs text-faint">{formatCount(tools.length)}</span>
        </h2>
      )}
      <ul className="border-line border-y bg-panel">
        {tools.slice(0, limit).map((tool, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a malformed entry has no name, and one that is listed twice has no other
          <ServerToolRow key={`${at} ${tool.name ?? ""}`} tool={tool} />
        ))}
      </ul>
      <ShowMore rest={rest} onMore={() => setLimit(limit + STEP)} />
    </section>
  );
}

/** The server's own words: shown as text, to be believed or not. */
function Instructions({ text }: { text: string }) {
  return (
    <details className="border-line border-b bg-panel px-4 py-2">
      <summary className="rounded-xs text-mute">
        <span className="font-medium text-text">Instructions</span> that the server gives to models, in its own words
      </summary>
      <p className="mt-2 max-h-80 max-w-4xl overflow-auto whitespace-pre-wrap border-line2 border-l-2 pl-3 [overflow-wrap:anywhere]">
        {text}
      </p>
    </details>
  );
}

function NoTools({ server }: { server: ServerDetail }) {
  if (server.state.status === "connecting") {
    return (
      <EmptyState heading="h2" title="Connecting…">
        Its tools appear here as soon as it has listed them.
      </EmptyState>
    );
  }
  if (server.state.status !== "connected") {
    return (
      <EmptyState heading="h2" title="Its tools are not known yet">
        They are read when it is connected, and stay known from then on.
      </EmptyState>
    );
  }
  return (
    <EmptyState heading="h2" title="This server has no tools">
      It may offer resources or prompts: they have their own tabs.
    </EmptyState>
  );
}
