import { z } from "zod";
import type { ServerSettingsInput } from "../../../lib/contract";
import { procedure, router } from "../trpc";

const name = z.string().min(1).max(200);
/** The service reads it: it names the fields of its problems. */
const settings = z.custom<ServerSettingsInput>((value) => typeof value === "object" && value !== null);
const origin = z.url({ protocol: /^https?$/ }).max(300);

export const serversRouter = router({
  list: procedure.query(({ ctx }) => ctx.services.servers.list()),
  get: procedure.input(z.object({ name })).query(({ ctx, input }) => ctx.services.servers.get(input.name)),
  log: procedure.input(z.object({ name })).query(({ ctx, input }) => ctx.services.servers.log(input.name)),
  messages: procedure.input(z.object({ name })).query(({ ctx, input }) => ctx.services.servers.messages(input.name)),
  resources: procedure.input(z.object({ name })).query(({ ctx, input }) => ctx.services.servers.resources(input.name)),
  prompts: procedure.input(z.object({ name })).query(({ ctx, input }) => ctx.services.servers.prompts(input.name)),
  clientConfigurations: procedure
    .input(z.object({ origin, server: name.optional() }))
    .query(({ ctx, input }) => ctx.services.servers.clientConfigurations(input.origin, input.server ?? null)),
  // Queries that carry secrets or long texts are sent by POST: a mutation in tRPC's words, although nothing changes.
  checkSettings: procedure
    .input(z.object({ settings, editing: name.optional() }))
    .mutation(({ ctx, input }) => ctx.services.servers.checkSettings(input.settings, input.editing)),
  parseImport: procedure
    .input(z.object({ text: z.string().max(1_000_000) }))
    .mutation(({ ctx, input }) => ctx.services.servers.parseImport(input.text)),
  readResource: procedure
    .input(z.object({ name, uri: z.string().min(1).max(8192) }))
    .mutation(({ ctx, input }) => ctx.services.servers.readResource(input.name, input.uri)),
  getPrompt: procedure
    .input(z.object({ name, prompt: z.string().max(1000), args: z.record(z.string(), z.string()) }))
    .mutation(({ ctx, input }) => ctx.services.servers.getPrompt(input.name, input.prompt, input.args)),
  create: procedure
    .input(z.object({ settings }))
    .mutation(({ ctx, input }) => ctx.services.servers.create(input.settings)),
  import: procedure
    .input(z.object({ servers: z.array(settings).min(1).max(100) }))
    .mutation(({ ctx, input }) => ctx.services.servers.import(input.servers)),
  update: procedure
    .input(z.object({ name, settings }))
    .mutation(({ ctx, input }) => ctx.services.servers.update(input.name, input.settings)),
  delete: procedure.input(z.object({ name })).mutation(({ ctx, input }) => ctx.services.servers.delete(input.name)),
  restore: procedure
    .input(z.object({ id: z.string().max(100) }))
    .mutation(({ ctx, input }) => ctx.services.servers.restore(input.id)),
  setEnabled: procedure
    .input(z.object({ name, enabled: z.boolean() }))
    .mutation(({ ctx, input }) => ctx.services.servers.setEnabled(input.name, input.enabled)),
  reconnect: procedure
    .input(z.object({ name }))
    .mutation(({ ctx, input }) => ctx.services.servers.reconnect(input.name)),
  startSignIn: procedure
    .input(z.object({ name, origin }))
    .mutation(({ ctx, input }) => ctx.services.servers.startSignIn(input.name, input.origin)),
  signOut: procedure.input(z.object({ name })).mutation(({ ctx, input }) => ctx.services.servers.signOut(input.name)),
});
