import { byName, IN_EXECUTION, type MethodRules, READS } from "../../platform/shared/method-rules";
import type { ExecutionService } from "./execution-service";

const target = byName("execution");

export const EXECUTION_RULES: MethodRules<ExecutionService> = {
  run: { permission: "run", ...IN_EXECUTION, target: ([{ tool: name }]) => ({ kind: "tool", name }) },
  replay: { permission: "run", ...IN_EXECUTION, target },
  cancel: { permission: "run", target, after: (_, outcome) => outcome },
  setPinned: { permission: "run", target, after: ([, pinned]) => ({ pinned }) },
  delete: {
    permission: "administer",
    target: (_, outcome) => ({ kind: "execution", name: `${outcome?.deleted ?? 0} deleted` }),
    after: ([choice], outcome) => ({ ...choice, ...outcome }),
  },
  deletionPreview: { permission: "administer", ...READS },
};
