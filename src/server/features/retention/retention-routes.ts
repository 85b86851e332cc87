import { z } from "zod";
import { retentionPolicySchema, retentionPreviewSchema, retentionStateSchema } from "../../../lib/contract/retention";
import { rowNumber } from "../../../lib/contract/row-number";
import { defineRoute } from "../../platform/api/route";

const getRetention = defineRoute({
  method: "GET",
  path: "/retention",
  permission: "administer",
  response: retentionStateSchema,
  summary: "Get the rules by which executions and runs are deleted, and the last sweeps",
  answer: ({ services, actor }) => services.retention.get(actor),
});

const previewRetention = defineRoute({
  method: "POST",
  path: "/retention/preview",
  permission: "administer",
  body: retentionPolicySchema,
  summary: "Count what these rules would delete now",
  response: retentionPreviewSchema,
  answer: ({ services, actor }, { body }) => services.retention.preview(actor, body),
});

const saveRetention = defineRoute({
  method: "PUT",
  path: "/retention",
  permission: "administer",
  body: retentionPolicySchema,
  summary: "Replace the rules and start a sweep. Without rules nothing is deleted",
  query: z.object({
    revision: z.coerce
      .number()
      .pipe(rowNumber)
      .optional()
      .describe("Of the rules that the edit began with: 409 where they are others by now"),
  }),
  response: retentionStateSchema,
  answer: ({ services, actor }, { body, query }) => services.retention.save(actor, body, query.revision),
});

const sweepRetention = defineRoute({
  method: "POST",
  path: "/retention/sweep",
  permission: "administer",
  summary: "Start the next sweep now",
  answer: async ({ services, actor }) => {
    await services.retention.sweepNow(actor);
    return undefined;
  },
});

export const RETENTION_ROUTES = [getRetention, previewRetention, saveRetention, sweepRetention];
