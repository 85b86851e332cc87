import type { Actor } from "../../../lib/contract/actor";
import type { ApprovalMode } from "../../../lib/contract/approval";
import type { CallRuleInput } from "../../../lib/contract/call-rule";
import type { EarlierVersion } from "../../../lib/contract/catalog-file";
import type { RuleCaseInput } from "../../../lib/contract/rule-case";
import type { ServerSettings } from "../../../lib/contract/server";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import type { ToolsetInput } from "../../../lib/contract/toolset";
import type { ServerSecrets } from "../servers/server-secrets";
import type { SkillFolder } from "../skills/skill-folder";

export interface BatchTool {
  definition: ToolDefinition;
  enabled: boolean;
  approval: ApprovalMode | null;
  /** The current setting of its name. */
  approvalBefore: ApprovalMode | null;
  /** The expression; undefined keeps the lens. */
  lens: string | undefined;
  /** The definition that it replaces; null for a new tool. */
  before: ToolDefinition | null;
  /** The history of a new tool, oldest first; each definition has the tool's name. */
  earlier: readonly EarlierVersion[];
}

export interface BatchServer {
  settings: ServerSettings;
  secrets: ServerSecrets;
  enabled: boolean;
  /** Expressions by the name of the tool at the server. */
  lenses: Readonly<Record<string, string>>;
  /** The server that it replaces; null for a new one. */
  before: { id: string; settings: ServerSettings } | null;
}

export interface BatchToolset {
  toolset: ToolsetInput;
  /** The time when the replaced toolset changed; null for a new one. */
  before: number | null;
}

export interface BatchSkill {
  folder: SkillFolder;
  /** The version that it replaces, as it was compared; null for a new one. */
  before: number | null;
}

export interface BatchRule {
  rule: CallRuleInput;
  /** The rule that it replaces, as it was compared; null for a new one, which becomes the last. */
  before: { id: string; version: number } | null;
}

export interface BatchRuleCase {
  case: RuleCaseInput;
  /** The replaced case, as it was compared; null for a new one. */
  before: { id: string; revision: number } | null;
}

export interface CatalogBatch {
  tools: readonly BatchTool[];
  servers: readonly BatchServer[];
  toolsets: readonly BatchToolset[];
  skills: readonly BatchSkill[];
  rules: readonly BatchRule[];
  ruleCases: readonly BatchRuleCase[];
  /** Tools of the team whose names begin like those of a new server: what was set for them stays. */
  ownTools: readonly string[];
}

export interface SharingStore {
  /**
   * Writes all of it or nothing, in one transaction.
   * @throws AppError with the code CONFLICT where a name was taken or a replaced object was changed in between
   */
  apply(actor: Actor, batch: CatalogBatch): Promise<void>;
}
