import { z } from "zod";
import { auditEntrySchema, auditFacetsSchema } from "../../../lib/contract/audit-entry";
import { auditFilterSchema, auditFormatSchema } from "../../../lib/contract/audit-filter";
import { act, operations, read, restOnly } from "../../platform/api/operation";
import { describePage, pageQuery, timeSchema, toPage } from "../../platform/api/route-inputs";
import { toAuditFile } from "./audit-file";

const { actor, action, target, outcome, q } = auditFilterSchema.shape;
const filterQuery = z.object({
  actor: actor.describe("Ids of users and programs"),
  action: action.describe("Such as `tools.update`"),
  target: target.describe("Kinds of targets, such as `tool`"),
  outcome,
  since: timeSchema.optional(),
  until: timeSchema.optional(),
  q: q.describe("Text in any field, in upper or lower case"),
});
const listQuery = filterQuery.extend(pageQuery.shape);
const exportQuery = filterQuery.extend({
  format: auditFormatSchema.default("jsonl").describe("`jsonl`: an entry a line; `csv`: `text/csv`"),
});
const filter = auditFilterSchema.default({});

export const auditOperations = operations("audit", {
  list: read({
    rest: "GET /audit",
    summary: "List the entries of the audit log, newest first",
    allow: "administer",
    input: z.object({
      filter,
      cursor: pageQuery.shape.cursor,
      limit: z.number().int().min(1).max(200).default(50),
    }),
    sentAs: {
      query: listQuery,
      toInput: (_, { cursor, limit, ...wanted }: z.output<typeof listQuery>) => ({ filter: wanted, cursor, limit }),
    },
    output: describePage(auditEntrySchema),
    run: async ({ services, actor: by }, input) =>
      toPage(await services.auditLog.list(by, input.filter, input.cursor, input.limit)),
  }),
  facets: read({
    rest: "GET /audit/facets",
    summary: "List the actors, actions and kinds of targets that the audit log has",
    allow: "administer",
    output: auditFacetsSchema,
    run: ({ services, actor: by }) => services.auditLog.facets(by),
  }),
  export: restOnly(
    "It is a file, which a browser saves from its address",
    act({
      rest: "GET /audit/export",
      summary: "Export the audit log as a file, newest first: JSON Lines or CSV",
      allow: "administer",
      recordedAs: "auditLog.export",
      contentType: ["application/jsonl", "text/csv"],
      input: z.object({ format: auditFormatSchema.default("jsonl"), filter }),
      sentAs: {
        query: exportQuery,
        toInput: (_, { format, ...wanted }: z.output<typeof exportQuery>) => ({ format, filter: wanted }),
      },
      output: z.string(),
      audit: {
        target: ({ format }) => ({ kind: "audit log", name: format }),
        after: (_, input) => ({ filter: input.filter }),
      },
      run: async ({ services, actor: by, principal }, input) => {
        const pieces = await services.auditLog.export(by, input.filter, input.format);
        // A user saves the file in a browser; a token is a program's, which reads it.
        return toAuditFile(pieces, input.format, principal.token === null);
      },
    }),
  ),
});
