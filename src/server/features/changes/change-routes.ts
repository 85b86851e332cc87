import { z } from "zod";
import { changeReviewSchema } from "../../../lib/contract/change-review";
import { changeDecisionSchema, changedToolsSchema, heldReferenceSchema } from "../../../lib/contract/held-change";
import { defineRoute } from "../../platform/api/route";

const CHANGES = "/servers/{name}/changes";

const decideChanges = defineRoute({
  method: "POST",
  path: `${CHANGES}/decide`,
  permission: "edit",
  summary: "Approve, block or ignore changes. Each counts for the hash and status that it names only",
  body: z.strictObject({ decision: changeDecisionSchema, changes: z.array(heldReferenceSchema).min(1).max(200) }),
  response: z.object({ decided: z.array(z.string()), missed: z.array(z.string()) }),
  answer: ({ services, actor }, { param, body: { decision, changes } }) =>
    services.servers.decideChanges(actor, param("name"), changes, decision),
});

const setPolicy = defineRoute({
  method: "PUT",
  path: `${CHANGES}/policy`,
  permission: "edit",
  summary: "Choose whether changed tools of a server wait for a review: auto, review or off",
  body: z.strictObject({ policy: changedToolsSchema }),
  response: changeReviewSchema,
  async answer({ services, actor }, { param, body }) {
    await services.servers.setChangedTools(actor, param("name"), body.policy);
    return await services.changes.review(param("name"));
  },
});

export const CHANGE_ROUTES = [decideChanges, setPolicy];
