"use client";

import { useInfiniteQuery, useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { Download, Pencil, Trash2 } from "lucide-react";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { ConfirmAction } from "@/app/_kit/confirm-action";
import { PageActions } from "@/app/_kit/page-actions";
import { QueryState } from "@/app/_kit/query-state";
import { saveFile } from "@/app/_kit/save-file";
import { useAction } from "@/app/_kit/use-action";
import { client, trpc } from "@/app/_trpc/client";
import { Badge } from "@/app/_ui/badge";
import { Button } from "@/app/_ui/button";
import { Card } from "@/app/_ui/card";
import { CopyButton } from "@/app/_ui/copy-button";
import { FactList } from "@/app/_ui/fact-list";
import { JsonText } from "@/app/_ui/json-text";
import { onDemand } from "@/app/_ui/on-demand";
import { PageBody } from "@/app/_ui/page-body";
import { PageHeader } from "@/app/_ui/page-header";
import { RelativeTime } from "@/app/_ui/relative-time";
import { getConsoleAddress } from "@/lib/base-path";
import type { CassetteCallItem, CassetteSummary } from "@/lib/contract/cassette";
import { formatBytes, formatPlural } from "@/lib/format";
import { indentJsonText } from "@/lib/json/format-json";
import { Sessions } from "./sessions";

const EditCassetteDialog = onDemand(() => import("./edit-cassette-dialog"), "EditCassetteDialog");

/** A cassette: how to use it, its sessions and its recordings. */
export function CassetteView({ name }: { name: string }) {
  const router = useRouter();
  const { data: cassette } = useSuspenseQuery(trpc.cassettes.get.queryOptions({ name }));
  const [opened, setOpened] = useState<"edit" | "delete" | null>(null);
  const exporting = useAction(
    { mutationFn: () => client.cassettes.export.query({ name }) },
    {
      stale: [],
      onDone: (text) => saveFile(`${name}.cassette.jsonl`, new Blob([text], { type: "application/jsonl" })),
      failed: "Couldn't export",
    },
  );
  const close = () => setOpened(null);
  return (
    <>
      <PageHeader
        title={name}
        mono
        badges={<SettingBadges cassette={cassette} />}
        actions={
          <PageActions
            actions={[
              {
                label: "Export file",
                icon: Download,
                disabled: exporting.isPending,
                onSelect: () => exporting.mutate(),
              },
              { label: "Edit", icon: Pencil, needs: "edit", onSelect: () => setOpened("edit") },
              { label: "Delete…", icon: Trash2, needs: "edit", onSelect: () => setOpened("delete") },
            ]}
          />
        }
      />
      <PageBody>
        {cassette.notes !== "" && (
          <p dir="auto" className="whitespace-pre-wrap [overflow-wrap:anywhere]">
            {cassette.notes}
          </p>
        )}
        <UseCard cassette={cassette} />
        <Sessions name={name} />
        <RecordedCalls name={name} />
      </PageBody>
      {opened === "edit" && <EditCassetteDialog cassette={cassette} onClose={close} />}
      {opened === "delete" && (
        <ConfirmAction
          title={`Delete ${name}?`}
          description="Its address stops working, and the reports of its sessions are deleted. Its executions are kept."
          run={() => client.cassettes.delete.mutate({ name, revision: cassette.lastEdit.revision })}
          stale={[trpc.cassettes.list]}
          done={`Deleted ${name}`}
          onDone={() => router.push("/cassettes")}
          onClose={close}
        />
      )}
    </>
  );
}

function SettingBadges({ cassette: { settings } }: { cassette: CassetteSummary }) {
  return (
    <>
      {settings.passthrough && (
        <Badge tone="warn" title="Calls without a recording run live">
          passthrough
        </Badge>
      )}
      {settings.faults !== "" && <Badge title={settings.faults}>faults</Badge>}
      {settings.ignore.length > 0 && (
        <Badge title={settings.ignore.join(", ")}>{formatPlural(settings.ignore.length, "ignored path")}</Badge>
      )}
    </>
  );
}

function UseCard({ cassette }: { cassette: CassetteSummary }) {
  const { name, callCount, toolCount, servers, bytes, createdAt, createdBy } = cassette;
  return (
    <Card
      title="Use"
      about="Agents connect here in place of the servers. Add ?session= to name a session in the reports."
    >
      <FactList
        className="px-3.5 py-3 text-xs"
        valueClass=""
        facts={[
          ["Address", <Copied key="a" text={`/mcp/cassettes/${name}`} label="Copy address" />],
          ["stdio", <Copied key="s" text={`toolroom mcp --cassette ${name}`} label="Copy command" />],
          [
            "In CI",
            <Copied key="c" text={`toolroom cassettes report ${name} --fail-on misses`} label="Copy report command" />,
          ],
          [
            "Holds",
            `${formatPlural(callCount, "call")}, ${formatPlural(toolCount, "tool")}, ${formatBytes(bytes)}${servers.length === 0 ? "" : ` · ${servers.join(", ")}`}`,
          ],
          [
            "Recorded",
            <span key="r">
              <RelativeTime at={createdAt} /> by {createdBy}
            </span>,
          ],
        ]}
      />
    </Card>
  );
}

function Copied({ text, label }: { text: string; label: string }) {
  // Adds the origin, which only the browser knows, to the text that is copied.
  const whole = text.startsWith("/") && typeof window !== "undefined" ? getConsoleAddress() + text : text;
  return (
    <span className="flex items-center gap-1">
      <code className="min-w-0 font-mono [overflow-wrap:anywhere]">{text}</code>
      <CopyButton text={whole} label={label} className="-my-1.5" />
    </span>
  );
}

const TONES = { result: "ok", failure: "bad", error: "bad" } as const;

/** The tools and calls of a cassette, in their order. */
function RecordedCalls({ name }: { name: string }) {
  const tools = useQuery(trpc.cassettes.tools.queryOptions({ name }));
  const calls = useInfiniteQuery(
    trpc.cassettes.calls.infiniteQueryOptions({ name }, { getNextPageParam: ({ nextCursor }) => nextCursor }),
  );
  return (
    <>
      <Card title="Recorded calls" about="Repeated calls are answered in this order.">
        <div className="p-3.5 empty:hidden">
          <QueryState query={calls} what="calls" bars={["h-8", "h-8", "h-8"]}>
            {({ pages }) => (
              <ol aria-label="Recorded calls" className="divide-y divide-line rounded-md border border-line">
                {pages
                  .flatMap(({ items }) => items)
                  .map((call) => (
                    <CallRow key={call.number} call={call} />
                  ))}
              </ol>
            )}
          </QueryState>
          {calls.hasNextPage && (
            <Button className="mt-3" disabled={calls.isFetchingNextPage} onClick={() => void calls.fetchNextPage()}>
              Show more
            </Button>
          )}
        </div>
      </Card>
      <Card title="Tools" about="As they were listed when they were called.">
        <div className="px-3.5 py-3">
          <QueryState query={tools} what="tools" bars={["h-6", "h-6"]}>
            {(found) => (
              <ul className="flex flex-col gap-1 text-xs">
                {found.map((tool) => (
                  <li key={tool.name} className="[overflow-wrap:anywhere]">
                    <span className="font-medium font-mono">{tool.name}</span>{" "}
                    <span dir="auto" className="text-mute">
                      {tool.description.slice(0, 200)}
                    </span>
                  </li>
                ))}
              </ul>
            )}
          </QueryState>
        </div>
      </Card>
    </>
  );
}

function CallRow({ call }: { call: CassetteCallItem }) {
  const { number, name, argumentsText, outcome, outcomeText, events } = call;
  return (
    <li data-row={number}>
      <details>
        <summary className="flex cursor-pointer flex-wrap items-baseline gap-x-2 gap-y-0.5 px-2.5 py-1.5 text-xs hover:bg-rail">
          <span className="w-6 shrink-0 text-right text-mute tabular-nums">{number}</span>
          <Badge tone={TONES[outcome]}>{outcome}</Badge>
          <span className="font-mono [overflow-wrap:anywhere]">{name}</span>
          {events > 0 && <span className="text-mute">{formatPlural(events, "event")}</span>}
          <span className="min-w-0 flex-1 basis-full truncate font-mono text-mute sm:basis-40">{argumentsText}</span>
        </summary>
        <div className="grid gap-3 border-line border-t bg-rail p-2.5 md:grid-cols-2">
          <JsonText text={indentJsonText(argumentsText)} label={`Arguments of call ${number}`} wrap />
          <JsonText text={indentJsonText(outcomeText)} label={`Result of call ${number}`} wrap />
        </div>
      </details>
    </li>
  );
}
