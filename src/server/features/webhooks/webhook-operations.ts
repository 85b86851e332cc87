import { z } from "zod";
import {
  newWebhookSchema,
  webhookChannelSchema,
  webhookDeliverySchema,
  webhookEventSchema,
  webhookInputSchema,
  webhookSchema,
  webhookUpdateSchema,
} from "../../../lib/contract/webhook";
import { formatAbsoluteTime } from "../../../lib/format/relative-time";
import { act, operations, read } from "../../platform/api/operation";
import type { CellColor } from "../../platform/api/operation-command";

const id = z.string().min(1).max(100);
const byId = z.object({ id });
const ofWebhook = (input: z.output<typeof byId>) => ({ kind: "webhook", name: input.id });

const COLORS: Partial<Record<string, CellColor>> = { delivered: "green", failed: "red", pending: "yellow" };
const toStatusCell = (status: string) => ({ text: status, color: COLORS[status] });
const EVENTS = webhookEventSchema.options.join(", ");
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;

export const webhookOperations = operations(
  "webhooks",
  {
    channels: read({
      rest: "GET /webhooks/channels",
      summary: "List the webhooks that bring approval links which decide in your name",
      allow: "run",
      output: z.array(webhookChannelSchema),
      run: ({ services, principal }) => services.webhooks.channels(principal),
    }),
    confirmChannel: act({
      rest: null,
      unrouted: "A user agrees to it in the console: a token does not prove that they did",
      summary: "Agree to the approval links of a webhook that decide in your name",
      allow: "run",
      input: byId,
      audit: { target: ofWebhook, after: () => ({ approvalLinks: "confirmed" }) },
      run: ({ services, principal }, input) => services.webhooks.confirmChannel(principal, input.id),
    }),
    leaveChannel: act({
      rest: "DELETE /webhooks/channels/{id}",
      summary: "End the approval links of a webhook that decide in your name, those that were sent too",
      allow: "run",
      input: byId,
      audit: { target: ofWebhook, after: () => ({ approvalLinks: "ended" }) },
      run: ({ services, actor }, input) => services.webhooks.leaveChannel(actor, input.id),
    }),
    list: read({
      rest: "GET /webhooks",
      summary: "List the webhooks",
      allow: "administer",
      output: z.array(webhookSchema),
      run: ({ services, principal }) => services.webhooks.list(principal),
      cli: {
        words: "list",
        summary: "List the webhooks with their last delivery",
        examples: [
          ["toolroom webhooks list", "as a table"],
          ["toolroom webhooks list --json", "with everything known, as JSON"],
        ],
        table: {
          columns: {
            ID: (each) => each.id,
            STATE: ({ enabled }) => (enabled ? "enabled" : { text: "disabled", color: "gray" }),
            LAST: ({ lastDelivery }) => toStatusCell(lastDelivery?.status ?? "never"),
            EVENTS: ({ events }) => events.join(" "),
            URL: ({ url }) => url,
          },
          empty: "No webhooks. Add one with: toolroom webhooks add",
        },
      },
    }),
    create: act({
      rest: "POST /webhooks",
      summary: "Create a webhook. The answer has the secret that signs its deliveries, only this once",
      allow: "administer",
      input: z.object({ webhook: webhookInputSchema }),
      body: "webhook",
      output: newWebhookSchema,
      status: 201,
      audit: {
        target: (_, made) => ({ kind: "webhook", name: made?.id ?? "" }),
        after: (made, _, { webhooks }) => webhooks.toState(made.id),
      },
      run: ({ services, principal }, { webhook }) => services.webhooks.create(principal, webhook),
      cli: {
        words: "add <url>",
        summary: "Add a webhook, and print once the secret that signs its deliveries",
        details: `Events: ${EVENTS}. The secret goes to stdout alone.`,
        examples: [
          ["toolroom webhooks add https://chat.example/hook --event approval.requested", "one event"],
          ["toolroom webhooks add https://ops.example/hook --event execution.failed --tool deploy", "of one tool"],
        ],
        options: {
          events: ["--event <name>", "an event to send; may be repeated"],
          tools: ["--tool <name>", "of calls, only those of this tool; may be repeated"],
          description: ["--description <text>", "for people"],
        },
        note: (made) => `Added ${made.id}. Its secret is shown only here:`,
        say: ({ secret }) => secret,
      },
    }),
    update: act({
      rest: "PUT /webhooks/{id}",
      summary: "Replace a webhook's settings; its address stays unless another one is sent",
      allow: "administer",
      input: z.object({ id, webhook: webhookUpdateSchema }),
      body: "webhook",
      output: webhookSchema,
      audit: { target: ofWebhook, state: ({ webhooks }, input) => webhooks.toState(input.id) },
      run: ({ services, principal }, { webhook, ...input }) => services.webhooks.update(principal, input.id, webhook),
    }),
    delete: act({
      rest: "DELETE /webhooks/{id}",
      summary: "Delete a webhook with its deliveries",
      allow: "administer",
      input: byId,
      audit: { target: ofWebhook, state: ({ webhooks }, input) => webhooks.toState(input.id) },
      run: ({ services, actor }, input) => services.webhooks.delete(actor, input.id),
      cli: {
        words: "remove <id>",
        summary: "Remove a webhook with its deliveries",
        examples: [
          ["toolroom webhooks remove wh_5f0c…", "by the id of the list"],
          ["toolroom webhooks remove wh_5f0c… --toolroom https://tools.example.com", "of another Toolroom"],
        ],
        say: (_, name) => `Removed ${name}.`,
      },
    }),
    rotateSecret: act({
      rest: "POST /webhooks/{id}/secret",
      summary: "Replace the secret of a webhook",
      allow: "administer",
      input: byId,
      output: z.object({ secret: z.string() }),
      audit: { target: ofWebhook, after: () => ({ rotated: true }) },
      run: ({ services, actor }, input) => services.webhooks.rotateSecret(actor, input.id),
    }),
    test: act({
      rest: "POST /webhooks/{id}/test",
      summary: "Send a test event and answer with what became of it",
      allow: "administer",
      input: byId,
      output: webhookDeliverySchema,
      audit: { target: ofWebhook, after: ({ status, responseStatus }) => ({ status, responseStatus }) },
      run: ({ services, actor }, input) => services.webhooks.test(actor, input.id),
      cli: {
        words: "test <id>",
        summary: "Send a test event, and say what became of it",
        examples: [
          ["toolroom webhooks test wh_5f0c…", "exits with 1 where it was not delivered"],
          ["toolroom webhooks test wh_5f0c… --json", "with what was sent, as JSON"],
        ],
        say: ({ responseStatus }) => `Delivered: the receiver answered ${responseStatus}.`,
        fail: ({ status, error }) => (status === "delivered" ? null : `Not delivered: ${error ?? "no answer"}.`),
      },
    }),
    deliveries: read({
      rest: "GET /webhooks/{id}/deliveries",
      summary: "List the newest 50 deliveries of a webhook",
      allow: "administer",
      input: byId,
      output: z.array(webhookDeliverySchema),
      run: ({ services, actor }, input) => services.webhooks.deliveries(actor, input.id),
      cli: {
        words: "deliveries <id>",
        examples: [
          ["toolroom webhooks deliveries wh_5f0c…", "as a table"],
          ["toolroom webhooks deliveries wh_5f0c… --json", "with what was sent, as JSON"],
        ],
        table: {
          columns: {
            ID: (each) => each.id,
            EVENT: ({ event }) => event,
            STATUS: ({ status }) => toStatusCell(status),
            ATTEMPTS: ({ attempts }) => String(attempts),
            CREATED: ({ createdAt }) => formatAbsoluteTime(createdAt, zone),
            ANSWER: ({ error, responseStatus }) => error ?? (responseStatus === null ? "" : String(responseStatus)),
          },
          empty: "No deliveries.",
        },
      },
    }),
    retry: act({
      rest: "POST /webhooks/deliveries/{id}/retry",
      summary: "Send a delivery again",
      allow: "administer",
      input: byId,
      audit: { target: (input) => ({ kind: "webhook delivery", name: input.id }), after: () => ({ retried: true }) },
      run: ({ services, actor }, input) => services.webhooks.retry(actor, input.id),
      cli: {
        words: "redeliver <id>",
        summary: "Send a delivery again, with its own id",
        examples: [
          ["toolroom webhooks redeliver msg_5f0c…", "by the id of the list of deliveries"],
          ["toolroom webhooks redeliver msg_5f0c… --toolroom https://tools.example.com", "of another Toolroom"],
        ],
        say: (_, name) => `Sending ${name} again.`,
      },
    }),
  },
  {
    summary: "List, add and test webhooks, and see their deliveries",
    description: "List, add and test webhooks, which tell other programs what happens, and see their deliveries.",
    examples: ["toolroom webhooks list", "toolroom webhooks deliveries wh_5f0c…"],
  },
);
