// A team's own handlers. `builtins` and `internals` map names, as `implementation.handler` gives them, to functions of
// (args, context). The context holds `signal` (abort it and the call is over), `logger`, `progress` and `actor`.
import { setTimeout as delay } from "node:timers/promises";

export const builtins = {
  async slow_report(args, { signal, logger, progress }) {
    const steps = args.steps ?? 5;
    const stepMs = args.step_ms ?? 1000;
    for (let step = 1; step <= steps; step += 1) {
      await delay(stepMs, undefined, { signal });
      if (step === args.fail_at) throw new Error(`Step ${step} of ${steps} failed, as asked`);
      logger.info(`Step ${step} of ${steps} done`);
      progress(step, steps, `Step ${step}`);
    }
    return { report: `${steps} steps of ${stepMs} ms`, finished_at: new Date().toISOString() };
  },
};

// A new tool with this handler starts with these parameters.
builtins.slow_report.parameters = {
  type: "object",
  properties: {
    steps: { type: "integer", minimum: 1, description: "How many steps; default: 5" },
    step_ms: { type: "integer", minimum: 0, description: "Milliseconds per step; default: 1000" },
    fail_at: { type: "integer", description: "Fail at this step" },
  },
};
