import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { Star } from "lucide-react";
import { useMemo, useState } from "react";
import { ToolMarks } from "@/app/_components/tools/summary/tool-marks";
import { useFavorites } from "@/app/_components/tools/summary/use-favorites";
import { usePaused } from "@/app/_kit/use-paused-draft";
import { BY_CURSOR } from "@/app/_trpc/by-cursor";
import { trpc } from "@/app/_trpc/client";
import { Badge } from "@/app/_ui/badge";
import { Checkbox } from "@/app/_ui/checkbox";
import { cx } from "@/app/_ui/class-names";
import { Input } from "@/app/_ui/field";
import { ShowMore } from "@/app/_ui/show-more";
import { Skeleton } from "@/app/_ui/skeleton";
import type { ToolSelection } from "@/lib/contract/run";
import { MAX_FILTER_CHARS } from "@/lib/contract/tool-filter";
import type { ListedTool, NamedTool, ToolFilter } from "@/lib/contract/tool-list";
import { formatCount } from "@/lib/format";
import { groupTools, isChosen, type ToolGroup, withGroup, withTool } from "./tool-selection";

type Some = Extract<ToolSelection, { mode: "some" }>;

const ROWS = 100;
const NONE: ReadonlySet<string> = new Set();

interface ToolListProps {
  /** All tools that can be chosen. */
  tools: readonly NamedTool[];
  /** Selects the same tools in the list. */
  filter: ToolFilter;
  value: Some;
  /** Tools that are chosen in another way and cannot be taken out here. */
  fixed?: ReadonlySet<string>;
  /** The height of the list. */
  className?: string;
  onChange: (value: Some) => void;
}

/** The catalog by server, to choose from. */
export function ToolList({ tools, filter, value, fixed = NONE, className = "max-h-80", onChange }: ToolListProps) {
  const [search, setSearch] = useState("");
  const favorites = useFavorites();
  const q = usePaused(search.trim().slice(0, MAX_FILTER_CHARS));
  const input = { filter: { ...filter, ...(q !== "" && { q }) }, sort: "favorites", limit: ROWS } as const;
  const list = useInfiniteQuery({
    ...trpc.tools.list.infiniteQueryOptions(input, BY_CURSOR),
    placeholderData: keepPreviousData,
  });
  const rows = list.data?.pages.flatMap(({ items }) => items) ?? [];
  const known = useMemo(() => new Set(tools.map(({ name }) => name)), [tools]);
  const members = useMemo(() => new Map(groupTools(tools).map((group) => [group.server, group.tools])), [tools]);
  const missing = value.tools.filter((name) => !known.has(name));
  return (
    <div className="min-w-0 rounded-lg border border-line bg-panel">
      <div className="border-line border-b p-1.5">
        <Input
          type="search"
          aria-label="Search tools to choose"
          placeholder="Search tools"
          value={search}
          onChange={(event) => setSearch(event.target.value)}
          // In a form, Enter would submit it.
          onKeyDown={(event) => event.key === "Enter" && event.preventDefault()}
        />
      </div>
      <div className={cx("overflow-auto p-1", className)} aria-busy={list.isFetching}>
        {groupTools(rows).map((group) => (
          <Group
            key={group.server ?? ""}
            group={group}
            members={q === "" ? (members.get(group.server) ?? []) : group.tools}
            {...{ favorites, tools, value, fixed, onChange }}
            isSearched={q !== ""}
          />
        ))}
        {list.isPending && <Skeleton className="h-40" />}
        {list.error !== null && <p className="px-2 py-1 text-bad text-xs">Couldn't load tools: {list.error.message}</p>}
        {list.isSuccess && rows.length === 0 && <p className="px-2 py-1 text-mute text-xs">No matching tools.</p>}
        <ShowMore
          rest={list.hasNextPage ? (list.data?.pages[0]?.matching ?? 0) - rows.length : 0}
          onMore={() => void list.fetchNextPage()}
        />
      </div>
      {missing.length > 0 && (
        <p className="border-line border-t px-2 py-1.5 text-warn text-xs [overflow-wrap:anywhere]">
          Not in the catalog: {missing.slice(0, 5).join(", ")}
          {missing.length > 5 && ` and ${missing.length - 5} more`}
        </p>
      )}
    </div>
  );
}

type Member = Pick<NamedTool, "name" | "server">;

interface GroupProps extends Required<Omit<ToolListProps, "className" | "filter">> {
  /** The group with the rows that are visible. */
  group: ToolGroup<ListedTool>;
  /** The tools that its box chooses: all of the server, or those that a search found. */
  members: readonly Member[];
  favorites: ReadonlySet<string>;
  /** Choosing all leaves out tools that the search hides. */
  isSearched: boolean;
}

function Group({ group, members, favorites, isSearched, tools, value, fixed, onChange }: GroupProps) {
  const isOn = (tool: Member): boolean => fixed.has(tool.name) || isChosen(value, tool);
  const chosen = members.filter(isOn).length;
  const all = chosen === members.length;
  function chooseAll(checked: boolean): void {
    if (!isSearched) onChange(withGroup(value, { server: group.server, tools: [...members] }, checked));
    else onChange(members.reduce((before, tool) => withTool(before, tool, checked, tools), value));
  }
  return (
    <fieldset className="min-w-0">
      <legend className="flex w-full items-center gap-2 px-2 pt-1.5 pb-0.5 text-mute text-xs">
        <label className="flex min-w-0 cursor-pointer items-center gap-2">
          <Checkbox
            checked={all}
            ref={(box) => {
              if (box) box.indeterminate = chosen > 0 && !all;
            }}
            onChange={chooseAll}
          />
          <span className="min-w-0 truncate font-medium">{group.server ?? "This Toolroom"}</span>
        </label>
        <span className="ml-auto tabular-nums">
          {formatCount(chosen)} / {formatCount(members.length)}
        </span>
      </legend>
      {group.tools.map((tool) => (
        <label
          key={tool.name}
          title={fixed.has(tool.name) ? "Selected by a pattern" : tool.description}
          className="flex min-h-6 cursor-pointer items-center gap-2 rounded-sm px-2 py-0.5 pl-6 hover:bg-rail"
        >
          <Checkbox
            checked={isOn(tool)}
            disabled={fixed.has(tool.name) && !isChosen(value, tool)}
            onChange={(checked) => onChange(withTool(value, tool, checked, tools))}
          />
          <span className="min-w-0 truncate font-mono text-xs">
            {group.server === null ? tool.name : tool.name.replace(`${group.server}__`, "")}
          </span>
          {favorites.has(tool.name) && (
            <Star aria-label="Favorite" size={12} className="shrink-0 fill-current text-accent" />
          )}
          <ToolMarks tool={tool} />
          {tool.approval.required && (
            <Badge tone="warn" title="Requires approval before it runs">
              approval
            </Badge>
          )}
        </label>
      ))}
    </fieldset>
  );
}
