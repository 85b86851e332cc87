import { z } from "zod";
import { approvalPolicySchema } from "../../../lib/contract/approval";
import { changeDecisionSchema, changedToolsSchema, heldReferenceSchema } from "../../../lib/contract/held-change";
import type { ServerSettingsInput } from "../../../lib/contract/server";
import { revision } from "../../platform/api/revision-input";
import { procedure, router } from "../../platform/api/trpc";

const name = z.string().min(1).max(200);
const position = z.number().int().min(0);
/** The service reads it: it names the fields of its problems. */
const settings = z.custom<ServerSettingsInput>((value) => typeof value === "object" && value !== null);
/** An execution's page: nothing else starts a sign-in, and a callback must not lead anywhere else. */
const returnTo = z.string().regex(/^\/executions\/[\w-]{1,100}$/);
const origin = z.url({ protocol: /^https?$/ }).max(300);

export const serversRouter = router({
  list: procedure.query(({ ctx }) => ctx.services.servers.list(ctx.actor.id)),
  get: procedure
    .input(z.object({ name }))
    .query(({ ctx, input }) => ctx.services.servers.get(input.name, ctx.actor.id)),
  tools: procedure
    .input(z.object({ name, q: z.string().max(500).default(""), cursor: position.nullish() }))
    .query(({ ctx, input }) => ctx.services.servers.tools(input.name, input.q, input.cursor ?? 0)),
  toolJson: procedure
    .input(z.object({ name, position, tool: z.string().max(500).nullable() }))
    .query(({ ctx, input }) => ctx.services.servers.toolJson(input.name, input.position, input.tool)),
  changes: procedure
    .input(z.object({ name, cursor: position.nullish() }))
    .query(({ ctx, input }) => ctx.services.servers.changes(input.name, input.cursor ?? 0)),
  log: procedure
    .input(z.object({ name }))
    .query(({ ctx, input }) => ctx.services.servers.log(input.name, ctx.actor.id)),
  messages: procedure
    .input(z.object({ name }))
    .query(({ ctx, input }) => ctx.services.servers.messages(input.name, ctx.actor.id)),
  clientConfigurations: procedure
    .input(z.object({ origin, server: name.optional(), toolset: z.string().max(100).optional() }))
    .query(({ ctx, input }) => ctx.services.servers.clientConfigurations(input.origin, input)),
  // Queries that carry secrets or long texts are sent by POST: a mutation in tRPC's words, although nothing changes.
  checkSettings: procedure
    .input(z.object({ settings, editing: name.optional() }))
    .mutation(({ ctx, input }) => ctx.services.servers.checkSettings(input.settings, input.editing)),
  describeDocument: procedure
    .input(z.object({ settings, editing: name.optional() }))
    .mutation(({ ctx, input }) =>
      ctx.services.servers.describeDocument(ctx.actor, input.settings, input.editing ?? null),
    ),
  parseImport: procedure
    .input(
      z.object({ text: z.string().max(4_000_000, "The text is too long: paste only the section with the servers") }),
    )
    .mutation(({ ctx, input }) => ctx.services.servers.parseImport(input.text)),
  create: procedure
    .input(z.object({ settings, enabled: z.boolean().optional() }))
    .mutation(({ ctx, input }) => ctx.services.servers.create(ctx.actor, input.settings, input.enabled)),
  import: procedure
    .input(
      z.object({
        servers: z
          .array(z.object({ settings, enabled: z.boolean() }))
          .min(1)
          .max(200),
      }),
    )
    .mutation(({ ctx, input }) => ctx.services.servers.import(ctx.actor, input.servers)),
  update: procedure
    .input(z.object({ name, settings, revision }))
    .mutation(({ ctx, input }) => ctx.services.servers.update(ctx.actor, input.name, input.settings, input.revision)),
  delete: procedure
    .input(z.object({ name, revision }))
    .mutation(({ ctx, input }) => ctx.services.servers.delete(ctx.actor, input.name, input.revision)),
  restore: procedure
    .input(z.object({ id: z.string().max(100) }))
    .mutation(({ ctx, input }) => ctx.services.servers.restore(ctx.actor, input.id)),
  setEnabled: procedure
    .input(z.object({ name, enabled: z.boolean() }))
    .mutation(({ ctx, input }) => ctx.services.servers.setEnabled(ctx.actor, input.name, input.enabled)),
  setApproval: procedure
    .input(z.object({ name, policy: approvalPolicySchema.nullable() }))
    .mutation(({ ctx, input }) => ctx.services.servers.setApproval(ctx.actor, input.name, input.policy)),
  setChangedTools: procedure
    .input(z.object({ name, policy: changedToolsSchema }))
    .mutation(({ ctx, input }) => ctx.services.servers.setChangedTools(ctx.actor, input.name, input.policy)),
  heldEntries: procedure
    .input(z.object({ name }).extend(heldReferenceSchema.omit({ status: true }).shape))
    .query(({ ctx, input }) => ctx.services.servers.heldEntries(input.name, input.tool, input.hash)),
  decideChanges: procedure
    .input(z.object({ name, changes: z.array(heldReferenceSchema).min(1).max(200), decision: changeDecisionSchema }))
    .mutation(({ ctx, input }) =>
      ctx.services.servers.decideChanges(ctx.actor, input.name, input.changes, input.decision),
    ),
  reconnect: procedure
    .input(z.object({ name }))
    .mutation(({ ctx, input }) => ctx.services.servers.reconnect(ctx.actor, input.name)),
  startSignIn: procedure
    .input(z.object({ name, origin, returnTo }).partial({ returnTo: true }))
    .mutation(({ ctx, input }) =>
      ctx.services.servers.startSignIn(ctx.actor, input.name, input.origin, input.returnTo ?? null),
    ),
  signOut: procedure
    .input(z.object({ name }))
    .mutation(({ ctx, input }) => ctx.services.servers.signOut(ctx.actor, input.name)),
});
