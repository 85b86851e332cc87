import { z } from "zod";
import {
  clientDetailSchema,
  clientFitSchema,
  clientListSchema,
  clientListSummarySchema,
  clientSummarySchema,
  listComparisonSchema,
  toolAnswerSchema,
} from "../../../lib/contract/client";
import { CHECKED_CLIENTS } from "../../../lib/contract/client-verdict";
import { clientVerdictSchema } from "../../../lib/contract/client-verdict-schema";
import { operations, read } from "../../platform/api/operation";
import { describeAnswer, describeClient, formatTime } from "./client-output";

/** The id of a client, or its name where no other client has it. */
const client = z.string().min(1).max(200);
const byClient = z.object({ client });
/** The tools to check: those of one part, else all. */
const part = z.object({
  tool: z.string().min(1).max(300).optional(),
  server: z.string().min(1).max(200).optional(),
  toolset: z.string().min(1).max(100).optional(),
});
/** An agent reads the strongest ones; `findingCount` says how many there are. */
const AGENT_FINDINGS = 20;
const hash = z.string().min(1).max(100);
const time = z.coerce.number().int().min(0).optional();

/** `clients lists` and `open` are commands of their own: one takes a day, the other asks one of two routes. */
export const clientOperations = operations(
  "clients",
  {
    list: read({
      rest: "GET /clients",
      summary: "List the MCP clients of the last 30 days, those seen last first",
      allow: "read",
      output: z.array(clientSummarySchema),
      run: ({ services }) => services.clients.list(),
      agent: {
        name: "list_clients",
        description: "List the MCP clients of the last 30 days with their ids, users and addresses.",
        toResult: (clients) => ({
          count: clients.length,
          clients: clients.map((each) => ({
            id: each.id,
            name: each.name,
            version: each.version,
            user: each.user.name,
            addresses: each.addresses,
            calls: each.calls,
            tools: each.tools,
          })),
        }),
      },
      cli: {
        words: "list",
        summary: "List the clients of the last 30 days",
        examples: [
          ["toolroom clients list", "as a table, those seen last first"],
          ["toolroom clients list --json", "with everything known, as JSON"],
        ],
        table: {
          columns: {
            ID: (each) => each.id,
            CLIENT: ({ name, version }) => `${name} ${version}`,
            USER: ({ user, token }) => (token === null ? user.name : `${user.name}, ${token.name}`),
            ADDRESS: ({ addresses }) => addresses.join(" "),
            TOOLS: ({ tools }) => (tools === null ? "–" : String(tools)),
            "LAST LIST": ({ listedAt }) => formatTime(listedAt),
          },
          empty: "No clients yet. The page Clients has configurations.",
        },
      },
    }),
    get: read({
      rest: "GET /clients/{client}",
      summary: "Get a client, by its id or a name that no other has, with its sessions and the list it was given last",
      allow: "read",
      input: byClient,
      output: clientDetailSchema,
      run: ({ services }, input) => services.clients.get(input.client),
      cli: {
        words: "show <client>",
        summary: "Print the list of tools that a client was given last, and what was left out",
        examples: [
          ["toolroom clients show claude-code", "by a name that no other client has"],
          ["toolroom clients show 5f0cA1… --json", "by its id, with its sessions, as JSON"],
        ],
        print: describeClient,
      },
    }),
    explain: read({
      rest: "GET /clients/{client}/tools/{tool}",
      summary: "Say why a client does not see a tool",
      allow: "read",
      input: byClient.extend({ tool: z.string().trim().min(1).max(300) }),
      output: toolAnswerSchema,
      run: ({ services }, input) => services.clients.explain(input.client, input.tool),
      cli: {
        words: "why <client> <tool>",
        summary: "Say why a client does not see a tool; exits with 1 where it does not",
        examples: [
          ["toolroom clients why claude-code files__read", "by the names that people know"],
          ["toolroom clients why claude-code read --json", "a server's own name, as JSON"],
        ],
        print: describeAnswer,
        fail: ({ verdict }) => (verdict === "listed" ? null : ""),
      },
      agent: {
        name: "explain_missing_tool",
        description: "Say why an MCP client does not see a tool, and what to do about it.",
        input: z.object({
          client: client.describe("The client's id, or its name where no other client has it: list_clients has them"),
          tool: z.string().trim().min(1).max(300).describe("The name of the tool"),
        }),
      },
    }),
    fit: read({
      rest: "GET /clients/{client}/verdict",
      summary: "Say what a client does with the list that it was given last, by the documented rules of its program",
      allow: "read",
      input: byClient,
      output: clientFitSchema,
      run: ({ services }, input) => services.clients.fit(input.client),
    }),
    verdicts: read({
      rest: "GET /client-verdicts",
      summary:
        "Say what each known client does with a tool, or with the tools of a server or toolset, by its documented rules; nothing is called",
      allow: "read",
      input: part,
      output: z.array(clientVerdictSchema),
      run: ({ services, principal }, input) => services.clientVerdicts.checkAll(principal, input),
    }),
    verdict: read({
      rest: "GET /client-verdicts/{program}",
      summary:
        "Say what one client does with a tool, or with the tools of a server or toolset, with up to 200 findings",
      allow: "read",
      input: part.extend({ program: z.enum(CHECKED_CLIENTS) }),
      output: clientVerdictSchema,
      run: ({ services, principal }, { program, ...input }) => services.clientVerdicts.check(principal, program, input),
      agent: {
        name: "check_client",
        description:
          "Say what a client does with a tool, or with the tools of a server or toolset, by its documented rules: what it refuses, cuts or drops, and the way out.",
        input: z.object({
          program: z.enum(CHECKED_CLIENTS).describe("The client"),
          tool: part.shape.tool.describe("One tool, by its name in the catalog"),
          server: part.shape.server.describe("All tools of a server"),
          toolset: part.shape.toolset.describe("All tools of a toolset"),
        }),
        toResult: ({ findings, ...verdict }) => ({
          ...verdict,
          findings: findings.slice(0, AGENT_FINDINGS).map(({ rule, severity, tool, message, remedy }) => ({
            rule,
            severity,
            tool,
            message,
            remedy: remedy?.text ?? null,
          })),
        }),
      },
    }),
    lists: read({
      rest: "GET /clients/{client}/lists",
      summary: "List the lists of tools that a client was given in a time, newest first",
      allow: "read",
      input: byClient.extend({
        since: time.describe("Epoch milliseconds, inclusive"),
        until: time.describe("Epoch milliseconds, exclusive"),
      }),
      output: z.array(clientListSummarySchema),
      run: ({ services }, { client: ofClient, ...window }) => services.clients.lists(ofClient, window),
    }),
    readList: read({
      rest: "GET /clients/{client}/lists/{hash}",
      summary:
        "Get a list of tools as a client was given it, with names, descriptions and schemas, by its hash or the beginning of it",
      allow: "read",
      input: byClient.extend({ hash }),
      output: clientListSchema,
      run: ({ services }, input) => services.clients.readList(input.client, input.hash),
    }),
    compareLists: read({
      rest: "GET /clients/{client}/lists/{hash}/compare/{other}",
      summary: "Compare two lists that a client was given",
      allow: "read",
      input: byClient.extend({ hash, other: hash }),
      output: listComparisonSchema,
      run: ({ services }, input) => services.clients.compareLists(input.client, input.hash, input.other),
    }),
  },
  {
    summary: "List the MCP clients with what they were given, and say why a tool is missing there",
    examples: ["toolroom clients list", "toolroom clients why claude-code files__read"],
  },
);
