import { z } from "zod";
import { approvalModeSchema } from "../../../lib/contract/approval";
import { MAX_LENS_CHARS } from "../../../lib/contract/lens";
import { MAX_DEPRECATION_NOTE_CHARS } from "../../../lib/contract/tool-facts";
import { revision } from "../../platform/api/revision-input";
import { procedure, router } from "../../platform/api/trpc";

const name = z.string().min(1).max(200);
/** The number of a version. */
const number = z.number().int().min(1);
/** Definitions and arguments travel as the text that was typed. */
const text = z.string().max(4_000_000);

const deprecation = z.object({
  successor: z.string().min(1).max(200).nullable(),
  note: z
    .string()
    .trim()
    .max(MAX_DEPRECATION_NOTE_CHARS, `The note is longer than ${MAX_DEPRECATION_NOTE_CHARS} characters: shorten it`)
    .nullable(),
});

export const toolsRouter = router({
  list: procedure.query(({ ctx }) => ctx.services.tools.list()),
  get: procedure.input(z.object({ name })).query(({ ctx, input }) => ctx.services.tools.get(input.name)),
  handlers: procedure.query(({ ctx }) => ctx.services.tools.handlers()),
  providerFormats: procedure
    .input(z.object({ name }))
    .query(({ ctx, input }) => ctx.services.tools.providerFormats(input.name)),
  // Queries that carry long texts are sent by POST: a mutation in tRPC's words, although nothing changes.
  checkDefinition: procedure
    .input(z.object({ definitionText: text, editing: name.optional() }))
    .mutation(({ ctx, input }) => ctx.services.tools.checkDefinition(input.definitionText, input.editing)),
  validateArguments: procedure
    .input(z.object({ name, argumentsText: text }))
    .mutation(({ ctx, input }) => ctx.services.tools.validateArguments(input.name, input.argumentsText)),
  create: procedure
    .input(z.object({ definitionText: text }))
    .mutation(({ ctx, input }) => ctx.services.tools.create(ctx.actor, input.definitionText)),
  update: procedure
    .input(z.object({ name, definitionText: text, revision }))
    .mutation(({ ctx, input }) =>
      ctx.services.tools.update(ctx.actor, input.name, input.definitionText, input.revision),
    ),
  delete: procedure
    .input(z.object({ name, revision }))
    .mutation(({ ctx, input }) => ctx.services.tools.delete(ctx.actor, input.name, input.revision)),
  restore: procedure
    .input(z.object({ id: z.string().max(100) }))
    .mutation(({ ctx, input }) => ctx.services.tools.restore(ctx.actor, input.id)),
  versions: procedure
    .input(z.object({ name, cursor: number.nullish() }))
    .query(({ ctx, input }) => ctx.services.tools.versions(input.name, input.cursor ?? null)),
  version: procedure
    .input(z.object({ name, number, against: number.optional() }))
    .query(({ ctx, input }) => ctx.services.tools.version(input.name, input.number, input.against ?? null)),
  restoreVersion: procedure
    .input(z.object({ name, number }))
    .mutation(({ ctx, input }) => ctx.services.tools.restoreVersion(ctx.actor, input.name, input.number)),
  setEnabled: procedure
    .input(z.object({ name, enabled: z.boolean() }))
    .mutation(({ ctx, input }) => ctx.services.tools.setEnabled(ctx.actor, input.name, input.enabled)),
  setOwner: procedure
    .input(z.object({ name, ownerId: z.string().min(1).max(100).nullable() }))
    .mutation(({ ctx, input }) => ctx.services.tools.setOwner(ctx.actor, input.name, input.ownerId)),
  setDeprecation: procedure
    .input(z.object({ name, deprecation: deprecation.nullable() }))
    .mutation(({ ctx, input }) => ctx.services.tools.setDeprecation(ctx.actor, input.name, input.deprecation)),
  setLens: procedure
    .input(z.object({ name, expression: z.string().trim().min(1).max(MAX_LENS_CHARS).nullable() }))
    .mutation(({ ctx, input }) => ctx.services.tools.setLens(ctx.actor, input.name, input.expression)),
  favorites: procedure.query(({ ctx }) => ctx.services.tools.favorites(ctx.actor)),
  setFavorite: procedure
    .input(z.object({ name, favorite: z.boolean() }))
    .mutation(({ ctx, input }) => ctx.services.tools.setFavorite(ctx.actor, input.name, input.favorite)),
  keptApprovals: procedure.query(({ ctx }) => ctx.services.tools.keptApprovals()),
  liftApproval: procedure
    .input(z.object({ name }))
    .mutation(({ ctx, input }) => ctx.services.tools.liftApproval(ctx.actor, input.name)),
  setApproval: procedure
    .input(z.object({ name, mode: approvalModeSchema.nullable() }))
    .mutation(({ ctx, input }) => ctx.services.tools.setApproval(ctx.actor, input.name, input.mode)),
});
