import type { ApprovalMode, ApprovalPolicy, ToolApproval, ToolDefinition } from "../../../lib/contract";
import { getServerName } from "../../../lib/contract/tool-definition";
import { judgeApproval } from "../../engine/approvals/approval-policy";
import type { ToolStore } from "./tool-store";

/** Where the policies come from. Both are read for every call, so they only look into memory. */
export interface PolicySource {
  global: ApprovalPolicy;
  /** The policy of an MCP server; null where it follows the global one. */
  ofServer: (server: string) => ApprovalPolicy | null;
}

/** Which tools require approval. What people set is kept in memory too, since every call is checked. */
export function createToolApprovals(
  store: Pick<ToolStore, "approvalModes" | "setApprovalMode">,
  policies: PolicySource,
) {
  let modes: ReadonlyMap<string, ApprovalMode> = new Map();
  const modeOf = (name: string): ApprovalMode | null => modes.get(name) ?? null;

  async function set(name: string, mode: ApprovalMode | null): Promise<void> {
    if (modeOf(name) === mode) return;
    await store.setApprovalMode(name, mode);
    const next = new Map(modes);
    if (mode === null) next.delete(name);
    else next.set(name, mode);
    modes = next;
  }

  function judge(definition: ToolDefinition): ToolApproval {
    const server = getServerName(definition);
    return judgeApproval(definition, modeOf(definition.name), {
      server: server === null ? null : policies.ofServer(server),
      global: policies.global,
    });
  }

  return {
    async load(): Promise<void> {
      modes = await store.approvalModes();
    },
    modeOf,
    of: judge,
    required: (definition: ToolDefinition): boolean => judge(definition).required,
    set,

    /** Removes what was set for the tools that `isMeant` selects. */
    async forget(isMeant: (name: string, mode: ApprovalMode) => boolean): Promise<void> {
      for (const [name, mode] of modes) if (isMeant(name, mode)) await set(name, null);
    },

    /** Moves the setting to the new name and replaces what an earlier tool left there. */
    async rename(from: string, to: string): Promise<void> {
      const mode = modeOf(from);
      await set(to, mode);
      await set(from, null);
    },
  };
}
