import type { ApprovalMode, ApprovalPolicy, ToolApproval, ToolDefinition } from "../../../lib/contract";
import { judgeApproval } from "../../engine/approval-policy";
import type { ToolStore } from "./tool-store";

/** Which tools ask a person first: what people set, kept in memory too, since every call asks. */
export function createToolApprovals(
  store: Pick<ToolStore, "approvalModes" | "setApprovalMode">,
  policy: ApprovalPolicy,
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

  return {
    async load(): Promise<void> {
      modes = await store.approvalModes();
    },
    of: (definition: ToolDefinition): ToolApproval => judgeApproval(definition, modeOf(definition.name), policy),

    /** Every call asks, so it only looks into memory. */
    required: (definition: ToolDefinition): boolean =>
      judgeApproval(definition, modeOf(definition.name), policy).required,
    set,

    /** Takes away what was set for the tools that are meant. */
    async forget(isMeant: (name: string, mode: ApprovalMode) => boolean): Promise<void> {
      for (const [name, mode] of modes) if (isMeant(name, mode)) await set(name, null);
    },

    /** What was set goes with the tool; what was left under the new name by an earlier tool does not stay. */
    async rename(from: string, to: string): Promise<void> {
      const mode = modeOf(from);
      await set(to, mode);
      await set(from, null);
    },
  };
}
