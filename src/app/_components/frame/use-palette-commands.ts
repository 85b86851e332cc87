"use client";

import { useQuery } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { favoritesFirst } from "@/app/_components/tools/list/tool-order";
import { useFavorites } from "@/app/_components/tools/summary/use-favorites";
import { DESTINATIONS } from "@/app/_kit/navigation";
import { usePreferences } from "@/app/_kit/preferences-provider";
import { useTRPC } from "@/app/_trpc/client";
import type { ToolSummary } from "@/lib/contract/catalogue-tool";
import { titleOf } from "@/lib/contract/execution-kind";
import { SERVER_KINDS } from "@/lib/contract/server-kind";
import { formatPlural } from "@/lib/format";
import type { PaletteCommand } from "./palette-commands";
import { THEME_OPTIONS } from "./theme-switch";
import { usePaletteFinds } from "./use-palette-finds";

const RECENT = 6;

/**
 * Everything the palette can do now. Tools and executions join when they are read; the rest never waits for them.
 * @param asked the search once typing paused
 */
export function usePaletteCommands(
  onShortcuts: () => void,
  asked: string,
): { commands: PaletteCommand[]; loading: boolean } {
  const trpc = useTRPC();
  const router = useRouter();
  const { preferences, change } = usePreferences();
  const tools = useQuery(trpc.tools.list.queryOptions());
  const favorites = useFavorites();
  const servers = useQuery(trpc.servers.list.queryOptions());
  const toolsets = useQuery(trpc.toolsets.list.queryOptions());
  const recent = useQuery(trpc.executions.list.queryOptions({ filter: {}, limit: RECENT }));
  const go = (href: string) => () => router.push(href);
  const finds = usePaletteFinds(asked, go);

  const commands: PaletteCommand[] = [
    ...pageActions(go),
    ...THEME_OPTIONS.filter(({ value }) => value !== preferences.theme).map(({ value, label }) => ({
      id: `do:theme-${value}`,
      group: "Actions" as const,
      label: `Theme: ${label.toLowerCase()}`,
      keywords: "toggle dark light mode colours",
      run: () => change({ theme: value }),
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
    ...favoritesFirst(tools.data?.items ?? [], favorites).map((tool) => ({
      id: `tool:${tool.name}`,
      group: "Tools" as const,
      label: tool.name,
      mono: true,
      hint: hintOf(tool, favorites),
      keywords: `open ${tool.title ?? ""} ${tool.description} ${tool.tags.join(" ")}`,
      run: go(`/tools/${encodeURIComponent(tool.name)}`),
    })),
    ...(servers.data?.items ?? []).map((server) => ({
      id: `server:${server.name}`,
      group: "Servers" as const,
      label: server.name,
      mono: true,
      hint: server.state.status.replaceAll("_", " "),
      keywords: `open ${SERVER_KINDS[server.transport].speaksMcp ? "mcp" : "openapi api"} ${server.title ?? ""} ${server.target}`,
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
    ...SETTINGS_COMMANDS.map(({ label, href, keywords }) => ({
      id: `settings:${href}`,
      group: "Settings" as const,
      label,
      keywords: `settings ${keywords}`,
      run: go(href),
    })),
    ...(recent.data?.items ?? []).map((execution) => ({
      id: `execution:${execution.id}`,
      group: "Recent executions" as const,
      label: titleOf(execution),
      mono: true,
      hint: execution.status.replace("_", " "),
      keywords: `${execution.id} ${execution.argumentsPreview}`,
      run: go(`/executions/${encodeURIComponent(execution.id)}`),
    })),
    ...finds.commands,
  ];
  return { commands, loading: tools.isPending || recent.isPending || finds.loading };
}

function hintOf({ name, enabled, deprecation }: ToolSummary, favorites: ReadonlySet<string>): string {
  if (!enabled) return "disabled";
  if (deprecation !== null) return "deprecated";
  return favorites.has(name) ? "favorite" : "run";
}

/** The actions that are pages. */
function pageActions(go: (href: string) => () => void): PaletteCommand[] {
  return [
    { id: "do:new", group: "Actions", label: "New tool", keywords: "create add", needs: "edit", run: go("/tools/new") },
    {
      id: "do:server",
      group: "Actions",
      label: "Add server",
      needs: "edit",
      keywords: "new mcp connect import paste",
      run: go("/servers/new"),
    },
    {
      id: "do:toolset",
      group: "Actions",
      label: "New toolset",
      needs: "edit",
      keywords: "create add selection tools",
      run: go("/toolsets/new"),
    },
    {
      id: "do:client",
      group: "Actions",
      label: "Connect a client",
      keywords: "gateway mcp claude cursor code inspector configuration",
      run: go("/servers?connect=1"),
    },
    {
      id: "do:check",
      group: "Actions",
      label: "Check a model",
      needs: "run",
      keywords: "model check validate scenarios tool calling",
      run: go("/settings/models?check=new"),
    },
    {
      id: "do:lens-failed",
      group: "Actions",
      label: "Show calls whose lens failed",
      keywords: "executions lens failure projection jmespath",
      run: go("/executions?lensFailed=true"),
    },
    {
      id: "do:conversation",
      group: "Actions",
      label: "New conversation",
      keywords: "playground chat model run start",
      run: go("/playground"),
    },
    {
      id: "do:transcript",
      group: "Actions",
      label: "New transcript",
      needs: "run",
      keywords: "create background queries listen",
      run: go("/runs/transcripts?new=1"),
    },
    {
      id: "do:paste",
      group: "Actions",
      label: "Import an mcp.json",
      needs: "edit",
      keywords: "paste servers configuration add",
      run: go("/servers/new?tab=paste"),
    },
  ];
}

/** Sections of Settings, by the heading that the page gives them. */
const SETTINGS_COMMANDS = [
  { label: "Appearance and keys", href: "/settings#appearance-and-keys", keywords: "theme single-key shortcuts" },
  { label: "Installation", href: "/settings#installation", keywords: "version node database file" },
  { label: "Configuration", href: "/settings#configuration", keywords: "file path toolroom.json" },
  {
    label: "Limits in force",
    href: "/settings#limits-in-force",
    keywords: "timeout max_stored_bytes max_model_chars arguments size depth",
  },
  { label: "Handlers", href: "/settings#handlers", keywords: "builtin internal modules" },
  { label: "Model providers", href: "/settings/models", keywords: "add key anthropic openai gemini ollama models" },
  {
    label: "Import and export",
    href: "/settings/sharing",
    keywords: "catalog share backup download upload file mcp.json servers tools",
  },
  { label: "Audit log", href: "/settings/audit", keywords: "history changes who sign-ins denied export compliance" },
  { label: "People", href: "/settings/people", keywords: "users accounts roles invite invitation switch on" },
  { label: "Your account", href: "/settings/account", keywords: "name password sessions sign out" },
  { label: "API tokens", href: "/settings/account#api-tokens", keywords: "create key secret bearer automation ci" },
] as const;
