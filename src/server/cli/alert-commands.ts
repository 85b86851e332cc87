import { type Command, Option } from "commander";
import { ROLES } from "../../lib/contract/access";
import type { AlertPreview, AlertRule } from "../../lib/contract/alert";
import {
  ALERT_KINDS,
  ALERT_SUBJECTS,
  ALERT_WORDS,
  type AlertKind,
  type AlertSubject,
} from "../../lib/contract/alert-kinds";
import { alertOperations } from "../features/alerts/alert-operations";
import { openApi } from "./api-client";
import { usageError } from "./command-error";
import type { CommandIo } from "./command-io";
import { addServerOptions, defineCommand, type ServerOptions } from "./define-command";
import { addOperationCommands } from "./operation-commands";
import { write, writeJson } from "./output";

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
  const alerts = addOperationCommands(program, alertOperations, io);
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
    .addOption(new Option("--kind <kind>", "what is checked").choices(ALERT_KINDS))
    .addOption(new Option("--tool <name>", "only this tool; 'all' for every tool"))
    .addOption(new Option("--for-server <name>", "only this server; 'all' for every server"))
    .addOption(
      new Option("--each <what>", "evaluate the calls of each one apart; 'none' for all together").choices([
        ...ALERT_SUBJECTS,
        "none",
      ]),
    )
    .addOption(new Option("--threshold <number>", "percent, milliseconds, minutes or changes, by kind"))
    .addOption(new Option("--window <minutes>", "of calls that are checked together: 5 to 1440"))
    .addOption(new Option("--min-calls <number>", "fewer calls in the window never fire"))
    .addOption(new Option("--notify <role>", "the least role whose users get a notice").choices(ROLES))
    .addOption(new Option("--webhooks", "send events to webhooks"))
    .addOption(new Option("--no-webhooks", "send none"))
    .addOption(new Option("--disable", "keep the rule without checking it"))
    .addOption(new Option("--enable", "check it again").conflicts("disable"))
    .addOption(new Option("--preview", "print how often it would have fired in the last 7 days"));
  addServerOptions(save, "print the rule as POST /api/v1/alerts/rules has it").action(
    (name: string, options: SaveOptions) => saveRule(name, options, io),
  );
}

type Api = Awaited<ReturnType<typeof openApi>>;

const RULES = "/alerts/rules";
const toPath = (id: string): string => `${RULES}/${encodeURIComponent(id)}`;

async function findRule(api: Api, name: string): Promise<AlertRule | undefined> {
  const { items } = JSON.parse(await api.getText(RULES)) as { items: AlertRule[] };
  return items.find(({ id }) => id === name) ?? items.find((rule) => rule.name.toLowerCase() === name.toLowerCase());
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
  if (days === 0) return `It would fire now for ${fired === 1 ? "one limit" : `${fired} limits`}.`;
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
