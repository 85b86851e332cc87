import { z } from "zod";
import { webhookInputSchema } from "../../../lib/contract/webhook";
import { procedure, router } from "../../platform/api/trpc";

const id = z.string().min(1).max(100);

export const webhooksRouter = router({
  list: procedure.query(({ ctx }) => ctx.services.webhooks.list(ctx.actor)),
  create: procedure
    .input(z.object({ webhook: webhookInputSchema }))
    .mutation(({ ctx, input }) => ctx.services.webhooks.create(ctx.actor, input.webhook)),
  update: procedure
    .input(z.object({ id, webhook: webhookInputSchema }))
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
  retry: procedure
    .input(z.object({ id }))
    .mutation(({ ctx, input }) => ctx.services.webhooks.retry(ctx.actor, input.id)),
});
