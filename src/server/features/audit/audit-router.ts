import { z } from "zod";
import { auditFilterSchema } from "../../../lib/contract/audit-filter";
import { rowNumber } from "../../../lib/contract/row-number";
import { procedure, router } from "../../platform/api/trpc";

export const auditRouter = router({
  list: procedure
    .input(
      z.object({
        filter: auditFilterSchema.default({}),
        cursor: rowNumber.nullish(),
        limit: z.number().int().min(1).max(200).default(50),
      }),
    )
    .query(({ ctx, input }) =>
      ctx.services.auditLog.list(ctx.actor, input.filter, input.cursor ?? undefined, input.limit),
    ),
  facets: procedure.query(({ ctx }) => ctx.services.auditLog.facets(ctx.actor)),
});
