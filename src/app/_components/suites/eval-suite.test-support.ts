/** A suite of evals as the server returns it. */
export const EVAL_SUITE = {
  kind: "evals",
  name: "shop",
  description: "",
  tests: [],
  tools: [],
  schedule: null,
  nextRunAt: null,
  scheduledBy: null,
  approvals: "refuse",
  concurrency: 4,
  runWith: null,
  createdAt: 0,
  updatedAt: 0,
  testCount: 0,
  evalCount: 2,
  lastRun: null,
};
