import { type Command, Option } from "commander";
import { ROLES } from "../../lib/contract/access";
import type { AlertPage, AlertPreview, AlertRule } from "../../lib/contract/alert";
import {
  ALERT_KINDS,
  ALERT_SUBJECTS,
  ALERT_WORDS,
  type AlertKind,
  type AlertSubject,
} from "../../lib/contract/alert-kinds";
import { describeAlert, describeRule } from "../../lib/format/alert-words";
import { openApi } from "./api-client";
import { CommandError, EXIT, usageError } from "./command-error";
import type { CommandIo } from "./command-io";
import { addServerOptions, defineCommand, type ServerOptions } from "./define-command";
import { formatTable, toTableStyle, write, writeJson } from "./output";

interface SaveOptions extends ServerOptions {
  kind?: AlertKind;
  tool?: string;
  forServer?: string;
  each?: AlertSubject | "none";
  threshold?: string;
  window?: string;
  minCalls?: string;
  notify?: string;
  webhooks?: boolean;
  enable?: boolean;
  disable?: boolean;
  preview?: boolean;
}

export function addAlertCommands(program: Command, io: CommandIo): void {
  const alerts = program
    .command("alerts")
    .summary("List alerts; list, save and delete the rules that fire them")
    .description("List alerts; list, save and delete the rules that fire them.");
  alerts.addHelpText("after", "\nExamples:\n  toolroom alerts list --firing\n  toolroom alerts rules");

  const list = defineCommand(alerts, {
    syntax: "list",
    summary: "List the newest alerts of the last 30 days",
    examples: [
      ["toolroom alerts list --firing", "what is wrong now"],
      ["toolroom alerts list --json", "with everything known, as JSON"],
    ],
  });
  list.addOption(new Option("--firing", "only alerts that are not resolved"));
  addServerOptions(list, "print { items, nextCursor } as GET /api/v1/alerts has them").action(
    (options: ServerOptions & { firing?: boolean }) => listAlerts(options, io),
  );

  const rules = defineCommand(alerts, {
    syntax: "rules",
    summary: "List the alert rules",
    examples: [
      ["toolroom alerts rules", "as a table"],
      ["toolroom alerts rules --json", "with everything known, as JSON"],
    ],
  });
  addServerOptions(rules, "print { items } as GET /api/v1/alerts/rules has them").action((options: ServerOptions) =>
    listRules(options, io),
  );

  const save = defineCommand(alerts, {
    syntax: "save <name>",
    summary: "Save an alert rule, or change the one with this name",
    details: "An option that is left out keeps its value in a rule that exists. --preview saves nothing.",
    examples: [
      ["toolroom alerts save 'Payments fail' --kind failure_rate --tool charge_card --threshold 5", "5 percent"],
      ["toolroom alerts save 'Slow' --kind p95_latency --threshold 2000 --window 60 --preview", "how often, in 7 days"],
    ],
  });
  save
    .addOption(new Option("--kind <kind>", "what is judged").choices(ALERT_KINDS))
    .addOption(new Option("--tool <name>", "only this tool; 'all' for every tool"))
    .addOption(new Option("--for-server <name>", "only this server; 'all' for every server"))
    .addOption(
      new Option("--each <what>", "evaluate the calls of each one apart; 'none' for all together").choices([
        ...ALERT_SUBJECTS,
        "none",
      ]),
    )
    .addOption(new Option("--threshold <number>", "percent, milliseconds, minutes or changes, by kind"))
    .addOption(new Option("--window <minutes>", "of calls that are judged together: 5 to 1440"))
    .addOption(new Option("--min-calls <number>", "fewer calls in the window never fire"))
    .addOption(new Option("--notify <role>", "the least role whose users get a notice").choices(ROLES))
    .addOption(new Option("--webhooks", "send events to webhooks"))
    .addOption(new Option("--no-webhooks", "send none"))
    .addOption(new Option("--disable", "keep the rule without judging it"))
    .addOption(new Option("--enable", "judge it again").conflicts("disable"))
    .addOption(new Option("--preview", "print how often it would have fired in the last 7 days"));
  addServerOptions(save, "print the rule as POST /api/v1/alerts/rules has it").action(
    (name: string, options: SaveOptions) => saveRule(name, options, io),
  );

  const remove = defineCommand(alerts, {
    syntax: "delete <name>",
    summary: "Delete an alert rule, and resolve its alerts",
    examples: [
      ["toolroom alerts delete 'Payments fail'", "by its name"],
      ["toolroom alerts delete alert_5f0c…", "or its id"],
    ],
  });
  addServerOptions(remove).action((name: string, options: ServerOptions) => deleteRule(name, options, io));
}

type Api = Awaited<ReturnType<typeof openApi>>;

const RULES = "/alerts/rules";
const toPath = (id: string): string => `${RULES}/${encodeURIComponent(id)}`;

async function findRule(api: Api, name: string): Promise<AlertRule | undefined> {
  const { items } = JSON.parse(await api.getText(RULES)) as { items: AlertRule[] };
  return items.find(({ id }) => id === name) ?? items.find((rule) => rule.name.toLowerCase() === name.toLowerCase());
}

const toTime = (at: number): string => new Date(at).toISOString().slice(0, 19).replace("T", " ");

async function listAlerts({ json, firing, ...choice }: ServerOptions & { firing?: boolean }, io: CommandIo) {
  const api = await openApi(choice, io);
  const text = await api.getText(`/alerts${firing === true ? "?firing=true" : ""}`);
  if (json) return await writeJson(io, text);
  const { items } = JSON.parse(text) as AlertPage;
  if (items.length === 0) return await write(io.stderr, firing === true ? "No alert is firing.\n" : "No alerts.\n");
  const rows = items.map((alert) => [
    alert.resolvedAt === null ? "firing" : "resolved",
    toTime(alert.firedAt),
    alert.rule,
    describeAlert(alert),
  ]);
  await write(io.stdout, formatTable(["STATUS", "FIRED (UTC)", "RULE", "WHAT"], rows, toTableStyle(io)));
}

async function listRules({ json, ...choice }: ServerOptions, io: CommandIo): Promise<void> {
  const api = await openApi(choice, io);
  const text = await api.getText(RULES);
  if (json) return await writeJson(io, text);
  const { items } = JSON.parse(text) as { items: AlertRule[] };
  if (items.length === 0) return await write(io.stderr, "No alert rules. Save one with: toolroom alerts save\n");
  const rows = items.map((rule) => [
    rule.name,
    rule.enabled ? (rule.firing > 0 ? `${rule.firing} firing` : "ok") : "disabled",
    describeRule(rule),
  ]);
  await write(io.stdout, formatTable(["NAME", "STATUS", "RULE"], rows, toTableStyle(io)));
}

async function saveRule(name: string, { json, preview, ...options }: SaveOptions, io: CommandIo): Promise<void> {
  const api = await openApi(options, io);
  const existing = await findRule(api, name);
  const body = JSON.stringify(toBody(existing?.name ?? name, options, existing));
  if (preview === true) {
    const text = await api.sendText("POST", `${RULES}/preview`, body);
    if (json) return await writeJson(io, text);
    return await write(io.stdout, `${describePreview(JSON.parse(text) as AlertPreview)}\n`);
  }
  const text = await (existing === undefined
    ? api.sendText("POST", RULES, body)
    : api.sendText("PUT", toPath(existing.id), body));
  if (json) return await writeJson(io, text);
  await write(io.stdout, `${existing === undefined ? "Saved" : "Changed"} the alert rule ${name}.\n`);
}

function describePreview({ days, fired }: AlertPreview): string {
  return `In the last ${days} days it would have fired ${fired === 1 ? "once" : `${fired} times`}.`;
}

/** The rule as the options make it; numbers that are none are refused by the API, with their field. */
function toBody(name: string, options: SaveOptions, existing: AlertRule | undefined) {
  const kind = options.kind ?? existing?.kind;
  if (kind === undefined) throw usageError(`--kind is needed for a new rule: ${ALERT_KINDS.join(", ")}.`);
  const isSame = kind === existing?.kind;
  const toNumber = (text: string | undefined, kept: number | undefined) => (text === undefined ? kept : Number(text));
  const toScope = (asked: string | undefined, other: string | undefined, kept: string | null | undefined) => {
    if (asked !== undefined) return asked === "all" ? null : asked;
    return other === undefined && isSame ? (kept ?? null) : null;
  };
  const each = options.each === "none" ? undefined : options.each;
  const keptEach =
    isSame && options.each === undefined && options.tool === undefined && options.forServer === undefined;
  return {
    name,
    kind,
    tool: toScope(options.tool, options.forServer ?? each, existing?.tool),
    server: toScope(options.forServer, options.tool ?? each, existing?.server),
    each: each ?? (keptEach ? (existing?.each ?? null) : null),
    threshold: toNumber(options.threshold, isSame ? existing?.threshold : ALERT_WORDS[kind].threshold),
    windowMinutes: toNumber(options.window, existing?.windowMinutes),
    minCalls: toNumber(options.minCalls, existing?.minCalls),
    enabled: options.enable === true || (options.disable !== true && (existing?.enabled ?? true)),
    notify: options.notify ?? existing?.notify,
    webhooks: options.webhooks ?? existing?.webhooks,
  };
}

async function deleteRule(name: string, choice: ServerOptions, io: CommandIo): Promise<void> {
  const api = await openApi(choice, io);
  const rule = await findRule(api, name);
  if (rule === undefined) throw new CommandError(EXIT.notFound, `There is no alert rule called ${name}.`);
  await api.sendText("DELETE", toPath(rule.id));
  await write(io.stdout, `Deleted the alert rule ${rule.name}.\n`);
}
