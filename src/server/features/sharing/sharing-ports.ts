import type { ApprovalMode } from "../../../lib/contract/approval";
import type { ToolDetail, ToolSummary } from "../../../lib/contract/catalog-tool";
import type { ToolLens } from "../../../lib/contract/lens";
import type { Problem } from "../../../lib/contract/problem";
import type { ServerDetail, ServerSummary } from "../../../lib/contract/server";
import type { ServerImport } from "../../../lib/contract/server-import";
import type { Toolset, ToolsetInput, ToolsetSummary } from "../../../lib/contract/toolset";
import type { Clock } from "../../engine/ports";
import type { RuleCaseService } from "../rules/rule-case-service";
import type { RuleService } from "../rules/rule-service";
import type { PreparedServer } from "../servers/prepare-server";
import type { OwnSkillService } from "../skills/own-skill-service";
import type { VersionStore } from "../tools/tool-store";
import type { SharingStore } from "./sharing-store";

/** The functions of the tool service that export and import need. */
export interface SharedTools {
  list(): { items: readonly ToolSummary[] };
  find(name: string): ToolDetail | null;
  /** The approval setting of a name, in the catalog or not. */
  approvalMode(name: string): ApprovalMode | null;
  getLens(name: string): ToolLens | null;
  /** Why an own tool must not have this name, because of a server's tools; null where it may. */
  explainPrefix(name: string): string | null;
  /** Lists own tools whose names have the prefix of a server with this name. */
  listOwnTools(server: string): string[];
  /** Finds every problem of a definition. */
  findProblems(candidate: unknown): Problem[];
  /** Runs a write to the database while no one else changes tools; the catalog follows the database afterwards. */
  applyStored<T>(write: () => Promise<T>): Promise<T>;
}

/** The functions of the server service that export and import need. */
export interface SharedServers {
  list(): { items: ServerSummary[] };
  get(name: string): ServerDetail;
  documentText(name: string): string | null;
  has(name: string): boolean;
  prepare(candidate: unknown): PreparedServer | { problems: Problem[] };
  parseImport(text: string): Promise<ServerImport>;
  applyStored<T>(write: () => Promise<T>): Promise<T>;
}

/** The functions of the toolset service that export and import need. */
export interface SharedToolsets {
  list(): ToolsetSummary[];
  has(name: string): boolean;
  get(name: string): Toolset;
  read(candidate: unknown): { toolset: ToolsetInput } | { problems: Problem[] };
  applyStored<T>(write: () => Promise<T>): Promise<T>;
}

/** The functions of the skill service that export and import need. */
export type SharedSkills = Pick<OwnSkillService, "all" | "find" | "readInputs" | "toInputs" | "applyStored">;

/** The functions of the rule service that export and import need. */
export type SharedRules = Pick<RuleService, "all" | "read" | "findNamed" | "permissionFor" | "applyStored">;

/** The functions of the service of cases that export and import need. */
export type SharedRuleCases = Pick<RuleCaseService, "all" | "read" | "findNamed" | "applyStored">;

export interface SharingPorts {
  tools: SharedTools;
  servers: SharedServers;
  toolsets: SharedToolsets;
  skills: SharedSkills;
  rules: SharedRules;
  ruleCases: SharedRuleCases;
  /** Returns the problem of a lens's expression. */
  checkLens: (expression: string) => string | null;
  store: SharingStore;
  versions: Pick<VersionStore, "find" | "list">;
  /** `JSON.parse` that does not hold the event loop for large texts. */
  parseJson: (text: string) => Promise<unknown>;
  clock: Pick<Clock, "now">;
}
