import { permissionForApproval } from "../../../lib/contract/approver";
import { byName, type MethodRules, READS, readName } from "../../platform/shared/method-rules";
import type { ToolService } from "./tool-service";

const target = byName("tool");

export function createToolRules(tools: ToolService): MethodRules<ToolService> {
  function toState(name: string) {
    const { definition, enabled } = tools.get(name);
    return { enabled, definition };
  }
  const state = ([name]: [name: string, ...unknown[]]) => toState(name);
  return {
    create: {
      permission: "edit",
      target: ([text], made) => ({ kind: "tool", name: made?.name ?? readNameInText(text) }),
      after: (_, made) => toState(made.name),
    },
    update: {
      permission: "edit",
      target: ([name], made) => ({ kind: "tool", name: made?.name ?? name }),
      state: ([name], made) => toState(made?.name ?? name),
    },
    delete: { permission: "edit", target, state },
    restore: {
      permission: "edit",
      target: ([id], made) => ({ kind: "tool", name: made?.name ?? id }),
      after: (_, made) => toState(made.name),
    },
    restoreVersion: {
      permission: "edit",
      target,
      state,
      after: ([name, number]) => ({ ...toState(name), restoredFrom: number }),
    },
    setEnabled: { permission: "edit", target, state: ([name]) => ({ enabled: tools.get(name).enabled }) },
    setOwner: { permission: "edit", target, state: ([name]) => ({ owner: tools.get(name).owner }) },
    setDeprecation: { permission: "edit", target, state: ([name]) => ({ deprecation: tools.get(name).deprecation }) },
    setLens: { permission: "edit", target, state: ([name]) => ({ lens: tools.get(name).lens?.expression ?? null }) },
    // Everyone's own.
    favorites: { permission: "read", ...READS },
    setFavorite: { permission: "read", unrecorded: "It changes nothing for others", target },
    // A possible requester must not decide who approves.
    setApproval: {
      permission: (name, mode) => permissionForApproval(tools.approvalMode(name), mode),
      target,
      state: ([name]) => ({ approval: tools.get(name).approval }),
    },
    liftApproval: {
      permission: (name) => permissionForApproval(tools.approvalMode(name), null),
      target,
      state: ([name]) => ({ mode: tools.approvalMode(name) }),
    },
  };
}

function readNameInText(text: string): string {
  try {
    return readName(JSON.parse(text));
  } catch {
    return "";
  }
}
