import { z } from "zod";
import {
  EXPORT_FORMATS,
  exportChoicesSchema,
  exportedFileSchema,
  type ImportOutcome,
  importDecisionSchema,
  importOutcomeSchema,
  importPreviewSchema,
  importProgressSchema,
  MAX_CATALOG_FILE_BYTES,
  MAX_FILE_SERVERS,
  MAX_FILE_TOOLS,
  MAX_FILE_TOOLSETS,
} from "../../../lib/contract/catalog-file";
import { act, operations, read, reporting } from "../../platform/api/operation";
import { flagSchema } from "../../platform/api/route-inputs";
import { toDownloadHeaders } from "../../platform/shared/responses";

const text = z
  .string()
  .max(MAX_CATALOG_FILE_BYTES, "is longer than 10 MB: import it in parts")
  .describe("The file as text: a catalog file, or the configuration of an MCP client");
const chosen = z.array(z.string().max(200)).max(10_000).nullable();
const named = z.array(z.string().max(200)).max(50).optional();

/** The parts of an export as an address has them. */
const exportQuery = z.object({
  format: z.enum(EXPORT_FORMATS).default("catalogue").describe("`mcp`: the servers alone, as `mcp.json`"),
  versions: flagSchema.default(false).describe("With earlier versions of the tools"),
  exportedAt: flagSchema.default(false).describe("With the time of the export"),
  tool: named.describe("These tools alone; may be repeated"),
  server: named.describe("These servers alone; may be repeated"),
  toolset: named.describe("These toolsets alone; may be repeated"),
  skill: named.describe("These skills of the team alone; may be repeated"),
  rule: named.describe("These rules alone, by name; may be repeated"),
});

/**
 * Rights are checked for each entry of an import: servers that start a command need more. A file and its settings may hold
 * secrets: only names are recorded. `toolroom catalog` has commands of its own: they write and read files.
 */
export const sharingOperations = operations("sharing", {
  choices: read({
    rest: null,
    unrouted: "The lists of tools, servers, toolsets, skills and rules have the names",
    summary: "List the names of everything that an export can hold",
    allow: "read",
    output: exportChoicesSchema,
    run: ({ services }) => services.sharing.listExportChoices(),
  }),

  /** Changes nothing, but the audit log names the user who exported data. */
  export: act({
    rest: "GET /catalog",
    summary: "Export the catalog as a file, without secrets. The same catalog gives the same bytes",
    allow: "read",
    input: z.object({
      format: z.enum(EXPORT_FORMATS),
      tools: chosen,
      servers: chosen,
      toolsets: chosen.default(null),
      skills: chosen.optional(),
      rules: chosen.optional(),
      versions: z.boolean().default(false),
      exportedAt: z.boolean().optional(),
    }),
    sentAs: {
      query: exportQuery,
      toInput(_, { tool, server, toolset, skill, rule, ...options }: z.output<typeof exportQuery>) {
        const isPart = [tool, server, toolset, skill, rule].some((names) => names !== undefined);
        const choose = (names: string[] | undefined) => names ?? (isPart ? [] : null);
        return {
          ...options,
          tools: choose(tool),
          servers: choose(server),
          toolsets: choose(toolset),
          skills: choose(skill),
          rules: choose(rule),
        };
      },
    },
    output: exportedFileSchema,
    answeredAs: {
      output: z.looseObject({}),
      toAnswer: (file) => new Response(file.text, { headers: toDownloadHeaders(file.fileName, "application/json") }),
    },
    audit: {
      target: ({ format }) => ({ kind: "catalog", name: format }),
      after: ({ text: _text, notes: _notes, fileName: _fileName, ...counts }) => counts,
    },
    run: ({ services, principal }, choice) => services.sharing.export(principal, choice),
  }),
  preview: reporting(
    importProgressSchema,
    act({
      rest: "POST /catalog/preview",
      summary: "What an import would do: nothing is changed",
      allow: "read",
      input: z.strictObject({ text }),
      output: importPreviewSchema,
      audit: { unrecorded: "It changes nothing" },
      run: ({ services, principal, report }, input) => services.sharing.preview(principal, input.text, report),
    }),
  ),
  import: act({
    rest: "POST /catalog/import",
    summary: "Import a file as it was previewed: all that is decided, or nothing",
    allow: "edit",
    input: z.strictObject({
      text,
      digest: z.string().max(100).describe("Of the preview"),
      decisions: z
        .array(importDecisionSchema)
        .max(MAX_FILE_TOOLS + MAX_FILE_SERVERS + MAX_FILE_TOOLSETS)
        .default([])
        .describe("For entries with the status `change` or `conflict`; new ones are added without"),
    }),
    output: importOutcomeSchema,
    audit: {
      target: () => ({ kind: "catalog", name: "import" }),
      after: (outcome) => outcome,
      also: ({ imported }) => imported.flatMap(toApprovalNote),
    },
    run: ({ services, principal }, input) => services.sharing.import(principal, input),
  }),
});

/** The entry of a tool whose approval setting an import changed, under the action that users search for. */
function toApprovalNote({ name, approval }: ImportOutcome["imported"][number]) {
  if (approval === undefined) return [];
  return [
    {
      action: "tools.setApproval",
      target: { kind: "tool", name },
      before: { approval: { mode: approval.from } },
      after: { approval: { mode: approval.to } },
    },
  ];
}
