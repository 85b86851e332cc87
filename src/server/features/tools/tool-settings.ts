import type { Actor } from "../../../lib/contract/actor";
import type { ApprovalMode, KeptApproval } from "../../../lib/contract/approval";
import { findApproverRule } from "../../../lib/contract/approver";
import type { ToolSummary } from "../../../lib/contract/catalogue-tool";
import { AppError } from "../../platform/shared/app-error";
import type { ToolContext } from "./tool-context";

/** What people set for tools of any origin: whether they are on, and whether they require approval. */
export function createToolSettings(context: ToolContext) {
  const { catalogue, store, approvals, views, onChange, runExclusive } = context;
  return {
    setEnabled: (_actor: Actor, name: string, enabled: boolean): Promise<ToolSummary> =>
      runExclusive(async () => {
        const entry = catalogue.find(name);
        if (entry.enabled !== enabled) {
          if (entry.origin === "console") await store.setEnabled(name, enabled);
          else {
            await store.setDisabled(name, !enabled);
            if (enabled) catalogue.switchedOff.delete(name);
            else catalogue.switchedOff.add(name);
          }
          catalogue.switchTool(name, enabled);
          onChange();
        }
        return views.summarise(catalogue.find(name));
      }),

    /** Overrides definition and policies. @param mode null removes the setting */
    setApproval(_actor: Actor, name: string, mode: ApprovalMode | null): Promise<ToolSummary> {
      // The permission was judged by this setting.
      const before = approvals.modeOf(name);
      return runExclusive(async () => {
        const entry = catalogue.find(name);
        if (findApproverRule(mode)?.notRequester === true && context.accounts !== true) {
          const wayOut = "switch them on under Settings → People, or choose another approval setting";
          throw new AppError("INVALID", `mode: without accounts there is no other person who could approve: ${wayOut}`);
        }
        await approvals.set(name, mode, before);
        if (before !== mode) onChange();
        return views.summarise(entry);
      });
    },

    /** Removes the setting that a name carries, also one without a tool. */
    liftApproval(_actor: Actor, name: string): Promise<KeptApproval> {
      const before = approvals.modeOf(name);
      return runExclusive(async () => {
        if (before === null) throw new AppError("NOT_FOUND", `The name '${name}' has no approval setting to remove`);
        await approvals.set(name, null, before);
        onChange();
        return { name, mode: before };
      });
    },
  };
}
