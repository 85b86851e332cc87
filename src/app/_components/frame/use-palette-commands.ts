import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useFavorites } from "@/app/_components/tools/summary/use-favorites";
import { DESTINATIONS } from "@/app/_kit/navigation";
import { THEMES } from "@/app/_kit/preferences";
import { usePreferences } from "@/app/_kit/preferences-provider";
import { trpc } from "@/app/_trpc/client";
import { describeStatus } from "@/app/_ui/status-badge";
import type { Permission } from "@/lib/contract/access";
import { formatTitle } from "@/lib/contract/execution-kind";
import { listMarks } from "@/lib/contract/tool-facts";
import { MAX_FILTER_CHARS } from "@/lib/contract/tool-filter";
import type { SuggestedTool } from "@/lib/contract/tool-list";
import { formatPlural } from "@/lib/format";
import { toServerKeywords } from "@/lib/server-keywords";
import type { PaletteCommand } from "./palette-commands";

const RECENT = 6;

interface PaletteSearch {
  /** What is typed now. */
  typed: string;
  /** The same once typing paused: what the server is asked for. */
  asked: string;
}

/**
 * Everything the palette can do now, and the groups that are still being read. Tools and executions join when they are read; the rest
 * never waits for them.
 */
export function usePaletteCommands(
  onShortcuts: () => void,
  { typed, asked }: PaletteSearch,
): { commands: PaletteCommand[]; pending: PaletteCommand["group"][] } {
  const router = useRouter();
  const { preferences, change } = usePreferences();
  const search = asked.trim().slice(0, MAX_FILTER_CHARS);
  const tools = useQuery({ ...trpc.tools.suggest.queryOptions({ search }), placeholderData: keepPreviousData });
  const favorites = useFavorites();
  const servers = useQuery({ ...trpc.servers.suggest.queryOptions({ search }), placeholderData: keepPreviousData });
  const toolsets = useQuery(trpc.toolsets.list.queryOptions());
  const recent = useQuery(trpc.executions.list.queryOptions({ filter: {}, limit: RECENT }));
  const go = (href: string) => () => router.push(href);
  const finds = usePaletteFinds(asked, go);

  const commands: PaletteCommand[] = [
    ...toCommands("Actions", PAGE_ACTIONS, go),
    ...THEMES.filter((theme) => theme !== preferences.theme).map((theme) => ({
      id: `do:theme-${theme}`,
      group: "Actions" as const,
      label: `Theme: ${theme}`,
      keywords: "toggle dark light mode colours",
      run: () => change({ theme }),
    })),
    {
      id: "do:single-keys",
      group: "Actions",
      label: `Single-key shortcuts: ${preferences.keys === "on" ? "off" : "on"}`,
      keywords: "keyboard toggle turn",
      run: () => change({ keys: preferences.keys === "on" ? "off" : "on" }),
    },
    { id: "do:keys", group: "Actions", label: "Keyboard shortcuts", keywords: "help", run: onShortcuts },
    ...DESTINATIONS.map(({ href, label, key }) => ({
      id: `go:${href}`,
      group: "Go to" as const,
      label,
      hint: `g ${key}`,
      run: go(href),
    })),
    ...(tools.data ?? []).map((tool) => ({
      id: `tool:${tool.name}`,
      group: "Tools" as const,
      label: tool.name,
      mono: true,
      hint: formatHint(tool, favorites),
      keywords: `open ${tool.title ?? ""} ${tool.description} ${tool.tags.join(" ")}`,
      run: go(`/tools/${encodeURIComponent(tool.name)}`),
    })),
    ...(servers.data ?? []).map((server) => ({
      id: `server:${server.name}`,
      group: "Servers" as const,
      label: server.name,
      mono: true,
      hint: server.status.replaceAll("_", " "),
      keywords: toServerKeywords(server),
      run: go(`/servers/${encodeURIComponent(server.name)}`),
    })),
    ...(toolsets.data ?? []).map(({ name, title, description, toolCount }) => ({
      id: `toolset:${name}`,
      group: "Toolsets" as const,
      label: name,
      mono: true,
      hint: formatPlural(toolCount, "tool"),
      keywords: `open toolset ${title} ${description}`,
      run: go(`/toolsets/${encodeURIComponent(name)}`),
    })),
    ...toCommands("Settings", SETTINGS, go),
    ...(recent.data?.items ?? []).map((execution) => ({
      id: `execution:${execution.id}`,
      group: "Recent executions" as const,
      label: formatTitle(execution),
      mono: true,
      hint: execution.status.replace("_", " "),
      keywords: `${execution.id} ${execution.argumentsPreview}`,
      run: go(`/executions/${encodeURIComponent(execution.id)}`),
    })),
    ...finds.commands,
    // From the first pause on, for what is typed by now.
    ...(asked.trim().length < LEAST_SEARCH_CHARS ? [] : toSearchCommands(typed, go)),
  ];
  const isUnasked = typed.trim() !== asked.trim();
  const pending: PaletteCommand["group"][] = [
    ...finds.pending,
    ...(tools.isFetching || isUnasked ? (["Tools"] as const) : []),
    ...(servers.isFetching || isUnasked ? (["Servers"] as const) : []),
    ...(toolsets.isPending ? (["Toolsets"] as const) : []),
    ...(recent.isPending ? (["Recent executions"] as const) : []),
    ...(isUnasked ? (["Runs"] as const) : []),
    ...(isUnasked && isId(typed.trim()) ? (["Open"] as const) : []),
  ];
  return { commands, pending };
}

function formatHint(tool: SuggestedTool, favorites: ReadonlySet<string>): string {
  const [mark] = listMarks(tool);
  return mark?.word ?? (favorites.has(tool.name) ? "favorite" : "run");
}

type Row = readonly [label: string, href: string, keywords: string, needs?: Permission];

/** The actions that open a page. */
const PAGE_ACTIONS: readonly Row[] = [
  ["New tool", "/tools/new", "create add", "edit"],
  ["Add server", "/servers/new", "new mcp connect import paste", "edit"],
  ["Add the sample server", "/servers/new?template=zwave", "example demo zwave smart home house try new", "edit"],
  ["New toolset", "/toolsets/new", "create add selection tools", "edit"],
  ["Connect a client", "/clients#connect", "connect gateway mcp claude cursor code inspector configuration wrap"],
  ["Add eval", "/suites?eval=new", "question expected tool selection suite", "edit"],
  ["Show calls whose lens failed", "/executions?lensFailed=true", "executions lens failure projection jmespath"],
  ["New conversation", "/playground", "playground chat model run start"],
  ["Rules", "/approvals/rules", "rules allow deny ask policy condition arguments approval record"],
  ["New rule", "/approvals/rules?rule=new", "create add rule allow deny ask condition", "edit"],
  ["Alert rules", "/alerts", "alerts rules notify notice failure rate latency server down threshold bell"],
  ["Import an mcp.json", "/servers/new?tab=paste", "paste servers configuration add", "edit"],
  ["Spend", "/approvals/rules/spend", "spend cost costs price prices dollars budget money models tools"],
  ["New skill", "/skills/new", "create add skill instructions agent SKILL.md", "edit"],
];

/** Sections of Settings, by the heading that the page gives them. */
const SETTINGS: readonly Row[] = [
  ["Appearance and keys", "/settings", "theme single-key shortcuts"],
  ["Installation", "/settings/installation", "general version node database file instances"],
  ["Configuration", "/settings/installation#configuration", "file path toolroom.json"],
  [
    "Limits in force",
    "/settings/installation#limits-in-force",
    "timeout max_stored_bytes max_model_chars arguments size depth",
  ],
  ["Handlers", "/settings/installation#handlers", "builtin internal modules"],
  ["Model providers", "/settings/models", "add key anthropic openai gemini ollama models"],
  ["Import and export", "/settings/sharing", "catalog share backup download upload file mcp.json servers tools"],
  ["Storage", "/settings/storage", "retention delete old disk space backup copies database size"],
  ["Webhooks", "/settings/webhooks", "events notify send post signature delivery slack"],
  ["Team registry", "/settings/registry", "allowed servers allow-list vs code copilot jetbrains"],
  ["Background jobs", "/settings/storage#background-jobs", "queues background work failures retry schedule"],
  ["Audit log", "/settings/audit", "history changes who sign-ins denied export compliance"],
  ["People", "/settings/people", "users accounts roles invite invitation switch on"],
  ["Your account", "/settings/account", "name password sessions sign out"],
  ["API tokens", "/settings/account#api-tokens", "create key secret bearer automation ci"],
];

/** Rows as commands that open their page. */
function toCommands(
  group: PaletteCommand["group"],
  rows: readonly Row[],
  go: (href: string) => () => void,
): PaletteCommand[] {
  return rows.map(([label, href, keywords, needs]) => ({
    id: `${group}:${href}`,
    group,
    label,
    keywords: group === "Settings" ? `settings ${keywords}` : keywords,
    needs,
    run: go(href),
  }));
}

const MAX_RUNS = 6;
/** Shorter texts are in nearly every title. */
const LEAST_CHARS = 2;
const LEAST_SEARCH_CHARS = 3;
const EXECUTION_ID = /^exec_[A-Za-z0-9]{8,40}$/;
const RUN_ID = /^run_[A-Za-z0-9_-]{8,40}$/;
const isId = (text: string): boolean => EXECUTION_ID.test(text) || RUN_ID.test(text);

function toSearchCommands(typed: string, go: (href: string) => () => void): PaletteCommand[] {
  const text = typed.trim().slice(0, 200);
  if (text.length < LEAST_SEARCH_CHARS) return [];
  return [
    {
      id: "search:executions",
      group: "Search",
      label: `Search executions for “${text}”`,
      always: true,
      run: go(`/executions?q=${encodeURIComponent(text)}`),
    },
  ];
}

/** Finds what only the server can find for a search: the call or run with this id, and runs by their titles. */
function usePaletteFinds(search: string, go: (href: string) => () => void) {
  const text = search.trim().slice(0, 200);
  const executions = useQuery({
    ...trpc.executions.list.queryOptions({ filter: { q: text }, limit: 1 }),
    enabled: EXECUTION_ID.test(text),
  });
  const run = useQuery({ ...trpc.runs.get.queryOptions({ id: text }), enabled: RUN_ID.test(text), retry: false });
  const runs = useQuery({
    ...trpc.runs.list.queryOptions({ filter: { q: text }, limit: MAX_RUNS }),
    enabled: text.length >= LEAST_CHARS,
    placeholderData: keepPreviousData,
  });
  const execution = executions.data?.items.find(({ id }) => id === text);

  const commands: PaletteCommand[] = [];
  if (execution !== undefined) {
    commands.push({
      id: `open:${execution.id}`,
      group: "Open",
      label: execution.id,
      mono: true,
      hint: `${formatTitle(execution)}, ${describeStatus(execution.status, execution.errorKind)}`,
      run: go(`/executions/${execution.id}`),
    });
  }
  if (RUN_ID.test(text) && run.data !== undefined) {
    commands.push({
      id: `open:${text}`,
      group: "Open",
      label: text,
      mono: true,
      hint: run.data.title,
      run: go(`/runs/${encodeURIComponent(text)}`),
    });
  }
  for (const { id, title, status } of text.length < LEAST_CHARS ? [] : (runs.data?.items ?? [])) {
    commands.push({
      id: `run:${id}`,
      group: "Runs",
      label: title,
      hint: describeStatus(status),
      run: go(`/runs/${encodeURIComponent(id)}`),
    });
  }
  const pending: PaletteCommand["group"][] = [
    ...(executions.isFetching || run.isFetching ? (["Open"] as const) : []),
    ...(runs.isFetching ? (["Runs"] as const) : []),
  ];
  return { commands, pending };
}
