import { byName, type MethodRules } from "../../platform/shared/method-rules";
import type { createRunService } from "./run-service";

const target = byName("run");

/** Messages and settings are in the run's log. */
export const RUN_RULES: MethodRules<ReturnType<typeof createRunService>> = {
  start: { permission: "run", target: (_, made) => (made === undefined ? null : target([made.id])) },
  send: { permission: "run", target },
  stop: { permission: "run", target, after: (_, outcome) => outcome },
  resume: { permission: "run", target },
  rerun: {
    permission: "run",
    target: ([{ id }], made) => target([made?.id ?? id]),
    after: ([{ id, fromStep, results }]) => ({ rerunOf: id, fromStep, results }),
  },
};
