import { z } from "zod";
import type { Permission } from "../../../lib/contract/access";
import {
  changeReportSchema,
  changeReviewSchema,
  type ReplayBaseline,
  replayRequestSchema,
  ruleSettingsSchema,
  trafficWindowSchema,
  waitingChangesSchema,
} from "../../../lib/contract/change-review";
import {
  skillChangeSchema,
  skillDecisionOutcomeSchema,
  skillDecisionSchema,
  skillReferenceSchema,
  skillVersionsSchema,
} from "../../../lib/contract/skill-change";
import { formatVerdict, formatWaiting } from "../../../lib/format/change-verdict";
import { formatPlural } from "../../../lib/format/count";
import { act, operations, read } from "../../platform/api/operation";
import type { CellColor } from "../../platform/api/operation-command";

/** The server's name. */
const name = z.string().min(1).max(200);
const ofServer = z.object({ name });
const target = (input: z.output<typeof ofServer>) => ({ kind: "server", name: input.name });

const startsCommand = (baseline: ReplayBaseline): boolean => "command" in (baseline ?? {});

const COLORS: Partial<Record<string, CellColor>> = { error: "red", warning: "yellow" };

/** The decisions, `changes hold` and `changes replay` are commands of their own: they choose changes and wait. */
export const changeOperations = operations(
  "changes",
  {
    waiting: read({
      rest: "GET /changes",
      summary: "List the servers with changes that wait, or broke something and are in use",
      allow: "read",
      output: z.array(waitingChangesSchema),
      run: ({ services }) => services.changes.waiting(),
      cli: {
        words: "list",
        summary: "List the servers with changes that wait or are in use",
        examples: [
          ["toolroom changes list", "as a table"],
          ["toolroom changes list --json", "as JSON"],
        ],
        table: {
          columns: {
            SERVER: ({ server }) => server,
            WAITING: ({ open, skills }) => String(open + skills),
            "BREAKING IN USE": ({ applied }) => String(applied),
            "RECORDED CALLS": (each) => ({
              text: formatWaiting(each),
              color: each.broken > 0 ? "red" : undefined,
            }),
          },
          empty: "No changes wait, and none that broke something is in use.",
        },
      },
    }),
    review: read({
      rest: "GET /servers/{name}/changes",
      summary:
        "Get the changed tools of a server that wait, or broke something and are in use, with what schemas, recorded calls and replays say",
      allow: "read",
      input: ofServer,
      output: changeReviewSchema,
      run: ({ services }, input) => services.changes.review(input.name),
      cli: {
        words: "show <server>",
        fields: { server: "name" },
        summary: "Show what the changed tools of a server would break",
        examples: [
          ["toolroom changes show files", "a line for each tool"],
          ["toolroom changes show files --json", "with reasons, calls, clients and people"],
        ],
        table: {
          columns: {
            TOOL: ({ tool }) => tool,
            STATUS: ({ status }) => (status === "applied" ? "in use" : status),
            CHANGE: ({ kind, schema }) => ({ text: kind, color: COLORS[schema?.severity ?? ""] }),
            "RECORDED CALLS": ({ kind, traffic }) => ({
              text: kind === "added" ? "a new tool" : traffic === null ? "being checked" : formatVerdict(traffic),
              color: COLORS[traffic?.severity ?? ""],
            }),
          },
          empty: (server) => `No changed tools of ${server} wait, and none that broke something is in use.`,
        },
      },
    }),
    skills: read({
      rest: "GET /servers/{name}/changes/skills",
      summary: "List changed skills of a server: they wait, are rejected or withheld",
      allow: "read",
      input: ofServer,
      output: z.array(skillChangeSchema),
      run: ({ services }, input) => services.changes.skillChanges(input.name),
      cli: {
        words: "skills <server>",
        fields: { server: "name" },
        summary: "List changed skills of a server",
        examples: [
          ["toolroom changes skills docs", "as a table"],
          ["toolroom changes skills docs --json", "with the files that differ, as JSON"],
        ],
        table: {
          columns: {
            SKILL: ({ name: each }) => each,
            STATUS: ({ status }) => status,
            CHANGE: ({ kind }) => kind,
            FILES: ({ files, reason }) => reason ?? files.map(({ path }) => path).join(", "),
          },
          empty: (server) => `Clients have every skill that ${server} lists.`,
        },
      },
    }),
    skillVersions: read({
      rest: "GET /servers/{name}/changes/skills/versions",
      summary: "Get both versions of a changed skill, with the texts of their files",
      allow: "read",
      input: ofServer.extend(skillReferenceSchema.omit({ status: true }).shape),
      output: skillVersionsSchema,
      run: ({ services }, input) => services.changes.skillVersions(input.name, input.uri, input.hash),
    }),
    decideSkills: act({
      rest: "POST /servers/{name}/changes/skills/decide",
      summary: "Approve or block versions of skills. Each counts for the hash and status that it names only",
      allow: "edit",
      input: z.strictObject({
        name,
        decision: skillDecisionSchema,
        skills: z.array(skillReferenceSchema).min(1).max(200),
      }),
      output: skillDecisionOutcomeSchema,
      audit: {
        target,
        after: ({ decided }, { skills, decision }) => ({
          decision,
          skills: skills.filter(({ uri }) => decided.includes(uri)).map(({ uri, hash }) => ({ uri, hash })),
        }),
      },
      run: ({ services, actor }, input) =>
        services.changes.decideSkills(actor, input.name, input.skills, input.decision),
    }),
    recheck: act({
      rest: "POST /servers/{name}/changes/recheck",
      formerly: [{ rest: "POST /servers/{name}/changes/judge", since: "2026-11-30" }],
      summary: "Check recorded calls by the changes that wait, again. Makes no call",
      allow: "read",
      input: ofServer.extend({ window: trafficWindowSchema.strict() }),
      body: "window",
      output: changeReviewSchema,
      audit: { unrecorded: "It changes nothing" },
      run: ({ services, actor }, input) => services.changes.recheck(actor, input.name, input.window),
    }),
    setReplayable: act({
      rest: "PUT /servers/{name}/changes/replayable",
      summary: "Replace the tools whose recorded calls may be made again",
      allow: "edit",
      input: z.strictObject({ name, tools: z.array(z.string().min(1).max(300)).max(2_000) }),
      output: changeReviewSchema,
      audit: {
        target,
        state: async ({ changes }, input) => ({ replayable: await changes.replayableTools(input.name) }),
      },
      run: ({ services, actor }, input) => services.changes.setReplayable(actor, input.name, input.tools),
      cli: {
        words: "allow <server> [tool...]",
        fields: { server: "name", tool: "tools" },
        summary: "Allow the calls of these tools, and of no others, to be replayed",
        details: "Name tools only whose calls may be repeated. The server's own hints are not checked.",
        examples: [
          ["toolroom changes allow files read_file list_directory", "two tools"],
          ["toolroom changes allow files", "none any more"],
        ],
        say: ({ replayable }, server) => `${formatPlural(replayable.length, "tool")} of ${server} may be replayed.`,
      },
    }),
    startReplay: act({
      rest: "POST /servers/{name}/changes/replay",
      summary:
        "Make recorded calls of replayable tools again, within a budget. A baseline with a command needs the role admin; the outcome is in GET",
      allow: "edit",
      // A command runs on this machine, and receives the stored values of the server.
      demand: ({ request }): Permission => (startsCommand(request.baseline) ? "administer" : "edit"),
      input: ofServer.extend({ request: replayRequestSchema.strict() }),
      body: "request",
      output: z.object({ tools: z.array(z.string()) }),
      audit: {
        target,
        after: ({ tools }, { request: { budget, baseline } }) => ({
          tools,
          budget,
          baseline: formatBaseline(baseline),
        }),
      },
      run: ({ services, actor }, input) => services.changes.startReplay(actor, input.name, input.request),
    }),
    cancelReplay: act({
      rest: "DELETE /servers/{name}/changes/replay",
      summary: "Cancel the replay that runs",
      allow: "edit",
      input: ofServer,
      output: z.object({ cancelled: z.boolean() }),
      audit: { target },
      run: ({ services, actor }, input) => services.changes.cancelReplay(actor, input.name),
    }),
    check: read({
      rest: "POST /servers/{name}/changes/check",
      summary: "Check a list of tools that the server does not have yet, by schemas and recorded calls. Makes no call",
      allow: "read",
      input: z.strictObject({
        name,
        tools: z.array(z.json()).max(2_000).describe("As `tools/list` of the candidate has them"),
        last: z
          .string()
          .regex(/^[1-9]\d{0,4}[mhd]$/, "must be a number of minutes, hours or days, such as 7d")
          .nullable()
          .default("30d")
          .describe("Recorded calls that are checked, such as `7d`; null checks none"),
        calls: trafficWindowSchema.shape.calls,
        rules: ruleSettingsSchema.optional(),
      }),
      output: changeReportSchema,
      run: ({ services }, { name: server, ...candidate }) => services.changes.check(server, candidate),
    }),
  },
  {
    summary: "Review tools and skills that servers changed",
    description:
      "Review tools and skills that servers changed: the recorded calls that they would break, and the decisions.",
    examples: ["toolroom changes list", "toolroom changes show files"],
  },
);

/** Formats the baseline without arguments and query, which may hold secrets. */
function formatBaseline(baseline: ReplayBaseline): string | null {
  if (baseline === null) return null;
  if ("command" in baseline) return baseline.command;
  return URL.canParse(baseline.url) ? new URL(baseline.url).origin : null;
}
