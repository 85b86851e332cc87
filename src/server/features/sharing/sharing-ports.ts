import type { ApprovalMode } from "../../../lib/contract/approval";
import type { ToolDetail, ToolSummary } from "../../../lib/contract/catalogue-tool";
import type { ToolLens } from "../../../lib/contract/lens";
import type { Problem } from "../../../lib/contract/problem";
import type { ServerDetail, ServerSummary } from "../../../lib/contract/server";
import type { ServerImport } from "../../../lib/contract/server-import";
import type { Toolset, ToolsetInput, ToolsetSummary } from "../../../lib/contract/toolset";
import type { Clock } from "../../engine/ports";
import type { PreparedServer } from "../servers/prepare-server";
import type { VersionStore } from "../tools/tool-store";
import type { SharingStore } from "./sharing-store";

/** What export and import need of the tool service. */
export interface SharedTools {
  list(): { items: ToolSummary[] };
  find(name: string): ToolDetail | null;
  /** The approval setting of a name, in the catalog or not. */
  approvalMode(name: string): ApprovalMode | null;
  lensOf(name: string): ToolLens | null;
  /** Everything wrong with a definition. */
  problemsOf(candidate: unknown): Problem[];
  /** Runs a write to the database while no one else changes tools; the catalog follows the database afterwards. */
  applyStored<T>(write: () => Promise<T>): Promise<T>;
}

/** What export and import need of the server service. */
export interface SharedServers {
  list(): { items: ServerSummary[] };
  get(name: string): ServerDetail;
  documentText(name: string): string | null;
  has(name: string): boolean;
  prepare(candidate: unknown): PreparedServer | { problems: Problem[] };
  parseImport(text: string): Promise<ServerImport>;
  applyStored<T>(write: () => Promise<T>): Promise<T>;
}

/** What export and import need of the toolset service. */
export interface SharedToolsets {
  list(): ToolsetSummary[];
  has(name: string): boolean;
  get(name: string): Toolset;
  read(candidate: unknown): { toolset: ToolsetInput } | { problems: Problem[] };
  applyStored<T>(write: () => Promise<T>): Promise<T>;
}

export interface SharingPorts {
  tools: SharedTools;
  servers: SharedServers;
  toolsets: SharedToolsets;
  /** What is wrong with the expression of a lens. */
  checkLens: (expression: string) => string | null;
  store: SharingStore;
  versions: Pick<VersionStore, "find" | "list">;
  /** `JSON.parse` that does not hold the event loop for large texts. */
  parseJson: (text: string) => Promise<unknown>;
  clock: Pick<Clock, "now">;
}
