import { z } from "zod";
import {
  invitationSchema,
  passwordSchema,
  personNameSchema,
  roleSchema,
} from "../../../lib/contract/account";
import { procedure, router } from "../../platform/api/trpc";

const id = z.string().min(1).max(100);

/** The actor's own account. */
export const accountRouter = router({
  me: procedure.query(({ ctx }) => ctx.services.account.me(ctx.actor)),
  sessions: procedure.query(({ ctx }) => ctx.services.account.sessions(ctx.actor, ctx.sessionId)),
  rename: procedure
    .input(z.object({ name: personNameSchema }))
    .mutation(({ ctx, input }) => ctx.services.account.rename(ctx.actor, input.name)),
  endSession: procedure
    .input(z.object({ id }))
    .mutation(({ ctx, input }) => ctx.services.account.endSession(ctx.actor, input.id)),
  endAllSessions: procedure.mutation(({ ctx }) => ctx.services.account.endAllSessions(ctx.actor)),
  localRecords: procedure.query(({ ctx }) => ctx.services.account.localRecords(ctx.actor)),
  claimLocalRecords: procedure.mutation(({ ctx }) => ctx.services.account.claimLocalRecords(ctx.actor)),
  clients: procedure.query(({ ctx }) => ctx.services.account.clients(ctx.actor)),
  consentRequest: procedure
    .input(z.object({ query: z.string().max(8000) }))
    .query(({ ctx, input }) => ctx.services.account.consentRequest(ctx.actor, input.query)),
  revokeClient: procedure
    .input(z.object({ id }))
    .mutation(({ ctx, input }) => ctx.services.account.revokeClient(ctx.actor, input.id)),
  changePassword: procedure
    .input(
      z.object({
        current: z.string().min(1, "is required").max(1000),
        next: passwordSchema,
        revokeTokens: z.boolean().optional(),
      }),
    )
    .mutation(({ ctx, input }) => ctx.services.account.changePassword(ctx.actor, ctx.sessionId, input)),
});

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
