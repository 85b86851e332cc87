import { z } from "zod";
import { invitationSchema, roleSchema } from "../../../lib/contract/account";
import { procedure, router } from "../../platform/api/trpc";

const id = z.string().min(1).max(100);

export const peopleRouter = router({
  list: procedure.query(({ ctx }) => ctx.services.people.list(ctx.actor)),
  directory: procedure.query(({ ctx }) => ctx.services.people.directory(ctx.actor)),
  invitations: procedure.query(({ ctx }) => ctx.services.people.invitations(ctx.actor)),
  invite: procedure.input(invitationSchema).mutation(({ ctx, input }) => ctx.services.people.invite(ctx.actor, input)),
  revokeInvitation: procedure
    .input(z.object({ id }))
    .mutation(({ ctx, input }) => ctx.services.people.revokeInvitation(ctx.actor, input.id)),
  createReset: procedure
    .input(z.object({ id }))
    .mutation(({ ctx, input }) => ctx.services.people.createReset(ctx.actor, input.id)),
  setRole: procedure
    .input(z.object({ id, role: roleSchema }))
    .mutation(({ ctx, input }) => ctx.services.people.setRole(ctx.actor, input.id, input.role)),
  setDisabled: procedure
    .input(z.object({ id, disabled: z.boolean() }))
    .mutation(({ ctx, input }) => ctx.services.people.setDisabled(ctx.actor, input.id, input.disabled)),
  remove: procedure
    .input(z.object({ id }))
    .mutation(({ ctx, input }) => ctx.services.people.remove(ctx.actor, input.id)),
  endSessions: procedure
    .input(z.object({ id }))
    .mutation(({ ctx, input }) => ctx.services.people.endSessions(ctx.actor, input.id)),
  revokeTokens: procedure
    .input(z.object({ id }))
    .mutation(({ ctx, input }) => ctx.services.people.revokeTokens(ctx.actor, input.id)),
  unlock: procedure
    .input(z.object({ id }))
    .mutation(({ ctx, input }) => ctx.services.people.unlock(ctx.actor, input.id)),
  switchOn: procedure.mutation(({ ctx }) => ctx.services.people.switchOn(ctx.actor)),
});
