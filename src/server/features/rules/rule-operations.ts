import { z } from "zod";
import type { Permission } from "../../../lib/contract/access";
import {
  callRuleInputSchema,
  callRuleSchema,
  conditionFieldSchema,
  conditionProblemSchema,
  hookTestSchema,
  rulePreviewInputSchema,
  rulePreviewSchema,
} from "../../../lib/contract/call-rule";
import { MAX_RULES, RULE_EFFECTS } from "../../../lib/contract/call-rule-words";
import { savedRuleSchema } from "../../../lib/contract/rule-case";
import { limitUsageSchema } from "../../../lib/contract/rule-limit";
import { describeEffect } from "../../../lib/format/call-rule-words";
import { describeBrokenCases } from "../../../lib/format/rule-case-words";
import { describeCounted, describeWindow, formatUsed } from "../../../lib/format/rule-limit-words";
import { act, operations, read } from "../../platform/api/operation";
import { revision } from "../../platform/api/revision-input";
import { numberInQuery, timeZoneSchema } from "../../platform/api/route-inputs";
import { ruleExplanations } from "./rule-explain-operations";
import { ruleInsights } from "./rule-insight-operations";

const id = z.string().min(1).max(100);
const rule = callRuleInputSchema;
const position = z.number().int().min(1).max(MAX_RULES).describe("From 1; rules are tried in this order");
/** Absent from a request, a condition is empty. */
const condition = rule.shape.condition.unwrap().min(1, "must not be empty");

const ofRule = (input: { id: string }) => ({ kind: "rule", name: input.id });
const atLeastEdit = (permission: Permission): Permission => (permission === "administer" ? permission : "edit");
const ADMINISTER =
  "Rules that allow, name an approver, call a hook or route are for admins, and so is what gives or takes them calls";

/** `rules save` is a command of its own: it reads a file. */
export const ruleOperations = operations(
  "rules",
  {
    list: read({
      rest: "GET /rules",
      summary: "List the rules for calls in their order",
      allow: "read",
      output: z.array(callRuleSchema),
      run: ({ services }) => services.rules.list(),
      cli: {
        words: "list",
        summary: "List the rules for calls in their order",
        examples: [
          ["toolroom rules list", "as a table"],
          ["toolroom rules list --json", "with everything known, as JSON"],
        ],
        table: {
          columns: {
            "#": (each) => String(each.position),
            NAME: ({ name }) => name,
            STATE: ({ state }) => state,
            EFFECT: ({ effect }) => describeEffect(effect),
            CONDITION: (each) => each.condition || "every call in scope",
            "MATCHED (7 DAYS)": ({ matched }) => String(matched),
          },
          empty: "No rules.",
        },
      },
    }),
    fields: read({
      rest: "GET /rules/fields",
      summary: "List what a condition may read of the arguments of some tools",
      allow: "read",
      input: z.object({
        tools: z.array(z.string().min(1).max(200)).max(100).default([]).describe("Names or patterns; none: no fields"),
      }),
      output: z.array(conditionFieldSchema),
      run: ({ services }, { tools }) => services.rules.fields(tools),
    }),
    check: read({
      rest: "POST /rules/check",
      summary: "Check a condition: its problems with their places, none where it can be saved",
      allow: "read",
      input: z.object({
        condition,
        effect: z.enum(RULE_EFFECTS).optional().describe("Of the rule; absent: the condition may read `result`"),
      }),
      output: z.object({ problems: z.array(conditionProblemSchema) }),
      run: ({ services }, input) => ({ problems: services.rules.check(input.condition, input.effect) }),
      cli: {
        words: "check <condition>",
        summary: "Check a condition without saving it; exits with 1 where it has problems",
        examples: [
          ["toolroom rules check 'args.amount > 1000'", "a comparison"],
          [`toolroom rules check 'args.to.exists(x, !x.endsWith("@acme.com"))'`, "of a list"],
        ],
        say: ({ problems }) => problems.map(({ message, from }) => `${from}: ${message}`).join("\n") || "No problems.",
        fail: ({ problems }) => (problems.length > 0 ? "" : null),
      },
    }),
    preview: read({
      rest: "POST /rules/preview",
      summary:
        "What a rule would have done to recorded calls, without saving it: the newest 100,000 of the last seven days",
      allow: "read",
      input: rulePreviewInputSchema.extend({
        view: z.string().max(100).optional().describe("The name or id of a saved view; `filter` replaces its filters"),
        zone: timeZoneSchema.optional().describe("The time zone of the view's days; default: UTC"),
      }),
      output: rulePreviewSchema,
      async run({ services, signal }, { view, zone = "UTC", ...input }) {
        const saved = view === undefined ? {} : await services.views.readFilter(view, zone);
        return await services.rules.preview({ ...input, filter: { ...saved, ...input.filter } }, signal);
      },
    }),
    usage: read({
      rest: "GET /rules/usage",
      summary: "What is used of limits now, the fullest first: at most 1,000 counts",
      allow: "read",
      input: z.object({ id: id.optional().describe("Of this rule alone") }),
      output: z.array(limitUsageSchema),
      run: ({ services }, input) => services.rules.usage(input.id),
      cli: {
        words: "usage",
        summary: "Show what is used of limits now",
        examples: [
          ["toolroom rules usage", "the fullest first"],
          ["toolroom rules usage --json", "with keys and times, as JSON"],
        ],
        table: {
          columns: {
            RULE: ({ ruleName }) => ruleName,
            FOR: ({ parts }) => describeCounted(parts),
            USED: ({ measure, used, most }) => formatUsed(measure, used, most),
            WINDOW: ({ minutes }) => describeWindow(minutes),
            "ROOM AGAIN": ({ freeAt }) => (freeAt === null ? "now" : new Date(freeAt).toISOString()),
          },
          empty: "Nothing is used of any limit.",
        },
      },
    }),
    resetUsage: act({
      rest: "POST /rules/{id}/reset",
      summary: `Reset what is used of a limit, for all or for one key. ${ADMINISTER}`,
      allow: "edit",
      demand: (input, { rules }) => atLeastEdit(rules.permissionFor({ id: input.id, deleted: true })),
      input: z.object({
        id,
        key: z.string().max(4_000).optional().describe("Of `GET /rules/usage`; absent: all of the rule"),
      }),
      audit: { target: ofRule },
      run: ({ services, actor }, input) => services.rules.resetUsage(actor, input.id, input.key),
      cli: {
        words: "reset <id>",
        summary: "Reset what is used of a limit",
        examples: [
          ["toolroom rules reset 'At most 100 calls an hour'", "by its name: all that it counts"],
          ["toolroom rules reset rule_5f0c…", "or its id"],
        ],
        find: { list: "/rules", kind: "rule" },
        say: (_, name) => `The limit ${name} counts from 0 now.`,
      },
    }),
    ...ruleInsights,
    ...ruleExplanations,
    create: act({
      rest: "POST /rules",
      summary: `Create a rule, as the last one or at a position. ${ADMINISTER}`,
      allow: "edit",
      demand: (input, { rules }) => atLeastEdit(rules.permissionFor({ created: input.rule, position: input.position })),
      input: z.object({
        rule,
        position: numberInQuery(1, MAX_RULES).optional().describe("From 1; absent: the last one"),
      }),
      body: "rule",
      output: savedRuleSchema,
      status: 201,
      versioned: true,
      audit: {
        target: (_, made) => ({ kind: "rule", name: made?.id ?? "" }),
        after: (made, _, { rules }) => rules.toState(made.id),
      },
      run: ({ services, actor }, input) =>
        services.ruleCases.nameBroken(actor, () => services.rules.create(actor, input.rule, input.position)),
    }),
    get: read({
      rest: "GET /rules/{id}",
      summary: "Get a rule",
      allow: "read",
      input: z.object({ id }),
      output: callRuleSchema,
      versioned: true,
      run: ({ services }, input) => services.rules.get(input.id),
    }),
    update: act({
      rest: "PUT /rules/{id}",
      summary: `Replace a rule. ${ADMINISTER}`,
      allow: "edit",
      demand: (input, { rules }) => atLeastEdit(rules.permissionFor({ id: input.id, input: input.rule })),
      input: z.object({ id, rule, revision }),
      body: "rule",
      output: savedRuleSchema,
      versioned: ({ rules }, input) => rules.find(input.id).lastEdit,
      audit: { target: ofRule, state: ({ rules }, input) => rules.toState(input.id) },
      run: ({ services, actor }, input) =>
        services.ruleCases.nameBroken(actor, () => services.rules.update(actor, input.id, input.rule, input.revision)),
    }),
    move: act({
      rest: "POST /rules/{id}/move",
      summary: `Put a rule at another position. ${ADMINISTER}`,
      allow: "edit",
      demand: (input, { rules }) => atLeastEdit(rules.permissionFor({ id: input.id, position: input.position })),
      input: z.object({ id, position }),
      output: savedRuleSchema,
      audit: { target: ofRule, state: ({ rules }, input) => rules.toState(input.id) },
      run: ({ services, actor }, input) =>
        services.ruleCases.nameBroken(actor, () => services.rules.move(actor, input.id, input.position)),
      cli: {
        words: "move <id> <position>",
        summary: "Put a rule at another position, from 1",
        examples: [
          ["toolroom rules move 'No large refunds' 1", "by its name: it is tried first"],
          ["toolroom rules move rule_5f0c… 3", "or its id"],
        ],
        find: { list: "/rules", kind: "rule" },
        say: ({ position: placed, brokenCases }, name) =>
          [`${name} is rule ${placed} now.`, describeBrokenCases(brokenCases)].filter(Boolean).join(" "),
      },
    }),
    replaceSecret: act({
      rest: "POST /rules/{id}/secret",
      summary: "Replace the secret that signs a hook's requests; the answer has the new one, once",
      allow: "administer",
      input: z.object({ id }),
      output: z.object({ secret: z.string() }),
      audit: { target: ofRule, after: () => ({ replaced: true }) },
      run: ({ services, actor }, input) => services.rules.replaceSecret(actor, input.id),
      cli: {
        words: "secret <id>",
        summary: "Print, once, a new secret for a hook",
        details: "The former secret is useless at once. The secret goes to stdout alone.",
        examples: [
          ["toolroom rules secret 'Ask the fraud check'", "by the rule's name"],
          ["toolroom rules secret rule_5f0c… > hook-secret", "into a file"],
        ],
        find: { list: "/rules", kind: "rule" },
        note: () => "The hook's requests have a new secret. It is shown only here:",
        say: ({ secret }) => secret,
      },
    }),
    testHook: act({
      rest: "POST /rules/{id}/test-hook",
      summary: "Try the hook of a rule, with no call",
      allow: "administer",
      input: z.object({ id }),
      output: hookTestSchema,
      audit: { target: ofRule, after: ({ decision, status }) => ({ decision, status }) },
      run: ({ services, actor }, input) => services.rules.testHook(actor, input.id),
      cli: {
        words: "test-hook <id>",
        summary: "Try the hook of a rule",
        examples: [
          ["toolroom rules test-hook 'Ask the fraud check'", "exits with 1 where it gives no decision"],
          ["toolroom rules test-hook rule_5f0c… --json", "with the status and the time, as JSON"],
        ],
        find: { list: "/rules", kind: "rule" },
        say: ({ decision, reason, ms }) => `${decision}${reason === null ? "" : `: ${reason}`} (${ms} ms)`,
        fail: ({ failure }) => (failure === null ? null : `The hook failed, since ${failure}.`),
      },
    }),
    delete: act({
      rest: "DELETE /rules/{id}",
      summary: `Delete a rule. ${ADMINISTER}`,
      allow: "edit",
      demand: (input, { rules }) => atLeastEdit(rules.permissionFor({ id: input.id, deleted: true })),
      input: z.object({ id, revision }),
      versioned: ({ rules }, input) => rules.find(input.id).lastEdit,
      audit: { target: ofRule, state: ({ rules }, input) => rules.toState(input.id) },
      run: ({ services, actor }, input) => services.rules.delete(actor, input.id, input.revision),
      cli: {
        words: "delete <id>",
        examples: [
          ["toolroom rules delete 'No large refunds'", "by its name"],
          ["toolroom rules delete rule_5f0c…", "or its id"],
        ],
        find: { list: "/rules", kind: "rule" },
        say: (_, name) => `Deleted the rule ${name}.`,
      },
    }),
  },
  {
    summary: "List, check, move and delete the rules for calls",
    examples: ["toolroom rules list", "toolroom rules check 'args.amount > 1000'"],
  },
);
