import type { Actor } from "../../../lib/contract/actor";
import type { ApprovalMode, ApprovalPolicy, KeptApproval, ToolApproval } from "../../../lib/contract/approval";
import { findApproverRule, joinModes } from "../../../lib/contract/approver";
import type { ToolSummary } from "../../../lib/contract/catalog-tool";
import { getServerName, type ToolDefinition } from "../../../lib/contract/tool-definition";
import { type ApprovalSetting, checkApproval, listApprovalSettings } from "../../engine/approvals/approval-gate";
import type { Change, Edit } from "../../platform/shared/announced-edits";
import { AppError } from "../../platform/shared/app-error";
import type { Catalog } from "./catalog";
import type { ToolViews } from "./catalog-entry";
import type { ToolStore } from "./tool-store";

/** Where the policies come from. Both are read for every call, so they only look into memory. */
export interface PolicySource {
  global: ApprovalPolicy;
  /** The policy of an MCP server; null where it follows the global one. */
  ofServer: (server: string) => ApprovalPolicy | null;
}

export type ToolApprovals = ReturnType<typeof createToolApprovals>;

/**
 * The tools that require approval. Settings of users stay in memory too, since every call is checked. A setting belongs
 * to a name: one that requires approval stays when its tool or server is removed, `never` is removed with it.
 */
export function createToolApprovals(
  store: Pick<ToolStore, "approvalModes" | "setApprovalMode">,
  policies: PolicySource,
) {
  let modes: ReadonlyMap<string, ApprovalMode> = new Map();
  const getMode = (name: string): ApprovalMode | null => modes.get(name) ?? null;

  async function load(change: Change): Promise<void> {
    const before = JSON.stringify([...modes]);
    modes = await store.approvalModes();
    if (JSON.stringify([...modes]) !== before) change.mark();
  }

  /** @throws AppError CONFLICT where it was changed in between, or is not `before` */
  async function set(change: Change, name: string, mode: ApprovalMode | null, before = getMode(name)): Promise<void> {
    if (before === getMode(name)) {
      if (before === mode) return;
      if (await store.setApprovalMode(name, mode, before)) {
        const next = new Map(modes);
        if (mode === null) next.delete(name);
        else next.set(name, mode);
        modes = next;
        change.mark();
        return;
      }
      await load(change);
    }
    throw new AppError("CONFLICT", `The approval setting of '${name}' was just changed: look at it again`);
  }

  function readPolicies(definition: ToolDefinition) {
    const server = getServerName(definition);
    return { server: server === null ? null : policies.ofServer(server), global: policies.global };
  }

  const check = (definition: ToolDefinition): ToolApproval =>
    checkApproval(definition, getMode(definition.name), readPolicies(definition));

  return {
    load,
    getMode,
    /** Replaced, never changed. */
    get modes(): ReadonlyMap<string, ApprovalMode> {
      return modes;
    },
    /** The policy of an MCP server; null where it follows the global one. */
    getPolicy: policies.ofServer,
    of: check,
    /** The settings that decide, in their order. */
    listSettings: (definition: ToolDefinition): ApprovalSetting[] =>
      listApprovalSettings(definition, getMode(definition.name), readPolicies(definition)),
    /** @param inToolset the approval setting in the call's toolset */
    required(definition: ToolDefinition, inToolset?: boolean): boolean {
      if (inToolset === undefined) return check(definition).required;
      return inToolset || findApproverRule(getMode(definition.name)) !== null;
    },
    set,
    list: (): KeptApproval[] => Array.from(modes, ([name, mode]) => ({ name, mode })),

    /** A new tool does not inherit that an earlier one of its name needed no approval. */
    async dropNever(change: Change, isMeant: (name: string) => boolean): Promise<void> {
      for (const [name, mode] of modes) if (mode === "never" && isMeant(name)) await set(change, name, null);
    },

    /** The new name gets the setting too, joined with one that it carries. Called before the rename is stored. */
    async copy(change: Change, from: string, to: string): Promise<void> {
      const kept = getMode(to);
      await set(change, to, joinModes(getMode(from), kept === "never" ? null : kept));
    },

    /** Called after a rename: a setting that names an approver stays with the old name too, all others move. */
    async leave(change: Change, name: string): Promise<void> {
      if (findApproverRule(getMode(name)) === null) await set(change, name, null);
    },
  };
}

interface ApprovalEditPorts {
  catalog: Catalog;
  approvals: ToolApprovals;
  views: ToolViews;
  edit: Edit;
  /** Whether users have accounts. */
  accounts: boolean;
}

/** The approval settings that users change, for tools of any origin. They override definition and policies. */
export function createApprovalEdits({ catalog, approvals, views, edit, accounts }: ApprovalEditPorts) {
  return {
    /** @param mode null removes the setting */
    setApproval: (_actor: Actor, name: string, mode: ApprovalMode | null): Promise<ToolSummary> => {
      // The permission was checked by this setting.
      const before = approvals.getMode(name);
      return edit(async (change) => {
        const entry = catalog.find(name);
        if (findApproverRule(mode)?.notRequester === true && !accounts) {
          const wayOut = "switch them on under Settings → People, or choose another approval setting";
          throw new AppError("INVALID", `mode: without accounts there is no other user who could approve: ${wayOut}`);
        }
        await approvals.set(change, name, mode, before);
        return views.summarise(entry);
      });
    },

    /** Removes the setting that a name carries, also one without a tool. */
    liftApproval: (_actor: Actor, name: string): Promise<KeptApproval> => {
      const before = approvals.getMode(name);
      return edit(async (change) => {
        if (before === null) throw new AppError("NOT_FOUND", `The name '${name}' has no approval setting to remove`);
        await approvals.set(change, name, null, before);
        return { name, mode: before };
      });
    },
  };
}
