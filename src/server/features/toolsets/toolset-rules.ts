import { permissionForToolset } from "../../../lib/contract/access";
import { byName, type MethodRules } from "../../platform/shared/method-rules";
import type { ToolsetService } from "./toolset-service";

export function createToolsetRules(toolsets: ToolsetService): MethodRules<ToolsetService> {
  return {
    create: {
      permission: permissionForToolset,
      target: ([{ name }]) => ({ kind: "toolset", name }),
      after: (_, made) => made,
    },
    update: {
      // A toolset that lets calls run without approval decides what runs unasked.
      permission: (name, input) =>
        permissionForToolset(toolsets.get(name)) === "edit" ? permissionForToolset(input) : "administer",
      target: ([name], made) => ({ kind: "toolset", name: made?.name ?? name }),
      state: ([name], made) => toolsets.get(made?.name ?? name),
    },
    delete: { permission: "edit", target: byName("toolset"), state: ([name]) => toolsets.get(name) },
  };
}
