import { z } from "zod";
import {
  newWebhookSchema,
  webhookChannelSchema,
  webhookDeliverySchema,
  webhookInputSchema,
  webhookSchema,
  webhookUpdateSchema,
} from "../../../lib/contract/webhook";
import { defineRoute } from "../../platform/api/route";
import { procedure, router } from "../../platform/api/trpc";

const WEBHOOK = "/webhooks/{id}";
const asAdmin = { permission: "administer" } as const;

const listWebhooks = defineRoute({
  method: "GET",
  path: "/webhooks",
  ...asAdmin,
  response: z.object({ items: z.array(webhookSchema) }),
  summary: "List the webhooks",
  answer: async ({ services, actor }) => ({ items: await services.webhooks.list(actor) }),
});

const createWebhook = defineRoute({
  method: "POST",
  path: "/webhooks",
  ...asAdmin,
  status: 201,
  body: webhookInputSchema,
  response: newWebhookSchema,
  summary: "Create a webhook. The answer has the secret that signs its deliveries, only this once",
  answer: ({ services, actor }, { body }) => services.webhooks.create(actor, body),
});

const updateWebhook = defineRoute({
  method: "PUT",
  path: WEBHOOK,
  ...asAdmin,
  body: webhookUpdateSchema,
  response: webhookSchema,
  summary: "Replace a webhook's settings; its address stays unless another one is sent",
  answer: ({ services, actor }, { param, body }) => services.webhooks.update(actor, param("id"), body),
});

const deleteWebhook = defineRoute({
  method: "DELETE",
  path: WEBHOOK,
  ...asAdmin,
  summary: "Delete a webhook with its deliveries",
  async answer({ services, actor }, { param }) {
    await services.webhooks.delete(actor, param("id"));
    return undefined;
  },
});

const rotateSecret = defineRoute({
  method: "POST",
  path: `${WEBHOOK}/secret`,
  ...asAdmin,
  response: z.object({ secret: z.string() }),
  summary: "Replace the secret of a webhook",
  answer: ({ services, actor }, { param }) => services.webhooks.rotateSecret(actor, param("id")),
});

const testWebhook = defineRoute({
  method: "POST",
  path: `${WEBHOOK}/test`,
  ...asAdmin,
  response: webhookDeliverySchema,
  summary: "Send a test event and answer with what became of it",
  answer: ({ services, actor }, { param }) => services.webhooks.test(actor, param("id")),
});

const listDeliveries = defineRoute({
  method: "GET",
  path: `${WEBHOOK}/deliveries`,
  ...asAdmin,
  summary: "List the newest 50 deliveries of a webhook",
  response: z.object({ items: z.array(webhookDeliverySchema) }),
  answer: async ({ services, actor }, { param }) => ({ items: await services.webhooks.deliveries(actor, param("id")) }),
});

const retryDelivery = defineRoute({
  method: "POST",
  path: "/webhooks/deliveries/{id}/retry",
  ...asAdmin,
  summary: "Send a delivery again",
  async answer({ services, actor }, { param }) {
    await services.webhooks.retry(actor, param("id"));
    return undefined;
  },
});

const listChannels = defineRoute({
  method: "GET",
  path: "/webhooks/channels",
  permission: "run",
  summary: "List the webhooks that bring approval links which decide in your name",
  response: z.object({ items: z.array(webhookChannelSchema) }),
  answer: async ({ services, actor }) => ({ items: await services.webhooks.channels(actor) }),
});

const leaveChannel = defineRoute({
  method: "DELETE",
  path: "/webhooks/channels/{id}",
  permission: "run",
  summary: "End the approval links of a webhook that decide in your name, those that were sent too",
  async answer({ services, actor }, { param }) {
    await services.webhooks.leaveChannel(actor, param("id"));
    return undefined;
  },
});

export const WEBHOOK_ROUTES = [
  listChannels,
  leaveChannel,
  listWebhooks,
  createWebhook,
  updateWebhook,
  deleteWebhook,
  rotateSecret,
  testWebhook,
  listDeliveries,
  retryDelivery,
];

const id = z.string().min(1).max(100);

export const webhooksRouter = router({
  list: procedure.query(({ ctx }) => ctx.services.webhooks.list(ctx.actor)),
  create: procedure
    .input(z.object({ webhook: webhookInputSchema }))
    .mutation(({ ctx, input }) => ctx.services.webhooks.create(ctx.actor, input.webhook)),
  update: procedure
    .input(z.object({ id, webhook: webhookUpdateSchema }))
    .mutation(({ ctx, input }) => ctx.services.webhooks.update(ctx.actor, input.id, input.webhook)),
  delete: procedure
    .input(z.object({ id }))
    .mutation(({ ctx, input }) => ctx.services.webhooks.delete(ctx.actor, input.id)),
  rotateSecret: procedure
    .input(z.object({ id }))
    .mutation(({ ctx, input }) => ctx.services.webhooks.rotateSecret(ctx.actor, input.id)),
  test: procedure.input(z.object({ id })).mutation(({ ctx, input }) => ctx.services.webhooks.test(ctx.actor, input.id)),
  deliveries: procedure
    .input(z.object({ id }))
    .query(({ ctx, input }) => ctx.services.webhooks.deliveries(ctx.actor, input.id)),
  channels: procedure.query(({ ctx }) => ctx.services.webhooks.channels(ctx.actor)),
  confirmChannel: procedure
    .input(z.object({ id }))
    .mutation(({ ctx, input }) => ctx.services.webhooks.confirmChannel(ctx.actor, input.id)),
  leaveChannel: procedure
    .input(z.object({ id }))
    .mutation(({ ctx, input }) => ctx.services.webhooks.leaveChannel(ctx.actor, input.id)),
  retry: procedure
    .input(z.object({ id }))
    .mutation(({ ctx, input }) => ctx.services.webhooks.retry(ctx.actor, input.id)),
});
