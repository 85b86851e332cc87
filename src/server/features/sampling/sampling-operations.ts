import { z } from "zod";
import { samplingRecordSchema } from "../../../lib/contract/sampling";
import { operations, read } from "../../platform/api/operation";

export const samplingOperations = operations("sampling", {
  list: read({
    rest: "GET /executions/{executionId}/sampling",
    summary: "List the sampling requests of a call that a setting answered",
    allow: "read",
    input: z.object({ executionId: z.string().max(100) }),
    output: z.array(samplingRecordSchema),
    run: ({ services }, input) => services.sampling.list(input.executionId),
  }),
});
