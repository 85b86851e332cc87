import { useSuspenseInfiniteQuery } from "@tanstack/react-query";
import { parseAsString, useQueryState } from "nuqs";
import { useDeferredValue, useId, useRef } from "react";
import { POLICY_LABELS, toPolicy } from "@/app/_components/approvals/summary/approval-words";
import { ListSearch } from "@/app/_kit/list-search";
import { useAction } from "@/app/_kit/use-action";
import { useListKeys } from "@/app/_kit/use-list-keys";
import { usePages } from "@/app/_kit/use-pages";
import { BY_CURSOR } from "@/app/_trpc/by-cursor";
import { trpc } from "@/app/_trpc/client";
import { Alert } from "@/app/_ui/alert";
import { Button } from "@/app/_ui/button";
import { EmptyState } from "@/app/_ui/empty-state";
import { NativeSelect } from "@/app/_ui/field";
import { onDemand } from "@/app/_ui/on-demand";
import { RelativeTime } from "@/app/_ui/relative-time";
import type { ServerDetail } from "@/lib/contract/server";
import type { ListedServerTool } from "@/lib/contract/server-tool";
import { formatCount, formatPlural } from "@/lib/format";
import { ServerToolRow } from "./server-tool-row";

const RunDrawer = onDemand(() => import("./run-drawer"), "RunDrawer");

/** Lists the server's tools, those that cannot be called, and the server's own instructions. */
export function ToolsTab({ server }: { server: ServerDetail }) {
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      {server.state.instructions !== null && <Instructions text={server.state.instructions} />}
      {server.listedCount === 0 ? <NoTools server={server} /> : <ToolList server={server} />}
    </div>
  );
}

function ToolList({ server }: { server: ServerDetail }) {
  const [q, setQ] = useQueryState("q", parseAsString.withDefault(""));
  const [run, setRun] = useQueryState("run", parseAsString);
  const list = useRef<HTMLDivElement>(null);
  const search = useRef<HTMLInputElement>(null);
  useListKeys({ list, search });
  const pages = useServerTools(server.name, useDeferredValue(q));
  const { rows: tools, total, matching, unusable, error } = pages;
  const broken = tools.filter(({ status }) => status !== "usable");
  const usable = tools.filter(({ status }) => status === "usable");
  const onRun = (name: string) => void setRun(name);
  return (
    <>
      <search className="flex flex-wrap items-center gap-x-3 gap-y-2 px-4 py-2.5 max-sm:py-2">
        <ListSearch
          label="Search this server's tools"
          placeholder="Search name, description"
          value={q}
          onChange={(value) => void setQ(value === "" ? null : value)}
          searchRef={search}
        />
        <p role="status" className="text-mute text-xs">
          {q === "" ? formatPlural(total, "tool") : `${formatCount(matching)} of ${formatPlural(total, "tool")}`}
          {server.listedAt !== null && (
            <span className="max-sm:hidden">
              {" · read "}
              <RelativeTime at={server.listedAt} />
            </span>
          )}
        </p>
        <ServerApprovalPolicy server={server} />
      </search>
      <div ref={list} className="flex flex-col gap-4 pb-4">
        {error !== null && <Alert tone="warn" title={`The list may be out of date: ${error.message}`} />}
        {broken.length > 0 && (
          <ToolSection server={server.name} title="Unavailable tools" count={unusable} tools={broken} onRun={onRun} />
        )}
        {usable.length > 0 && (
          <ToolSection
            server={server.name}
            title={unusable > 0 ? "Available" : null}
            count={matching - unusable}
            tools={usable}
            onRun={onRun}
          />
        )}
        {pages.hasMore && (
          <div className="flex justify-center">
            <Button onClick={pages.loadMore} disabled={pages.loadingMore}>
              {pages.loadingMore ? "Loading…" : `Show more (${formatCount(matching - tools.length)} left)`}
            </Button>
          </div>
        )}
        {matching === 0 && (
          <EmptyState
            heading="h2"
            title="No matching tools"
            action={<Button onClick={() => void setQ(null)}>Clear search</Button>}
          />
        )}
      </div>
      {run !== null && <RunDrawer toolName={run} onClose={() => void setRun(null)} />}
    </>
  );
}

const toKey = ({ position }: ListedServerTool): number => position;

/** Tools under a search, with the counts of all pages. `useLiveServers` keeps them current. */
function useServerTools(name: string, q: string) {
  const query = useSuspenseInfiniteQuery(
    trpc.servers.tools.infiniteQueryOptions(
      { name, q: q.slice(0, MAX_SEARCH_CHARS) },
      { getNextPageParam: BY_CURSOR.getNextPageParam },
    ),
  );
  const { total, matching, unusable } = query.data.pages.at(-1) ?? { total: 0, matching: 0, unusable: 0 };
  return { ...usePages(query, { toKey }), total, matching, unusable };
}

const MAX_SEARCH_CHARS = 500;

interface ToolSectionProps {
  server: string;
  title: string | null;
  /** The number of entries on all pages. */
  count: number;
  tools: readonly ListedServerTool[];
  /** @param name in the catalog */
  onRun: (name: string) => void;
}

function ToolSection({ server, title, count, tools, onRun }: ToolSectionProps) {
  return (
    <section aria-label={title ?? "Tools"}>
      {title !== null && (
        <h2 className="px-4 pb-1.5 font-medium">
          {title} <span className="font-mono font-normal text-2xs text-faint">{formatCount(count)}</span>
        </h2>
      )}
      <ul className="border-line border-y bg-panel">
        {tools.map((tool) => (
          <ServerToolRow key={tool.position} server={server} tool={tool} onRun={onRun} />
        ))}
      </ul>
    </section>
  );
}

/** The server's own words: shown as text, to be believed or not. */
function Instructions({ text }: { text: string }) {
  return (
    <details className="border-line border-b bg-panel px-4 py-2 max-sm:py-0">
      <summary className="rounded-xs text-mute">
        <span className="font-medium text-text">Instructions</span> for models, as the server sends them
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
        Tools appear here once the server lists them.
      </EmptyState>
    );
  }
  const isConnected = server.state.status === "connected";
  if (!isConnected || server.state.reason !== null) {
    const connect =
      server.credentials === "personal"
        ? "Connect your account or press Test to load the tools."
        : "Connect the server to load its tools.";
    return (
      <EmptyState heading="h2" title="Tools not loaded">
        {isConnected ? "The server could not list its tools. See the reason above." : connect}
      </EmptyState>
    );
  }
  return (
    <EmptyState heading="h2" title="This server has no tools">
      It may offer resources or prompts: they have their own tabs.
    </EmptyState>
  );
}

/** Sets which tools of the server require approval. A server of the configuration is changed in its file. */
export function ServerApprovalPolicy({ server }: { server: ServerDetail }) {
  const id = useId();
  const { name } = server;
  const save = useAction(trpc.servers.setApproval, {
    stale: [trpc.servers.get.queryKey({ name }), trpc.tools, trpc.approvals],
    done: `${name}: approval policy saved`,
    failed: "Couldn't save the approval policy",
  });
  const policy = (save.isPending ? save.variables.policy : server.settings.approval) ?? "";
  return (
    <div className="flex flex-wrap items-center gap-x-2 gap-y-1 text-mute text-xs max-sm:w-full max-sm:justify-between sm:ml-auto">
      <label htmlFor={id} className="text-faint">
        Approval policy
      </label>
      <NativeSelect
        needs="edit"
        id={id}
        value={policy}
        disabled={!server.editable || save.isPending}
        aria-describedby={server.editable ? undefined : `${id}-where`}
        className="w-44!"
        onChange={({ target }) => save.mutate({ name, policy: toPolicy(target.value) ?? null })}
        options={Object.entries(POLICY_LABELS)}
      />
      {!server.editable && (
        <span id={`${id}-where`}>
          Set <code className="font-mono">approval</code> in the configuration file to change it.
        </span>
      )}
      <span role="alert" className="text-bad empty:hidden">
        {save.problem}
      </span>
    </div>
  );
}
