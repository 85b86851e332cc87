import type { Command } from "commander";
import type { NewWebhook, Webhook, WebhookDelivery } from "../../lib/contract/webhook";
import { formatAbsoluteTime } from "../../lib/format/relative-time";
import { openApi } from "./api-client";
import { CommandError, EXIT, usageError } from "./command-error";
import type { CommandIo } from "./command-io";
import { addServerOptions, collect, defineCommand, type ServerOptions } from "./define-command";
import { type Color, formatTable, toTableStyle, write, writeJson } from "./output";

interface AddOptions extends ServerOptions {
  event?: string[];
  tool?: string[];
  description?: string;
}

const COLORS: Partial<Record<string, Color>> = { delivered: "green", failed: "red", pending: "yellow" };
const EVENTS =
  "approval.requested, server.disconnected, change.held, run.failed, execution.failed, suite.failed, alert.fired, alert.resolved";
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
const toPath = (id: string): string => `/webhooks/${encodeURIComponent(id)}`;

export function addWebhookCommands(program: Command, io: CommandIo): void {
  const webhooks = program
    .command("webhooks")
    .summary("List, add and test webhooks, and see their deliveries")
    .description("List, add and test webhooks, which tell other programs what happens, and see their deliveries.");
  webhooks.addHelpText("after", "\nExamples:\n  toolroom webhooks list\n  toolroom webhooks deliveries wh_5f0c…");

  const list = defineCommand(webhooks, {
    syntax: "list",
    summary: "List the webhooks with their last delivery",
    examples: [
      ["toolroom webhooks list", "as a table"],
      ["toolroom webhooks list --json", "with everything known, as JSON"],
    ],
  });
  addServerOptions(list, "print { items } as GET /api/v1/webhooks has them").action((options: ServerOptions) =>
    listWebhooks(options, io),
  );

  const add = defineCommand(webhooks, {
    syntax: "add <url>",
    summary: "Add a webhook, and print once the secret that signs its deliveries",
    details: `Events: ${EVENTS}. The secret goes to stdout alone.`,
    examples: [
      ["toolroom webhooks add https://chat.example/hook --event approval.requested", "one event"],
      ["toolroom webhooks add https://ops.example/hook --event execution.failed --tool deploy", "of one tool"],
    ],
  })
    .option("--event <name>", "an event to send; may be repeated", collect)
    .option("--tool <name>", "of calls, only those of this tool; may be repeated", collect)
    .option("--description <text>", "for people");
  addServerOptions(add, "print the webhook as POST /api/v1/webhooks has it").action(
    (url: string, options: AddOptions) => addWebhook(url, options, io),
  );

  const remove = defineCommand(webhooks, {
    syntax: "remove <id>",
    summary: "Remove a webhook with its deliveries",
    examples: [
      ["toolroom webhooks remove wh_5f0c…", "by the id of the list"],
      ["toolroom webhooks remove wh_5f0c… --toolroom https://tools.example.com", "of another Toolroom"],
    ],
  });
  addServerOptions(remove).action((id: string, options: ServerOptions) => removeWebhook(id, options, io));

  const test = defineCommand(webhooks, {
    syntax: "test <id>",
    summary: "Send a test event, and say what became of it",
    examples: [
      ["toolroom webhooks test wh_5f0c…", "exits with 1 where it was not delivered"],
      ["toolroom webhooks test wh_5f0c… --json", "with what was sent, as JSON"],
    ],
  });
  addServerOptions(test, "print the delivery as POST /api/v1/webhooks/{id}/test has it").action(
    (id: string, options: ServerOptions) => testWebhook(id, options, io),
  );

  const deliveries = defineCommand(webhooks, {
    syntax: "deliveries <id>",
    summary: "List the newest 50 deliveries of a webhook",
    examples: [
      ["toolroom webhooks deliveries wh_5f0c…", "as a table"],
      ["toolroom webhooks deliveries wh_5f0c… --json", "with what was sent, as JSON"],
    ],
  });
  addServerOptions(deliveries, "print { items } as GET /api/v1/webhooks/{id}/deliveries has them").action(
    (id: string, options: ServerOptions) => listDeliveries(id, options, io),
  );

  const redeliver = defineCommand(webhooks, {
    syntax: "redeliver <delivery>",
    summary: "Send a delivery again, with its own id",
    examples: [
      ["toolroom webhooks redeliver msg_5f0c…", "by the id of the list of deliveries"],
      ["toolroom webhooks redeliver msg_5f0c… --toolroom https://tools.example.com", "of another Toolroom"],
    ],
  });
  addServerOptions(redeliver).action((id: string, options: ServerOptions) => redeliverDelivery(id, options, io));
}

async function listWebhooks({ json, ...choice }: ServerOptions, io: CommandIo): Promise<void> {
  const api = await openApi(choice, io);
  const text = await api.getText("/webhooks");
  if (json) return await writeJson(io, text);
  const { items } = JSON.parse(text) as { items: Webhook[] };
  if (items.length === 0) return await write(io.stderr, "No webhooks. Add one with: toolroom webhooks add\n");
  const rows = items.map(({ id, enabled, lastDelivery, events, url }) => [
    id,
    enabled ? "enabled" : { text: "disabled", color: "gray" as const },
    toCell(lastDelivery?.status ?? "never"),
    events.join(" "),
    url,
  ]);
  await write(io.stdout, formatTable(["ID", "STATE", "LAST", "EVENTS", "URL"], rows, toTableStyle(io)));
}

const toCell = (status: string) => ({ text: status, color: COLORS[status] });

async function addWebhook(
  url: string,
  { json, event = [], tool, ...options }: AddOptions,
  io: CommandIo,
): Promise<void> {
  const { description, ...choice } = options;
  if (event.length === 0) throw usageError(`Give at least one --event: ${EVENTS}.`);
  const api = await openApi(choice, io);
  const body = JSON.stringify({ url, events: event, tools: tool, description });
  const text = await api.sendText("POST", "/webhooks", body);
  if (json) return await writeJson(io, text);
  const { id, secret } = JSON.parse(text) as NewWebhook;
  await write(io.stderr, `Added ${id}. Its secret is shown only here:\n`);
  await write(io.stdout, `${secret}\n`);
}

async function removeWebhook(id: string, choice: ServerOptions, io: CommandIo): Promise<void> {
  const api = await openApi(choice, io);
  await api.sendText("DELETE", toPath(id));
  await write(io.stdout, `Removed ${id}.\n`);
}

async function testWebhook(id: string, { json, ...choice }: ServerOptions, io: CommandIo): Promise<void> {
  const api = await openApi(choice, io);
  const text = await api.sendText("POST", `${toPath(id)}/test`, "{}");
  const { status, responseStatus, error } = JSON.parse(text) as WebhookDelivery;
  if (json) await writeJson(io, text);
  else if (status === "delivered") await write(io.stdout, `Delivered: the receiver answered ${responseStatus}.\n`);
  if (status === "delivered") return;
  throw new CommandError(EXIT.failed, json ? "" : `Not delivered: ${error ?? "no answer"}.`);
}

async function listDeliveries(id: string, { json, ...choice }: ServerOptions, io: CommandIo): Promise<void> {
  const api = await openApi(choice, io);
  const text = await api.getText(`${toPath(id)}/deliveries`);
  if (json) return await writeJson(io, text);
  const { items } = JSON.parse(text) as { items: WebhookDelivery[] };
  if (items.length === 0) return await write(io.stderr, "No deliveries.\n");
  const rows = items.map(({ id: delivery, event, status, attempts, createdAt, responseStatus, error }) => [
    delivery,
    event,
    toCell(status),
    String(attempts),
    formatAbsoluteTime(createdAt, zone),
    error ?? (responseStatus === null ? "" : String(responseStatus)),
  ]);
  const head = ["ID", "EVENT", "STATUS", "ATTEMPTS", "CREATED", "ANSWER"];
  await write(io.stdout, formatTable(head, rows, toTableStyle(io)));
}

async function redeliverDelivery(id: string, choice: ServerOptions, io: CommandIo): Promise<void> {
  const api = await openApi(choice, io);
  await api.sendText("POST", `/webhooks/deliveries/${encodeURIComponent(id)}/retry`, "{}");
  await write(io.stdout, `Sending ${id} again.\n`);
}
