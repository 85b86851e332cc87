import { z } from "zod";
import { apiOutlineSchema } from "../../../lib/contract/api-document";
import { approvalPolicySchema } from "../../../lib/contract/approval";
import { loadProblemSchema } from "../../../lib/contract/catalog-tool";
import { changeReviewSchema } from "../../../lib/contract/change-review";
import { clientConfigurationsSchema } from "../../../lib/contract/client-configuration-schema";
import {
  changeDecisionOutcomeSchema,
  changeDecisionSchema,
  changedToolsSchema,
  heldEntriesSchema,
  heldReferenceSchema,
} from "../../../lib/contract/held-change";
import { problemSchema } from "../../../lib/contract/problem-schema";
import {
  protocolMessageSchema,
  type ServerSettingsInput,
  type ServerSummary,
  serverDetailSchema,
  serverLogLineSchema,
  serverSettingsSchema,
  serverSummarySchema,
} from "../../../lib/contract/server";
import { serverImportSchema } from "../../../lib/contract/server-import";
import { permissionForServer } from "../../../lib/contract/server-kind";
import { listedServerToolSchema, toolChangeSetSchema } from "../../../lib/contract/server-tool";
import { act, operations, read, restOnly } from "../../platform/api/operation";
import type { CellColor } from "../../platform/api/operation-command";
import { readOrigin } from "../../platform/api/read-origin";
import { revision } from "../../platform/api/revision-input";
import { describePage, namedPageQuery, pageQuery, takePage, toPage } from "../../platform/api/route-inputs";
import { readName } from "../../platform/shared/audited-call";
import {
  demandForDocument,
  demandForImport,
  demandForServer,
  demandForSignIn,
  demandForUpdate,
  listReplacedSecrets,
  toServerState,
} from "./server-demands";
import { serverListOperations } from "./server-list-operations";

const name = z.string().min(1).max(200);
const byName = z.object({ name });
const { cursor } = pageQuery.shape;
/** The service reads them: it names the fields of its problems. */
const settings = z
  .custom<ServerSettingsInput>((value) => typeof value === "object" && value !== null)
  .describe("As `POST /servers` takes them");
const editing = name.optional().describe("The server that is edited, whose stored values count");
/** The page of an execution, or of a call that waits for it: nothing else starts a sign-in, and a callback must not lead anywhere else. */
const returnTo = z.string().regex(/^\/(?:executions|oauth\/connect)\/[\w-]{1,100}$/);
const origin = z.url({ protocol: /^https?$/ }).max(300);
/** The parts of the catalog that a client may get. */
const servedPart = z.object({ server: name.optional(), toolset: z.string().max(100).optional() });
/** Settings that a program sends are checked at once. */
const sentSettings = z.strictObject({ settings: serverSettingsSchema });
const sentServer = sentSettings.extend({ enabled: z.boolean().default(true) });

const target = (input: { name: string }) => ({ kind: "server", name: input.name });

/** Marks reads that are sent by POST because settings and texts hold secrets. */
const READS = { unrecorded: "It changes nothing" };

const COLORS: Partial<Record<string, CellColor>> = {
  connected: "green",
  failed: "red",
  disconnected: "yellow",
  sign_in_needed: "yellow",
  disabled: "gray",
};
const formatStatus = (status: string): string => status.replaceAll("_", " ");

/** `servers add` is a command of its own: it reads a command line. */
export const serverOperations = operations(
  "servers",
  {
    list: read({
      rest: "GET /servers",
      summary: "List the servers by name",
      allow: "read",
      sentAs: { query: namedPageQuery, toInput: () => ({}) },
      output: z.object({ items: z.array(serverSummarySchema), problems: z.array(loadProblemSchema) }),
      answeredAs: {
        output: describePage(serverSummarySchema),
        toAnswer: ({ items }, page) =>
          takePage(items, (server) => server.name, page as z.output<typeof namedPageQuery>),
      },
      run: ({ services, actor }) => services.servers.list(actor.id),
      agent: {
        name: "list_servers",
        description: "List the MCP servers and APIs of this Toolroom, with the state of their connections.",
        input: z.object({}),
        toResult: ({ items }) => ({
          count: items.length,
          servers: items.map(({ name: server, title, transport, enabled, state, toolCount, problemCount }) => {
            const { status, reason, protocolVersion } = state;
            return {
              name: server,
              title,
              transport,
              enabled,
              status,
              reason,
              protocolVersion,
              toolCount,
              problemCount,
            };
          }),
        }),
      },
      cli: {
        words: "list",
        summary: "List the servers with the state of their connections",
        examples: [
          ["toolroom servers list", "as a table"],
          ["toolroom servers list --json", "with everything known, as JSON"],
        ],
        table: {
          columns: {
            NAME: ({ name: each }) => each,
            STATUS: ({ state: { status } }) => ({ text: formatStatus(status), color: COLORS[status] }),
            TOOLS: ({ toolCount }) => String(toolCount),
            TRANSPORT: ({ transport }) => transport,
            TARGET: ({ state: { reason }, target: address }) => reason ?? address,
          },
          empty: "No servers. Add one with: toolroom servers add",
          whole: true,
        },
      },
    }),
    ...serverListOperations,
    create: act({
      rest: "POST /servers",
      summary: "Add a server. One that starts a command, or reads a variable, needs the role admin",
      allow: "edit",
      demand: (input) => permissionForServer(input.settings),
      input: z.object({ settings, enabled: z.boolean().optional() }),
      sentAs: { body: sentServer, toInput: (_, server: object) => server },
      output: serverDetailSchema,
      status: 201,
      versioned: true,
      audit: {
        target: (input, made) => ({ kind: "server", name: made?.name ?? readName(input.settings) }),
        after: (made, _, { servers }) => toServerState(servers, made.name),
      },
      run: ({ services, actor }, input) => services.servers.create(actor, input.settings, input.enabled),
    }),
    import: act({
      rest: "POST /servers/import",
      summary: "Add several servers. One that is rejected does not affect the others",
      allow: "edit",
      demand: (input) => demandForImport(input.servers),
      input: z.strictObject({
        servers: z
          .array(z.object({ settings, enabled: z.boolean() }))
          .min(1)
          .max(200),
      }),
      output: z.object({
        created: z.array(z.string()),
        rejected: z.array(z.object({ name: z.string(), error: z.string() })),
      }),
      audit: {
        target: ({ servers }) => ({ kind: "server", name: servers.map((each) => readName(each.settings)).join(", ") }),
        after: ({ created, rejected }, _, { servers }) => ({
          created: created.map((each) => toServerState(servers, each)),
          rejected,
        }),
      },
      run: ({ services, actor }, { servers }) => services.servers.import(actor, servers),
    }),
    parseImport: act({
      rest: "POST /servers/import/preview",
      summary: "Read the servers in a configuration of another program: nothing is added",
      allow: "read",
      input: z.strictObject({
        text: z.string().max(4_000_000, "is too long: send only the section with the servers"),
      }),
      output: serverImportSchema,
      audit: READS,
      run: ({ services }, { text }) => services.servers.parseImport(text),
    }),
    checkSettings: act({
      rest: "POST /servers/check",
      summary: "Check the settings of a server, without a connection: nothing is changed",
      allow: "read",
      input: z.strictObject({ settings, editing }),
      output: z.object({ problems: z.array(problemSchema), notes: z.array(z.string()) }),
      audit: READS,
      run: ({ services }, input) => services.servers.checkSettings(input.settings, input.editing),
    }),
    describeDocument: act({
      rest: "POST /servers/document",
      summary: "Read the OpenAPI document of unfinished settings from where they say: nothing is changed",
      allow: "edit",
      demand: (input, { servers }) => demandForDocument(servers, input.settings, input.editing),
      input: z.strictObject({ settings, editing }),
      output: apiOutlineSchema,
      audit: READS,
      run: ({ services, actor }, input) =>
        services.servers.describeDocument(actor, input.settings, input.editing ?? null),
    }),
    get: read({
      rest: "GET /servers/{name}",
      summary: "Get a server with its settings. Values that are stored encrypted are null",
      allow: "read",
      input: byName,
      output: serverDetailSchema,
      versioned: true,
      run: ({ services, actor }, input) => services.servers.get(input.name, actor.id),
    }),
    update: act({
      rest: "PUT /servers/{name}",
      summary: "Replace the settings of a server. A value of null keeps the stored one",
      allow: "edit",
      demand: (input, { servers }) => demandForUpdate(servers, input.name, input.settings),
      input: z.object({ name, settings, revision }),
      sentAs: { body: sentSettings, toInput: (_, sent: object) => sent },
      output: serverDetailSchema,
      versioned: ({ servers }, input) => servers.get(input.name).lastEdit,
      audit: {
        target: (input, made) => ({ kind: "server", name: made?.name ?? input.name }),
        state: ({ servers }, input) => toServerState(servers, input.name),
        after: (made, input, { servers }) => ({
          ...toServerState(servers, made.name),
          ...listReplacedSecrets(input.settings),
        }),
      },
      run: ({ services, actor }, input) => services.servers.update(actor, input.name, input.settings, input.revision),
    }),
    setEnabled: act({
      rest: "PATCH /servers/{name}",
      summary: "Switch a server on or off",
      allow: "edit",
      demand: (input, { servers }) => demandForServer(servers, input.name),
      input: z.strictObject({ name, enabled: z.boolean() }),
      output: serverSummarySchema,
      versioned: ({ servers }, input) => servers.get(input.name).lastEdit,
      audit: { target, state: ({ servers }, input) => ({ enabled: servers.get(input.name).enabled }) },
      run: ({ services, actor }, input) => services.servers.setEnabled(actor, input.name, input.enabled),
    }),
    delete: act({
      rest: "DELETE /servers/{name}",
      summary: "Delete a server with its tools",
      allow: "edit",
      demand: (input, { servers }) => demandForServer(servers, input.name),
      input: z.object({ name, revision }),
      output: z.object({ id: z.string() }),
      status: 204,
      versioned: ({ servers }, input) => servers.get(input.name).lastEdit,
      audit: { target, state: ({ servers }, input) => toServerState(servers, input.name) },
      run: ({ services, actor }, input) => services.servers.delete(actor, input.name, input.revision),
    }),
    // The user who deleted the server knows its random id.
    restore: act({
      rest: null,
      unrouted: "It undoes a delete of the console, which alone is sent the id: POST /servers adds the server again",
      summary: "Undo the delete of a server",
      allow: "edit",
      input: z.object({ id: z.string().max(100) }),
      output: serverDetailSchema,
      audit: {
        target: (input, made) => ({ kind: "server", name: made?.name ?? input.id }),
        after: (made, _, { servers }) => toServerState(servers, made.name),
      },
      run: ({ services, actor }, input) => services.servers.restore(actor, input.id),
    }),
    reconnect: act({
      rest: "POST /servers/{name}/connect",
      summary: "Reconnect a server, and answer once the attempt has ended",
      allow: "edit",
      input: byName,
      output: serverSummarySchema,
      audit: { target },
      run: ({ services, actor }, input) => services.servers.reconnect(actor, input.name),
      cli: {
        words: "test <name>",
        summary: "Connect to a server again, and say whether that works",
        examples: [
          ["toolroom servers test files", "exits with 1 where it does not connect"],
          ["toolroom servers test files --json", "with the state of its connection, as JSON"],
        ],
        say: ({ state: { status }, toolCount }, given) => `${given} is ${formatStatus(status)}: ${toolCount} tools.`,
        fail: describeFailure,
      },
    }),
    setApproval: act({
      rest: "PUT /servers/{name}/approval",
      summary: "Set the approval policy of a server's tools; null follows the global policy",
      allow: "edit",
      input: z.strictObject({ name, policy: approvalPolicySchema.nullable() }),
      output: serverDetailSchema,
      audit: {
        target,
        state: ({ servers }, input) => ({ approval: servers.get(input.name).settings.approval ?? null }),
      },
      run: ({ services, actor }, input) => services.servers.setApproval(actor, input.name, input.policy),
    }),
    setChangedTools: act({
      rest: "PUT /servers/{name}/changes/policy",
      summary: "Choose whether changes of a server wait for a review: auto, review or off",
      allow: "edit",
      input: z.strictObject({ name, policy: changedToolsSchema }),
      output: changeReviewSchema,
      audit: {
        target,
        state: ({ servers }, input) => ({ changedTools: servers.get(input.name).settings.changedTools ?? "off" }),
      },
      run: ({ services, actor }, input) => services.changes.setPolicy(actor, input.name, input.policy),
    }),
    decideChanges: act({
      rest: "POST /servers/{name}/changes/decide",
      summary: "Approve, block or ignore changes. Each counts for the hash and status that it names only",
      allow: "edit",
      input: z.strictObject({
        name,
        decision: changeDecisionSchema,
        changes: z.array(heldReferenceSchema).min(1).max(200),
      }),
      output: changeDecisionOutcomeSchema,
      audit: {
        target,
        after: ({ decided }, { changes, decision }) => ({
          decision,
          changes: changes
            .filter((each) => decided.includes(each.tool))
            .map((each) => ({ tool: each.tool, hash: each.hash })),
        }),
      },
      run: ({ services, actor }, input) =>
        services.servers.decideChanges(actor, input.name, input.changes, input.decision),
    }),
    heldEntries: read({
      rest: "GET /servers/{name}/changes/entries",
      summary: "Get the entries of a changed tool before and after, as JSON texts",
      allow: "read",
      input: byName.extend(heldReferenceSchema.omit({ status: true }).shape),
      output: heldEntriesSchema,
      run: ({ services }, input) => services.servers.heldEntries(input.name, input.tool, input.hash),
    }),
    tools: read({
      rest: "GET /servers/{name}/tools",
      summary: "List the tools of a server, those that cannot be called first, 100 a page",
      allow: "read",
      input: byName.extend({ q: z.string().max(500).default("").describe("Words that a tool has"), cursor }),
      output: describePage(listedServerToolSchema).extend({
        total: z.number().int().describe("Tools in the server's whole list"),
        matching: z.number().int().describe("Tools that match the search"),
        unusable: z.number().int().describe("Those of them that cannot be called"),
      }),
      run: ({ services }, input) => {
        const page = services.servers.tools(input.name, input.q, input.cursor ?? 0);
        return { ...page, ...toPage(page) };
      },
    }),
    toolJson: read({
      rest: "GET /servers/{name}/tools/{position}",
      summary: "Get an entry of a server's list of tools as the server sent it",
      allow: "read",
      input: byName.extend({
        position: z.number().int().min(0),
        tool: z
          .string()
          .max(500)
          .nullable()
          .default(null)
          .describe("How its name begins: another tool at the position is refused"),
      }),
      output: z.object({ text: z.string().describe("JSON text; only the start of a long one") }),
      run: ({ services }, input) => services.servers.toolJson(input.name, input.position, input.tool),
    }),
    changes: read({
      rest: "GET /servers/{name}/history",
      summary: "List how the tools of a server changed from one reading to the next, newest first, 100 changes a page",
      allow: "read",
      input: byName.extend({ cursor }),
      output: describePage(toolChangeSetSchema),
      run: ({ services }, input) => toPage(services.servers.changes(input.name, input.cursor ?? 0)),
    }),
    log: read({
      rest: "GET /servers/{name}/log",
      summary: "List the newest lines of a server's log",
      allow: "read",
      input: byName,
      output: z.array(serverLogLineSchema),
      run: ({ services, actor }, input) => services.servers.log(input.name, actor.id),
    }),
    messages: read({
      rest: "GET /servers/{name}/messages",
      summary: "List the newest protocol messages of a server's connection",
      allow: "read",
      input: byName,
      output: z.array(protocolMessageSchema),
      run: ({ services, actor }, input) => services.servers.messages(input.name, actor.id),
    }),
    clientConfigurations: read({
      rest: "GET /client-configurations",
      summary:
        "List configurations for programs that use Toolroom as their MCP server, with a placeholder for the token",
      allow: "read",
      input: servedPart.extend({ origin }),
      sentAs: {
        query: servedPart,
        toInput: (context, part: object) => ({ ...part, origin: readOrigin(context) }),
      },
      output: clientConfigurationsSchema,
      run: ({ services }, input) => services.servers.clientConfigurations(input.origin, input),
    }),
    startSignIn: act({
      rest: null,
      unrouted:
        "A browser signs in: the console sends it to the authorization server, and it comes back to the console",
      summary: "Begin a sign-in at a server",
      allow: "run",
      demand: (input, { servers }) => demandForSignIn(servers, input.name),
      input: z.object({ name, origin, returnTo: returnTo.optional() }),
      output: z.object({ url: z.string().nullable() }),
      audit: { target },
      run: ({ services, actor }, input) =>
        services.servers.startSignIn(actor, input.name, input.origin, input.returnTo ?? null),
    }),
    finishSignIn: restOnly(
      "The authorization server sends the browser to an address of its own, /oauth/callback",
      act({
        rest: null,
        unrouted: "It ends the sign-in of a browser that the console started",
        summary: "Store the sign-in of a server",
        allow: "edit",
        // The parameters hold the authorization code, so an entry has the page alone.
        input: z.object({ params: z.instanceof(URLSearchParams) }),
        output: z.object({ server: z.string(), path: z.string() }),
        audit: {
          target: (_, ended) => (ended === undefined ? null : { kind: "server", name: ended.server }),
          after: ({ path }) => ({ path }),
        },
        run: ({ services, actor }, { params }) => services.servers.finishSignIn(actor, params),
      }),
    ),
    signOut: act({
      rest: "POST /servers/{name}/sign-out",
      summary: "Forget the sign-in of a server",
      allow: "edit",
      input: byName,
      output: serverSummarySchema,
      audit: { target },
      run: ({ services, actor }, input) => services.servers.signOut(actor, input.name),
    }),
  },
  {
    summary: "List, add and test MCP servers",
    description: "List, add and test MCP servers and APIs.",
    examples: ["toolroom servers list", "toolroom servers test files"],
  },
);

/** Why a server that was connected again is not usable; null where it is. */
function describeFailure({ state: { status, reason } }: Pick<ServerSummary, "state">, given: string): string | null {
  if (status === "connected" || status === "idle") return null;
  return `${given} is not connected (${formatStatus(status)}).${reason === null ? "" : ` ${reason}`}`;
}
