import type { BadgeTone } from "@/app/_ui/badge";
import type { ClientSeverity, FitVerdict, RemedyKind } from "@/lib/contract/client-verdict";
import type { ClientFinding } from "@/lib/contract/client-verdict-schema";

/** The tools that are checked; all of them where nothing is named. */
export interface FitPart {
  tool?: string;
  server?: string;
  toolset?: string;
}

export const VERDICT_TONES: Readonly<Record<FitVerdict, BadgeTone>> = {
  works: "ok",
  works_with_changes: "warn",
  does_not_work: "bad",
  cannot_tell: "neutral",
};

export const SEVERITY_TONES: Readonly<Record<ClientSeverity, BadgeTone>> = {
  refused: "bad",
  dropped: "warn",
  cut: "warn",
  warns: "neutral",
};

/** Returns the page for a remedy and the text of the link to it; null where Toolroom has no such page. */
export function toRemedyLink(
  { remedy, catalogTool, client }: ClientFinding,
  part: FitPart,
): { label: string; href: string } | null {
  if (remedy === null) return null;
  const links: Readonly<Record<RemedyKind, { label: string; href: string } | null>> = {
    rename: { label: "Rename in a toolset", href: toToolsetPath(part, catalogTool) },
    describe: { label: "Shorten in a toolset", href: toToolsetPath(part, catalogTool) },
    select: { label: "Choose tools in a toolset", href: toToolsetPath(part, null) },
    schema: toFormLink(client, catalogTool),
    lens: catalogTool === null ? null : { label: "Open its lens", href: `${toToolPath(catalogTool)}?tab=model` },
    connect: { label: "Connect a client", href: "/clients#connect" },
    access: { label: "API tokens", href: "/settings/tokens" },
    server: { label: "Server settings", href: toServerPath(part) },
    skill: { label: "Skills", href: "/skills" },
  };
  return links[remedy.kind];
}

const toToolPath = (name: string): string => `/tools/${encodeURIComponent(name)}`;

/** A toolset that is checked is the one to change; a new one begins with the tool, or with the tools of the server. */
function toToolsetPath({ toolset, server }: FitPart, tool: string | null): string {
  if (toolset !== undefined) return `/toolsets/${encodeURIComponent(toolset)}`;
  if (tool !== null) return `/toolsets/new?tool=${encodeURIComponent(tool)}`;
  return server === undefined ? "/toolsets/new" : `/toolsets/new?server=${encodeURIComponent(server)}`;
}

const toServerPath = ({ server }: FitPart): string =>
  server === undefined ? "/servers" : `/servers/${encodeURIComponent(server)}/edit`;

const FORMS: Partial<Record<ClientFinding["client"], string>> = {
  "anthropic-api": "anthropic",
  "openai-api": "openai",
  "openai-strict": "openai-strict",
  "gemini-api": "gemini",
  "ollama-api": "ollama",
};

function toFormLink(client: ClientFinding["client"], tool: string | null) {
  const form = FORMS[client];
  if (tool === null) return null;
  if (form === undefined) return { label: "Connect a client", href: "/clients#connect" };
  return { label: "Show its form", href: `${toToolPath(tool)}?tab=definition&provider=${form}` };
}
