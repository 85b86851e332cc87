import { Download } from "lucide-react";
import { type ReactNode, useRef, useState } from "react";
import { FilterSelect } from "@/app/_kit/filter-select";
import { ListSearch } from "@/app/_kit/list-search";
import { saveFile } from "@/app/_kit/save-file";
import { useAction } from "@/app/_kit/use-action";
import { trpc } from "@/app/_trpc/client";
import { Alert } from "@/app/_ui/alert";
import { Button } from "@/app/_ui/button";
import { Card } from "@/app/_ui/card";
import { Checkbox } from "@/app/_ui/checkbox";
import { Segmented } from "@/app/_ui/segmented";
import { compareForReaders } from "@/lib/compare-for-readers";
import type { CatalogKind, ExportChoices, ExportFormat } from "@/lib/contract/catalog-file";
import { formatPlural } from "@/lib/format";

const FORMAT_HINTS: Record<ExportFormat, string> = {
  catalogue: "Tools and servers with their settings, toolsets, skills and rules, for another Toolroom.",
  mcp: "Servers only, for Claude, Cursor, VS Code and other MCP clients.",
};

type ChosenKind = Exclude<CatalogKind, "case">;

const LEGENDS: Record<ChosenKind, string> = {
  tool: "Tools",
  server: "Servers",
  toolset: "Toolsets",
  skill: "Skills",
  rule: "Rules",
};

export function ExportSection({ tools, servers, toolsets, skills, rules }: ExportChoices) {
  const search = useRef<HTMLInputElement>(null);
  const [format, setFormat] = useState<ExportFormat>("catalogue");
  const [q, setQ] = useState("");
  const [tag, setTag] = useState<string | null>(null);
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const [versions, setVersions] = useState(false);
  const matches = (name: string) => name.toLowerCase().includes(q.trim().toLowerCase());
  const shownTools =
    format === "mcp" ? [] : tools.filter((tool) => matches(tool.name) && (tag === null || tool.tags.includes(tag)));
  const shownServers = servers.filter(({ name }) => matches(name) && tag === null);
  const shownToolsets = format === "mcp" ? [] : toolsets.filter(({ name }) => matches(name) && tag === null);
  const shownSkills = format === "mcp" ? [] : skills.filter(({ name }) => matches(name) && tag === null);
  const shownRules = format === "mcp" ? [] : rules.filter(({ name }) => matches(name) && tag === null);
  const chosen = (kind: ChosenKind, items: readonly { name: string }[]) =>
    items.map(({ name }) => name).filter((name) => !left.has(`${kind}:${name}`));
  const chosenTools = chosen("tool", shownTools);
  const chosenServers = chosen("server", shownServers);
  const chosenToolsets = chosen("toolset", shownToolsets);
  const chosenSkills = chosen("skill", shownSkills);
  const chosenRules = chosen("rule", shownRules);
  const toggle = (key: string) =>
    setLeft((before) => {
      const next = new Set(before);
      if (!next.delete(key)) next.add(key);
      return next;
    });
  const all = [chosenTools, chosenServers, chosenToolsets, chosenSkills, chosenRules];
  const count = all.reduce((sum, { length }) => sum + length, 0);
  const { exporting, run } = useExport();
  const { data, problem, isPending } = exporting;

  return (
    <Card title="Export">
      <div className="flex flex-col gap-3 px-3.5 py-3">
        <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
          <Segmented
            label="Format"
            value={format}
            options={{ catalogue: "Catalog file", mcp: "mcp.json" }}
            onChange={setFormat}
          />
          <p className="text-mute text-xs">{FORMAT_HINTS[format]} Secret values are never exported.</p>
        </div>
        <div className="flex flex-wrap gap-2">
          <ListSearch
            label="Search what to export"
            placeholder="Search name"
            value={q}
            onChange={setQ}
            searchRef={search}
          />
          {format === "catalogue" && (
            <FilterSelect
              label="Tag"
              value={tag}
              options={[...new Set(tools.flatMap(({ tags }) => tags))].sort(compareForReaders)}
              onChange={setTag}
              className="max-w-40"
            />
          )}
        </div>
        <div className="grid gap-3 sm:grid-cols-2">
          {format === "catalogue" && (
            <Choices kind="tool" items={shownTools} left={left} onToggle={toggle} empty="No matching tools">
              Tools of servers come with their server, tools from code with their code.
            </Choices>
          )}
          <div className="flex min-w-0 flex-col gap-3">
            <Choices kind="server" items={shownServers} left={left} onToggle={toggle} empty="No matching servers" />
            {format === "catalogue" && toolsets.length > 0 && (
              <Choices
                kind="toolset"
                items={shownToolsets}
                left={left}
                onToggle={toggle}
                empty="No matching toolsets"
              />
            )}
            {format === "catalogue" && skills.length > 0 && (
              <Choices kind="skill" items={shownSkills} left={left} onToggle={toggle} empty="No matching skills" />
            )}
            {format === "catalogue" && rules.length > 0 && (
              <Choices kind="rule" items={shownRules} left={left} onToggle={toggle} empty="No matching rules">
                Cases come with all rules, or with the rule that they name.
              </Choices>
            )}
          </div>
        </div>
        <div className="flex flex-wrap items-center gap-3">
          <Button
            icon={Download}
            variant="primary"
            size="md"
            disabled={count === 0 || isPending}
            onClick={() =>
              run({
                format,
                versions,
                tools: chosenTools,
                servers: chosenServers,
                toolsets: chosenToolsets,
                skills: chosenSkills,
                rules: chosenRules.length === rules.length ? null : chosenRules,
              })
            }
          >
            Download
          </Button>
          {format === "catalogue" && (
            <label className="flex items-center gap-1.5 max-sm:min-h-10">
              <Checkbox checked={versions} onChange={setVersions} />
              Include earlier versions
            </label>
          )}
          <p role="status" className="text-mute text-xs">
            {format === "catalogue" && `${formatPlural(chosenTools.length, "tool")}, `}
            {formatPlural(chosenServers.length, "server")}
            {chosenToolsets.length > 0 && `, ${formatPlural(chosenToolsets.length, "toolset")}`}
            {chosenSkills.length > 0 && `, ${formatPlural(chosenSkills.length, "skill")}`}
            {chosenRules.length > 0 && `, ${formatPlural(chosenRules.length, "rule")}`}
          </p>
        </div>
        {problem !== null && <Alert live tone="bad" title={problem} />}
        {data !== undefined && data.notes.length > 0 && (
          <Alert live tone="accent" title={`${data.fileName} is saved`}>
            <ul className="text-xs">
              {data.notes.map((note) => (
                <li key={note}>{note}</li>
              ))}
            </ul>
          </Alert>
        )}
      </div>
    </Card>
  );
}

function useExport() {
  const exporting = useAction(trpc.sharing.export, {
    stale: [],
    failed: "Couldn't export",
    onDone: ({ fileName, text }) => saveFile(fileName, new Blob([text], { type: "application/json" })),
  });
  return { exporting, run: exporting.mutate };
}

interface ChoicesProps {
  kind: ChosenKind;
  items: readonly { name: string; enabled?: boolean }[];
  left: ReadonlySet<string>;
  onToggle: (key: string) => void;
  empty: string;
  children?: ReactNode;
}

function Choices({ kind, items, left, onToggle, empty, children }: ChoicesProps) {
  return (
    <fieldset className="min-w-0">
      <legend className="mb-1 font-medium">{LEGENDS[kind]}</legend>
      {children !== undefined && <p className="mb-1 text-mute text-xs">{children}</p>}
      <ul className="max-h-60 overflow-y-auto rounded-md border border-line" tabIndex={-1}>
        {items.length === 0 && <li className="px-2.5 py-1.5 text-mute">{empty}</li>}
        {items.map(({ name, enabled }) => (
          <li key={name} className="border-line border-b last:border-b-0 hover:bg-rail">
            <label className="flex cursor-pointer items-center gap-1.5 px-1.5 py-0.5 max-sm:min-h-10">
              <Checkbox checked={!left.has(`${kind}:${name}`)} onChange={() => onToggle(`${kind}:${name}`)} />
              <span className="min-w-0 truncate font-mono text-xs" title={name}>
                {name}
              </span>
              {enabled === false && <span className="text-faint text-xs">disabled</span>}
            </label>
          </li>
        ))}
      </ul>
    </fieldset>
  );
}
