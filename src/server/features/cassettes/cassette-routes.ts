import { z } from "zod";
import { MAX_CASSETTE_CHARS } from "../../../lib/cassette/cassette-file";
import {
  cassetteCallSchema,
  cassetteInputSchema,
  cassetteNameSchema,
  cassettePreviewSchema,
  cassetteReportSchema,
  cassetteSessionSchema,
  cassetteSummarySchema,
  newCassetteSchema,
} from "../../../lib/contract/cassette";
import { defineRoute } from "../../platform/api/route";
import { describePage, namedPageQuery, pageQuery, takePage, toPage } from "../../platform/api/route-inputs";
import { toDownloadHeaders } from "../../platform/shared/responses";

const CASSETTE = "/cassettes/{name}";

const listCassettes = defineRoute({
  method: "GET",
  path: "/cassettes",
  permission: "read",
  query: namedPageQuery,
  summary: "List the cassettes by name, with the figures of their newest session",
  response: describePage(cassetteSummarySchema),
  answer: async ({ services }, { query }) => takePage(await services.cassettes.list(), ({ name }) => name, query),
});

const createCassette = defineRoute({
  method: "POST",
  path: "/cassettes",
  permission: "edit",
  status: 201,
  versioned: true,
  summary: "Freeze recorded calls, those of a filter or these ids, as a cassette",
  body: newCassetteSchema.strict(),
  response: cassetteSummarySchema,
  answer: ({ services, actor }, { body }) => services.cassettes.create(actor, body),
});

const previewCassette = defineRoute({
  method: "POST",
  path: "/cassettes/preview",
  permission: "read",
  response: cassettePreviewSchema,
  summary: "Count what a choice of calls would freeze, and what it leaves out: nothing is stored",
  body: newCassetteSchema.pick({ choice: true, tools: true }).strict(),
  answer: ({ services }, { body }) => services.cassettes.preview(body),
});

const importCassette = defineRoute({
  method: "POST",
  path: "/cassettes/import",
  permission: "edit",
  status: 201,
  versioned: true,
  summary: "Import the file of a cassette",
  body: z.strictObject({
    text: z
      .string()
      .max(MAX_CASSETTE_CHARS + 100_000)
      .describe("The file as text: JSON Lines"),
    name: cassetteNameSchema.optional().describe("In place of the name in the file"),
  }),
  response: cassetteSummarySchema,
  answer: ({ services, actor }, { body }) => services.cassettes.import(actor, body),
});

const getCassette = defineRoute({
  method: "GET",
  path: CASSETTE,
  permission: "read",
  response: cassetteSummarySchema,
  versioned: true,
  summary: "Get a cassette",
  answer: ({ services }, { param }) => services.cassettes.get(param("name")),
});

const updateCassette = defineRoute({
  method: "PUT",
  path: CASSETTE,
  permission: "edit",
  response: cassetteSummarySchema,
  versioned: true,
  summary: "Replace the name, the notes and the settings of a cassette; its tools and calls never change",
  body: cassetteInputSchema.strict(),
  async answer({ services: { cassettes }, actor }, { param, body, matchEdit }) {
    const name = param("name");
    return await cassettes.update(actor, name, body, matchEdit((await cassettes.get(name)).lastEdit));
  },
});

const deleteCassette = defineRoute({
  method: "DELETE",
  path: CASSETTE,
  permission: "edit",
  versioned: true,
  summary: "Delete a cassette",
  async answer({ services: { cassettes }, actor }, { param, matchEdit }) {
    const name = param("name");
    await cassettes.delete(actor, name, matchEdit((await cassettes.get(name)).lastEdit));
    return undefined;
  },
});

const exportCassette = defineRoute({
  method: "GET",
  path: `${CASSETTE}/export`,
  permission: "read",
  response: z.string(),
  summary: "Export a cassette as a file to commit. The same cassette gives the same bytes",
  contentType: "application/jsonl",
  async answer({ services }, { param }) {
    const text = await services.cassettes.exportFile(param("name"));
    const type = "application/jsonl; charset=utf-8";
    return new Response(text, { headers: toDownloadHeaders(`${param("name")}.cassette.jsonl`, type) });
  },
});

const listCalls = defineRoute({
  method: "GET",
  path: `${CASSETTE}/calls`,
  permission: "read",
  query: pageQuery,
  summary: "List the recorded calls of a cassette in their order",
  response: describePage(cassetteCallSchema),
  answer: async ({ services }, { param, query: { cursor, limit } }) =>
    toPage(await services.cassettes.calls(param("name"), cursor, limit)),
});

const listSessions = defineRoute({
  method: "GET",
  path: `${CASSETTE}/sessions`,
  permission: "read",
  summary: "List the sessions that used a cassette, newest first, with their figures",
  response: z.object({ items: z.array(cassetteSessionSchema) }),
  answer: async ({ services }, { param }) => ({ items: await services.cassettes.sessions(param("name")) }),
});

const getReport = defineRoute({
  method: "GET",
  path: `${CASSETTE}/report`,
  permission: "read",
  response: cassetteReportSchema,
  summary: "Get the report of a session: what was served, what was missed and why, what was not used",
  query: z.object({
    session: z.string().max(100).optional().describe("The id or the label of the session; default: the newest"),
  }),
  answer: ({ services }, { param, query }) => services.cassettes.report(param("name"), query.session),
});

export const CASSETTE_ROUTES = [
  listCassettes,
  createCassette,
  previewCassette,
  importCassette,
  getCassette,
  updateCassette,
  deleteCassette,
  exportCassette,
  listCalls,
  listSessions,
  getReport,
];
