import { z } from "zod";
import {
  EXPORT_FORMATS,
  importDecisionSchema,
  MAX_CATALOG_FILE_BYTES,
  MAX_FILE_SERVERS,
  MAX_FILE_TOOLS,
  MAX_FILE_TOOLSETS,
} from "../../../lib/contract/catalog-file";
import { streamProgress } from "../../platform/api/stream-progress";
import { procedure, router } from "../../platform/api/trpc";
import type { OnImportProgress } from "./plan-import";

const text = z.string().max(MAX_CATALOG_FILE_BYTES, "The text is longer than 10 MB: import it in parts");
const names = z.array(z.string().max(200));

// Queries that carry long texts are sent by POST: a mutation in tRPC's words, although nothing changes.
export const sharingRouter = router({
  export: procedure
    .input(
      z.object({
        format: z.enum(EXPORT_FORMATS),
        tools: names.max(10_000).nullable(),
        servers: names.max(10_000).nullable(),
        toolsets: names.max(10_000).nullable().default(null),
        versions: z.boolean().default(false),
      }),
    )
    .mutation(({ ctx, input }) => ctx.services.sharing.export(ctx.actor, input)),
  preview: procedure
    .input(z.object({ text }))
    .mutation(({ ctx, input, signal }) =>
      streamProgress(signal, (report: OnImportProgress) => ctx.services.sharing.preview(ctx.actor, input.text, report)),
    ),
  import: procedure
    .input(
      z.object({
        text,
        digest: z.string().max(100),
        decisions: z.array(importDecisionSchema).max(MAX_FILE_TOOLS + MAX_FILE_SERVERS + MAX_FILE_TOOLSETS),
      }),
    )
    .mutation(({ ctx, input }) => ctx.services.sharing.import(ctx.actor, input)),
});
