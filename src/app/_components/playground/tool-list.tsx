import { Star } from "lucide-react";
import { useState } from "react";
import { favoritesFirst } from "@/app/_components/tools/list/tool-order";
import { ToolMarks } from "@/app/_components/tools/summary/tool-marks";
import { useFavorites } from "@/app/_components/tools/summary/use-favorites";
import { Badge } from "@/app/_ui/badge";
import { Checkbox } from "@/app/_ui/checkbox";
import { cx } from "@/app/_ui/class-names";
import { Input } from "@/app/_ui/field";
import { ShowMore } from "@/app/_ui/show-more";
import type { ToolSummary } from "@/lib/contract/catalog-tool";
import type { ToolSelection } from "@/lib/contract/run";
import { formatCount } from "@/lib/format";
import { createWordMatcher } from "@/lib/match-words";
import { groupTools, isChosen, type ToolGroup, withGroup, withTool } from "./tool-selection";

type Some = Extract<ToolSelection, { mode: "some" }>;

const SHOWN = 150;
const NONE: ReadonlySet<string> = new Set();

interface ToolListProps {
  tools: readonly ToolSummary[];
  value: Some;
  /** Tools that are chosen in another way and cannot be taken out here. */
  fixed?: ReadonlySet<string>;
  /** The height of the list. */
  className?: string;
  onChange: (value: Some) => void;
}

/** The catalog by server, to choose from. */
export function ToolList({ tools, value, fixed = NONE, className = "max-h-80", onChange }: ToolListProps) {
  const [search, setSearch] = useState("");
  const [limit, setLimit] = useState(SHOWN);
  const favorites = useFavorites();
  const matches = createWordMatcher(search);
  const matching = favoritesFirst(tools, favorites).filter(({ name, title, description }) =>
    matches(name, title, description),
  );
  const missing = value.tools.filter((name) => !tools.some((tool) => tool.name === name));
  return (
    <div className="min-w-0 rounded-lg border border-line bg-panel">
      <div className="border-line border-b p-1.5">
        <Input
          type="search"
          aria-label="Search tools to choose"
          placeholder="Search tools"
          value={search}
          onChange={(event) => setSearch(event.target.value)}
          // In a form, Enter would send it.
          onKeyDown={(event) => event.key === "Enter" && event.preventDefault()}
        />
      </div>
      <div className={cx("overflow-auto p-1", className)}>
        {groupTools(matching.slice(0, limit)).map((group) => (
          <Group
            key={group.server ?? ""}
            group={group}
            {...{ favorites, tools, value, fixed, onChange }}
            isSearched={search.trim() !== ""}
          />
        ))}
        {matching.length === 0 && <p className="px-2 py-1 text-mute text-xs">No matching tools.</p>}
        <ShowMore rest={matching.length - limit} onMore={() => setLimit(limit + SHOWN)} />
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

interface GroupProps extends Required<Omit<ToolListProps, "className">> {
  group: ToolGroup<ToolSummary>;
  favorites: ReadonlySet<string>;
  /** Choosing all leaves out tools that the search hides. */
  isSearched: boolean;
}

function Group({ group, favorites, isSearched, tools, value, fixed, onChange }: GroupProps) {
  const members = isSearched ? group.tools : tools.filter((tool) => tool.server === group.server);
  const isOn = (tool: ToolSummary): boolean => fixed.has(tool.name) || isChosen(value, tool);
  const chosen = members.filter(isOn).length;
  const all = chosen === members.length;
  function chooseAll(checked: boolean): void {
    if (!isSearched) onChange(withGroup(value, { server: group.server, tools: members }, checked));
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
