import { byName, type MethodRules } from "../../platform/shared/method-rules";
import type { createBundleService } from "./bundle-service";

/** A bundle holds arguments and results: only the id of the execution is recorded. */
export const BUNDLE_RULES: MethodRules<ReturnType<typeof createBundleService>> = {
  export: { permission: "read", target: byName("execution") },
  open: {
    permission: "run",
    target: (_, outcome) => ({ kind: "execution", name: outcome?.id ?? "import" }),
    after: (_, { toolName, tool }) => ({ toolName, tool }),
  },
};
