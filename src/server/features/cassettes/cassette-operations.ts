import { z } from "zod";
import { MAX_CASSETTE_CHARS } from "../../../lib/cassette/cassette-file";
import {
  type CassetteSummary,
  cassetteCallSchema,
  cassetteInputSchema,
  cassetteNameSchema,
  cassettePreviewSchema,
  cassetteReportSchema,
  cassetteSessionSchema,
  cassetteSummarySchema,
  cassetteToolSchema,
  newCassetteSchema,
} from "../../../lib/contract/cassette";
import { formatPlural } from "../../../lib/format/count";
import { act, operations, read } from "../../platform/api/operation";
import { revision } from "../../platform/api/revision-input";
import { describePage, pageQuery, toPage } from "../../platform/api/route-inputs";
import { toDownloadHeaders } from "../../platform/shared/responses";

const name = z.string().max(100);
const byName = z.object({ name });

/** The last session is left out, since it is not part of the change. */
const toState = ({ lastSession: _session, ...facts }: CassetteSummary) => facts;

/** `cassettes create`, `report` and `serve` are commands of their own: they take filters, and figures that fail them. */
export const cassetteOperations = operations(
  "cassettes",
  {
    list: read({
      rest: "GET /cassettes",
      summary: "List the cassettes by name, with the figures of their newest session",
      allow: "read",
      output: z.array(cassetteSummarySchema),
      pagedBy: (cassette: CassetteSummary) => cassette.name,
      run: ({ services }) => services.cassettes.list(),
      cli: {
        words: "list",
        summary: "List the cassettes with the figures of their newest session",
        examples: [
          ["toolroom cassettes list", "as a table"],
          ["toolroom cassettes list --json", "with everything known, as JSON"],
        ],
        table: {
          columns: {
            NAME: (cassette) => cassette.name,
            CALLS: ({ callCount }) => String(callCount),
            TOOLS: ({ toolCount }) => String(toolCount),
            SERVERS: ({ servers }) => servers.join(" "),
            "NEWEST SESSION": ({ lastSession }) => lastSession?.line ?? "not used yet",
          },
          empty: "No cassettes. Make one with: toolroom cassettes create",
        },
      },
    }),
    create: act({
      rest: "POST /cassettes",
      summary: "Freeze recorded calls, those of a filter or these ids, as a cassette",
      allow: "edit",
      input: newCassetteSchema.strict(),
      output: cassetteSummarySchema,
      status: 201,
      versioned: true,
      audit: { target: (input) => ({ kind: "cassette", name: input.name }), after: toState },
      run: ({ services, actor }, input) => services.cassettes.create(actor, input),
    }),
    preview: read({
      rest: "POST /cassettes/preview",
      summary: "Count what a choice of calls would freeze, and what it leaves out: nothing is stored",
      allow: "read",
      input: newCassetteSchema.pick({ choice: true, tools: true }).strict(),
      output: cassettePreviewSchema,
      run: ({ services }, input) => services.cassettes.preview(input),
    }),
    import: act({
      rest: "POST /cassettes/import",
      summary: "Import the file of a cassette",
      allow: "edit",
      input: z.strictObject({
        text: z
          .string()
          .max(MAX_CASSETTE_CHARS + 100_000)
          .describe("The file as text: JSON Lines"),
        name: cassetteNameSchema.optional().describe("In place of the name in the file"),
      }),
      output: cassetteSummarySchema,
      status: 201,
      versioned: true,
      audit: {
        target: (input, made) => ({ kind: "cassette", name: made?.name ?? input.name ?? "" }),
        after: toState,
      },
      run: ({ services, actor }, input) => services.cassettes.import(actor, input),
      cli: {
        words: "import <file>",
        file: "text",
        summary: "Import the file of a cassette; - reads stdin",
        examples: [
          ["toolroom cassettes import test/checkout.cassette.jsonl", "under its own name"],
          ["toolroom cassettes import checkout.cassette.jsonl --name copy", "under another name"],
        ],
        options: { name: ["--name <name>", "in place of the name in the file"] },
        say: ({ name: made, callCount, toolCount }) =>
          `Imported ${made}: ${formatPlural(callCount, "call")} of ${formatPlural(toolCount, "tool")}.`,
      },
    }),
    get: read({
      rest: "GET /cassettes/{name}",
      summary: "Get a cassette",
      allow: "read",
      input: byName,
      output: cassetteSummarySchema,
      versioned: true,
      run: ({ services }, input) => services.cassettes.get(input.name),
    }),
    update: act({
      rest: "PUT /cassettes/{name}",
      summary: "Replace the name, the notes and the settings of a cassette; its tools and calls never change",
      allow: "edit",
      input: z.object({ name, cassette: cassetteInputSchema.strict(), revision }),
      body: "cassette",
      output: cassetteSummarySchema,
      versioned: async ({ cassettes }, input) => (await cassettes.get(input.name)).lastEdit,
      audit: {
        target: (input, made) => ({ kind: "cassette", name: made?.name ?? input.name }),
        state: async ({ cassettes }, input, made) => toState(await cassettes.get(made?.name ?? input.name)),
      },
      run: ({ services, actor }, { cassette, ...input }) =>
        services.cassettes.update(actor, input.name, cassette, input.revision),
    }),
    delete: act({
      rest: "DELETE /cassettes/{name}",
      summary: "Delete a cassette",
      allow: "edit",
      input: z.object({ name, revision }),
      versioned: async ({ cassettes }, input) => (await cassettes.get(input.name)).lastEdit,
      audit: {
        target: (input) => ({ kind: "cassette", name: input.name }),
        state: async ({ cassettes }, input) => toState(await cassettes.get(input.name)),
      },
      run: ({ services, actor }, input) => services.cassettes.delete(actor, input.name, input.revision),
      cli: {
        words: "delete <name>",
        summary: "Delete a cassette with the reports of its sessions",
        examples: [
          ["toolroom cassettes delete checkout", "from the Toolroom in use"],
          ["toolroom cassettes delete checkout --toolroom https://tools.example.com", "from another one"],
        ],
        say: (_, given) => `Deleted ${given}.`,
      },
    }),
    export: read({
      rest: "GET /cassettes/{name}/export",
      summary: "Export a cassette as a file to commit. The same cassette gives the same bytes",
      allow: "read",
      input: byName,
      output: z.string(),
      download: {
        type: "application/jsonl",
        respond: (text, input) =>
          new Response(text, {
            headers: toDownloadHeaders(`${input.name}.cassette.jsonl`, "application/jsonl; charset=utf-8"),
          }),
      },
      run: ({ services }, input) => services.cassettes.exportFile(input.name),
      cli: {
        words: "export <name>",
        summary: "Export a cassette as a file to commit: the same cassette gives the same bytes",
        examples: [
          ["toolroom cassettes export checkout -o test/checkout.cassette.jsonl", "beside the tests"],
          ["toolroom cassettes export checkout | head -1", "its settings"],
        ],
      },
    }),
    calls: read({
      rest: "GET /cassettes/{name}/calls",
      summary: "List the recorded calls of a cassette in their order",
      allow: "read",
      input: pageQuery.extend({ name }),
      output: describePage(cassetteCallSchema),
      run: async ({ services }, input) => toPage(await services.cassettes.calls(input.name, input.cursor, input.limit)),
    }),
    tools: read({
      rest: "GET /cassettes/{name}/tools",
      summary: "List the recorded tools of a cassette",
      allow: "read",
      input: byName,
      output: z.array(cassetteToolSchema),
      run: ({ services }, input) => services.cassettes.tools(input.name),
    }),
    sessions: read({
      rest: "GET /cassettes/{name}/sessions",
      summary: "List the sessions that used a cassette, newest first, with their figures",
      allow: "read",
      input: byName,
      output: z.array(cassetteSessionSchema),
      run: ({ services }, input) => services.cassettes.sessions(input.name),
    }),
    report: read({
      rest: "GET /cassettes/{name}/report",
      summary: "Get the report of a session: what was served, what was missed and why, what was not used",
      allow: "read",
      input: z.object({
        name,
        session: z.string().max(100).optional().describe("The id or the label of the session; default: the newest"),
      }),
      output: cassetteReportSchema,
      run: ({ services }, input) => services.cassettes.report(input.name, input.session),
    }),
  },
  {
    summary: "Record calls as cassettes, serve them in place of their servers, and see what agents used",
    examples: [
      "toolroom cassettes create checkout --run run_7hJ2…",
      "toolroom cassettes report checkout --fail-on misses",
    ],
  },
);
