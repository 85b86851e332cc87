"use client";

import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { QueryState } from "@/app/_kit/query-state";
import { trpc } from "@/app/_trpc/client";
import { Badge } from "@/app/_ui/badge";
import { Button } from "@/app/_ui/button";
import { Card } from "@/app/_ui/card";
import { JsonText } from "@/app/_ui/json-text";
import type { CassetteCallItem } from "@/lib/contract/cassette";
import { formatPlural } from "@/lib/format";

const TONES = { result: "ok", failure: "bad", error: "bad" } as const;

/** The tools and calls of a cassette, in their order. */
export function RecordedCalls({ name }: { name: string }) {
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
          <JsonText text={formatJson(argumentsText)} label={`Arguments of call ${number}`} wrap />
          <JsonText text={formatJson(outcomeText)} label={`Result of call ${number}`} wrap />
        </div>
      </details>
    </li>
  );
}

/** A long text is cut, and no JSON. */
function formatJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
