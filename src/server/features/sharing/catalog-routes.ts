import { z } from "zod";
import {
  EXPORT_FORMATS,
  importDecisionSchema,
  importOutcomeSchema,
  importPreviewSchema,
  MAX_CATALOG_FILE_BYTES,
  MAX_FILE_SERVERS,
  MAX_FILE_TOOLS,
  MAX_FILE_TOOLSETS,
} from "../../../lib/contract/catalog-file";
import { defineRoute } from "../../platform/api/route";
import { flagSchema } from "../../platform/api/route-inputs";
import { toDownloadHeaders } from "../../platform/shared/responses";

const text = z
  .string()
  .max(MAX_CATALOG_FILE_BYTES, "is longer than 10 MB: import it in parts")
  .describe("The file as text: a catalog file, or the configuration of an MCP client");
const names = z.array(z.string().max(200)).max(50).optional();

const exportCatalog = defineRoute({
  method: "GET",
  path: "/catalog",
  permission: "read",
  response: z.looseObject({}),
  summary: "Export the catalog as a file, without secrets. The same catalog gives the same bytes",
  query: z.object({
    format: z.enum(EXPORT_FORMATS).default("catalogue").describe("`mcp`: the servers alone, as `mcp.json`"),
    versions: flagSchema.default(false).describe("With earlier versions of the tools"),
    exportedAt: flagSchema.default(false).describe("With the time of the export"),
    tool: names.describe("These tools alone; may be repeated"),
    server: names.describe("These servers alone; may be repeated"),
    toolset: names.describe("These toolsets alone; may be repeated"),
  }),
  async answer({ services, actor }, { query: { tool, server, toolset, ...options } }) {
    const isPart = tool !== undefined || server !== undefined || toolset !== undefined;
    const chosen = (given: string[] | undefined) => given ?? (isPart ? [] : null);
    const choice = { ...options, tools: chosen(tool), servers: chosen(server), toolsets: chosen(toolset) };
    const file = await services.sharing.export(actor, choice);
    return new Response(file.text, { headers: toDownloadHeaders(file.fileName, "application/json") });
  },
});

const previewImport = defineRoute({
  method: "POST",
  path: "/catalog/preview",
  permission: "read",
  response: importPreviewSchema,
  summary: "What an import would do: nothing is changed",
  body: z.strictObject({ text }),
  answer: ({ services, actor }, { body }) => services.sharing.preview(actor, body.text),
});

const importCatalog = defineRoute({
  method: "POST",
  path: "/catalog/import",
  permission: "edit",
  response: importOutcomeSchema,
  summary: "Import a file as it was previewed: all that is decided, or nothing",
  body: z.strictObject({
    text,
    digest: z.string().max(100).describe("Of the preview"),
    decisions: z
      .array(importDecisionSchema)
      .max(MAX_FILE_TOOLS + MAX_FILE_SERVERS + MAX_FILE_TOOLSETS)
      .default([])
      .describe("For entries with the status `change` or `conflict`; new ones are added without"),
  }),
  answer: ({ services, actor }, { body }) => services.sharing.import(actor, body),
});

export const CATALOG_ROUTES = [exportCatalog, previewImport, importCatalog];
