import { z } from "zod";
import {
  changeReportSchema,
  changeReviewSchema,
  replayRequestSchema,
  ruleSettingsSchema,
  trafficWindowSchema,
  waitingChangesSchema,
} from "../../../lib/contract/change-review";
import { changeDecisionSchema, changedToolsSchema, heldReferenceSchema } from "../../../lib/contract/held-change";
import { defineRoute } from "../../platform/api/route";
import { procedure, router } from "../../platform/api/trpc";

const CHANGES = "/servers/{name}/changes";
const DAY_MS = 86_400_000;
const UNITS = { m: 60_000, h: 3_600_000, d: DAY_MS } as const;

const listWaiting = defineRoute({
  method: "GET",
  path: "/changes",
  permission: "read",
  summary: "List the servers with changed tools that wait for a decision, or broke something and are in use",
  response: z.object({ items: z.array(waitingChangesSchema) }),
  answer: async ({ services }) => ({ items: await services.changes.waiting() }),
});

const getChanges = defineRoute({
  method: "GET",
  path: CHANGES,
  permission: "read",
  response: changeReviewSchema,
  summary:
    "Get the changed tools of a server that wait, or broke something and are in use, with what schemas, recorded calls and replays say",
  answer: ({ services }, { param }) => services.changes.review(param("name")),
});

const judgeChanges = defineRoute({
  method: "POST",
  path: `${CHANGES}/judge`,
  permission: "read",
  response: changeReviewSchema,
  summary: "Judge recorded calls by the changes that wait, again. Makes no call",
  body: z.strictObject(trafficWindowSchema.shape),
  async answer({ services: { changes }, actor }, { param, body }) {
    await changes.judge(actor, param("name"), body);
    return await changes.review(param("name"));
  },
});

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

const setReplayable = defineRoute({
  method: "PUT",
  path: `${CHANGES}/replayable`,
  permission: "edit",
  response: changeReviewSchema,
  summary: "Replace the tools whose recorded calls may be made again",
  body: z.strictObject({ tools: z.array(z.string().min(1).max(300)).max(2_000) }),
  async answer({ services: { changes }, actor }, { param, body }) {
    await changes.setReplayable(actor, param("name"), body.tools);
    return await changes.review(param("name"));
  },
});

const startReplay = defineRoute({
  method: "POST",
  path: `${CHANGES}/replay`,
  permission: "edit",
  summary:
    "Make recorded calls of replayable tools again, within a budget. A baseline with a command needs the role admin; the outcome is in GET",
  body: z.strictObject(replayRequestSchema.shape),
  response: z.object({ tools: z.array(z.string()) }),
  answer: ({ services, actor }, { param, body }) => services.changes.startReplay(actor, param("name"), body),
});

const cancelReplay = defineRoute({
  method: "DELETE",
  path: `${CHANGES}/replay`,
  permission: "edit",
  response: z.object({ cancelled: z.boolean() }),
  summary: "Cancel the replay that runs",
  answer: ({ services, actor }, { param }) => services.changes.cancelReplay(actor, param("name")),
});

const lastSchema = z
  .string()
  .regex(/^[1-9]\d{0,4}[mhd]$/, "must be a number of minutes, hours or days, such as 7d")
  .nullable()
  .default("30d")
  .describe("Recorded calls that are judged, such as `7d`; null judges none");

const checkCandidate = defineRoute({
  method: "POST",
  path: `${CHANGES}/check`,
  permission: "read",
  response: changeReportSchema,
  summary: "Judge a list of tools that the server does not have yet, by schemas and recorded calls. Makes no call",
  body: z.strictObject({
    tools: z.array(z.json()).max(2_000).describe("As `tools/list` of the candidate has them"),
    last: lastSchema,
    calls: trafficWindowSchema.shape.calls,
    rules: ruleSettingsSchema.optional(),
  }),
  answer: ({ services }, { param, body: { tools, last, calls, rules } }) =>
    services.changes.check(param("name"), {
      tools,
      rules,
      calls,
      traffic: last !== null,
      days: last === null ? null : toDays(last),
    }),
});

function toDays(last: string): number {
  return (Number(last.slice(0, -1)) * UNITS[last.slice(-1) as keyof typeof UNITS]) / DAY_MS;
}

export const CHANGE_ROUTES = [
  listWaiting,
  getChanges,
  judgeChanges,
  decideChanges,
  setPolicy,
  setReplayable,
  startReplay,
  cancelReplay,
  checkCandidate,
];

const server = z.string().min(1).max(200);
const tools = z.array(z.string().min(1).max(300)).max(2_000);

export const changesRouter = router({
  waiting: procedure.query(({ ctx }) => ctx.services.changes.waiting()),
  review: procedure.input(z.object({ server })).query(({ ctx, input }) => ctx.services.changes.review(input.server)),
  judge: procedure
    .input(z.object({ server, window: trafficWindowSchema }))
    .mutation(({ ctx, input }) => ctx.services.changes.judge(ctx.actor, input.server, input.window)),
  setReplayable: procedure
    .input(z.object({ server, tools }))
    .mutation(({ ctx, input }) => ctx.services.changes.setReplayable(ctx.actor, input.server, input.tools)),
  startReplay: procedure
    .input(z.object({ server, request: replayRequestSchema }))
    .mutation(({ ctx, input }) => ctx.services.changes.startReplay(ctx.actor, input.server, input.request)),
  cancelReplay: procedure
    .input(z.object({ server }))
    .mutation(({ ctx, input }) => ctx.services.changes.cancelReplay(ctx.actor, input.server)),
});
