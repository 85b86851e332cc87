import { useQuery, useSuspenseInfiniteQuery } from "@tanstack/react-query";
import { parseAsInteger, useQueryStates } from "nuqs";
import { ChangeBadge } from "@/app/_components/tools/summary/change-badge";
import { PaneHandle } from "@/app/_kit/pane-handle";
import { usePages } from "@/app/_kit/use-pages";
import { BY_CURSOR } from "@/app/_trpc/by-cursor";
import { trpc } from "@/app/_trpc/client";
import { Badge } from "@/app/_ui/badge";
import { Button } from "@/app/_ui/button";
import { cx } from "@/app/_ui/class-names";
import { EmptyState } from "@/app/_ui/empty-state";
import { RelativeTime } from "@/app/_ui/relative-time";
import { ScrollRegion } from "@/app/_ui/scroll-region";
import type { DefinitionUse, ToolVersion } from "@/lib/contract/tool-version";
import { formatCount, formatPlural } from "@/lib/format";
import { VersionDetail } from "./version-detail";
import { describeCause } from "./version-words";

const MAX_NAMES = 20;
const toNumber = ({ number }: ToolVersion): number => number;

/** The history of a tool: its versions, and what one of them changed. */
export function VersionsTab({ toolName }: { toolName: string }) {
  const query = useSuspenseInfiniteQuery(trpc.tools.versions.infiniteQueryOptions({ name: toolName }, BY_CURSOR));
  const pages = usePages(query, { toKey: toNumber, isStale: ({ type }) => type === "tools" });
  const [{ version, against }, setAddress] = useQueryStates({ version: parseAsInteger, against: parseAsInteger });
  const versions = pages.rows;
  const names = [...new Set([toolName, ...versions.map(({ name }) => name)])].slice(0, MAX_NAMES);
  const { data: use } = useQuery(trpc.executions.definitionUse.queryOptions({ tools: names }));
  const newest = query.data.pages[0];
  const current = newest?.current ?? null;
  const shown = version ?? current;
  if (versions.length === 0 || shown === null) {
    return (
      <EmptyState heading="h2" title="No versions yet">
        The first version is recorded when the tool is loaded again.
      </EmptyState>
    );
  }
  return (
    <div className="grid min-h-0 flex-1 grid-cols-1 overflow-auto max-lg:auto-rows-max lg:grid-cols-[clamp(280px,var(--pane-versions,24rem),calc(100%-340px))_0_minmax(0,1fr)] lg:overflow-hidden">
      <ScrollRegion label="Versions" className="min-h-0 border-line max-lg:max-h-80 max-lg:border-b lg:border-r">
        <ol>
          {versions.map((each) => (
            <li key={each.number} className="border-line not-first:border-t">
              <VersionRow
                version={each}
                isCurrent={each.number === current}
                isShown={each.number === shown}
                use={use}
                onShow={() => void setAddress({ version: each.number, against: null }, { history: "push" })}
              />
            </li>
          ))}
        </ol>
        {pages.hasMore && (
          <Button className="m-3" onClick={pages.loadMore} disabled={pages.loadingMore}>
            {pages.loadingMore ? "Loading…" : "Show more"}
          </Button>
        )}
      </ScrollRegion>
      <PaneHandle pane="versions" label="Resize the versions" resizes="before" className="max-lg:hidden" />
      <VersionDetail
        key={shown}
        toolName={toolName}
        number={shown}
        against={against}
        onCompare={(number) => void setAddress({ version: shown, against: number })}
        onRestored={() => void setAddress({ version: null, against: null })}
        versions={versions}
        current={current}
        readOnly={newest?.readOnly ?? null}
        use={use}
      />
    </div>
  );
}

interface VersionRowProps {
  version: ToolVersion;
  isCurrent: boolean;
  isShown: boolean;
  use: DefinitionUse | undefined;
  onShow: () => void;
}

function VersionRow({ version, isCurrent, isShown, use, onShow }: VersionRowProps) {
  const { number, at, classification, definitionHash } = version;
  return (
    <button
      type="button"
      data-row=""
      aria-current={isShown}
      onClick={onShow}
      className={cx(
        "-outline-offset-2 flex w-full flex-col gap-0.5 px-3.5 py-2 text-left hover:bg-rail",
        isShown && "bg-accent-bg",
      )}
    >
      <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <span className="font-medium">Version {number}</span>
        {classification !== null && <ChangeBadge kind={classification} />}
        {isCurrent && <Badge tone="ok">current</Badge>}
        <span className="ml-auto font-mono text-mute text-xs tabular-nums">{formatUse(use, definitionHash)}</span>
      </span>
      <span className="text-mute text-xs [overflow-wrap:anywhere]">
        {describeCause(version)} · <RelativeTime at={at} />
      </span>
    </button>
  );
}

/** `12 calls`, `12+ calls` while older ones are counted; empty until the first are. */
function formatUse(use: DefinitionUse | undefined, hash: string): string {
  if (use === undefined) return "";
  const count = use.counts[hash] ?? 0;
  if (use.complete) return count === 0 ? "no calls" : formatPlural(count, "call");
  return count === 0 ? "" : `${formatCount(count)}+ calls`;
}
