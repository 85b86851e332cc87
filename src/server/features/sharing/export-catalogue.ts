import {
  CATALOGUE_FILE_VERSION,
  type CatalogueFile,
  type ExportedFile,
  type ExportFormat,
  MAX_FILE_SERVERS,
  MAX_FILE_TOOLS,
} from "../../../lib/contract";
import { AppError } from "../../shared/app-error";
import { toMcpEntry, toPortableServer } from "./portable-server";
import type { SharingPorts } from "./sharing-ports";

export interface ExportChoice {
  format: ExportFormat;
  /** Names; null for all. */
  tools: readonly string[] | null;
  servers: readonly string[] | null;
}

/** The chosen tools and servers as the text of a file, without secrets. */
export function exportCatalogue(
  { tools, servers, clock }: Pick<SharingPorts, "tools" | "servers" | "clock">,
  choice: ExportChoice,
): ExportedFile {
  const notes: string[] = [];
  const exportedAt = new Date(clock.now()).toISOString();
  const chosenServers = (choice.servers ?? servers.list().items.map(({ name }) => name)).map((name) =>
    toPortableServer(servers.get(name), notes),
  );
  if (choice.format === "mcp") {
    const mcpServers = Object.fromEntries(chosenServers.map((server) => [server.name, toMcpEntry(server)]));
    return toFile("mcp.json", { mcpServers }, { tools: 0, servers: chosenServers.length, notes });
  }
  const chosenTools = choice.tools ?? exportableTools(tools);
  if (chosenTools.length > MAX_FILE_TOOLS || chosenServers.length > MAX_FILE_SERVERS) {
    throw new AppError(
      "INVALID",
      `tools: a file holds at most ${MAX_FILE_TOOLS} tools and ${MAX_FILE_SERVERS} servers: export them in parts`,
    );
  }
  const file: CatalogueFile = {
    toolroom: CATALOGUE_FILE_VERSION,
    exportedAt,
    tools: chosenTools.map((name) => toFileTool(tools, name)),
    servers: chosenServers,
  };
  const day = exportedAt.slice(0, 10);
  const counts = { tools: file.tools.length, servers: file.servers.length, notes };
  return toFile(`toolroom-${day}.json`, file, counts);
}

/** Tools of servers come with their server, those of code with their code. */
function exportableTools(tools: SharingPorts["tools"]): string[] {
  return tools
    .list()
    .items.filter(({ origin }) => origin === "console" || origin === "config")
    .map(({ name }) => name);
}

function toFileTool(tools: SharingPorts["tools"], name: string): CatalogueFile["tools"][number] {
  const tool = tools.find(name);
  if (tool === null) throw new AppError("NOT_FOUND", `Tool '${name}' not found`);
  if (tool.origin === "server" || tool.origin === "code") {
    const way = tool.origin === "server" ? "export its server instead" : "it is part of code";
    throw new AppError("INVALID", `tools: '${name}' cannot be exported: ${way}`);
  }
  return { definition: tool.definition, enabled: tool.enabled, approval: tool.approval.mode };
}

function toFile(fileName: string, content: object, counts: Omit<ExportedFile, "fileName" | "text">): ExportedFile {
  return { fileName, text: `${JSON.stringify(content, null, 2)}\n`, ...counts };
}
