import { z } from "zod";
import { accessRulesSchema, accessRulesStateSchema } from "../../../lib/contract/access-rules";
import { defineRoute } from "../../platform/api/route";

const getAccessRules = defineRoute({
  method: "GET",
  path: "/access-rules",
  permission: "administer",
  response: accessRulesStateSchema,
  summary: "Get the greatest age of API tokens, and when absent accounts are switched off",
  answer: ({ services, actor }) => services.accessRules.get(actor),
});

const saveAccessRules = defineRoute({
  method: "PUT",
  path: "/access-rules",
  permission: "administer",
  body: accessRulesSchema,
  summary: "Replace the access rules. Existing tokens stay as they are",
  query: z.object({
    revision: z.coerce
      .number()
      .int()
      .min(0)
      .optional()
      .describe("Of the rules that the edit began with: 409 where they are others by now"),
  }),
  response: accessRulesStateSchema,
  answer: ({ services, actor }, { body, query }) => services.accessRules.save(actor, body, query.revision),
});

export const ACCESS_RULES_ROUTES = [getAccessRules, saveAccessRules];
