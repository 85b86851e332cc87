import { setTimeout as wait } from "node:timers/promises";
import type { Command } from "commander";
import type { ChangeReview, ReplayBaseline, ReviewedChange } from "../../lib/contract/change-review";
import type {
  ChangeDecision,
  ChangeDecisionOutcome,
  ChangedToolsPolicy,
  HeldStatus,
} from "../../lib/contract/held-change";
import type { SkillDecisionOutcome } from "../../lib/contract/skill-change";
import { changeOperations } from "../features/changes/change-operations";
import { openApi } from "./api-client";
import { CommandError, EXIT, usageError } from "./command-error";
import type { CommandIo } from "./command-io";
import { addServerOptions, defineCommand, type ServerOptions } from "./define-command";
import { askPatiently } from "./lost-answer";
import { addOperationCommands } from "./operation-commands";
import { formatTable, toTableStyle, write, writeJson } from "./output";

interface DecideOptions extends ServerOptions {
  all?: boolean;
}

interface HoldOptions extends ServerOptions {
  every?: boolean;
  off?: boolean;
}

interface ReplayOptions extends ServerOptions {
  budget: string;
  current?: string;
}

const LOOK_MS = 1_000;
const DECISIONS: Record<ChangeDecision, readonly [summary: string, done: string]> = {
  approve: [
    "Approve changed tools and skills: they are in use from then on, or accept those that are in use",
    "approved",
  ],
  block: ["Block changes: calls of the tools stay refused, and clients keep the approved skills", "blocked"],
  ignore: ["Ignore changes: calls run with the approved definition", "ignored"],
};
const NAMED: Record<ChangeDecision, string> = {
  approve: "one tool or skill, by the server's name for it",
  block: "one tool or skill, by the server's name for it",
  ignore: "one tool, by the server's name for it",
};
const toPath = (server: string, rest = ""): string => `/servers/${encodeURIComponent(server)}/changes${rest}`;

export function addChangeCommands(program: Command, io: CommandIo): void {
  const changes = addOperationCommands(program, changeOperations, io);
  for (const decision of Object.keys(DECISIONS) as ChangeDecision[]) {
    const command = defineCommand(changes, {
      syntax: `${decision} <server> [name...]`,
      summary: DECISIONS[decision][0],
      details:
        "The decision counts for the changes as they are listed when the command runs. Exits with 1 where one was replaced meanwhile.",
      examples: [
        [`toolroom changes ${decision} files read_file`, NAMED[decision]],
        [`toolroom changes ${decision} files --all`, "every change that is not decided"],
      ],
    }).option("--all", "every change that is not decided");
    addServerOptions(command).action((server: string, tools: string[], options: DecideOptions) =>
      decide({ server, tools, decision }, options, io),
    );
  }

  const hold = defineCommand(changes, {
    syntax: "hold <server>",
    summary: "Hold changes of a server from now on, until they are reviewed",
    details:
      "A change waits if its schemas or recorded calls question it; with --every, each change and each new tool waits.",
    examples: [
      ["toolroom changes hold files", "changes that may break calls"],
      ["toolroom changes hold files --every", "every change"],
      ["toolroom changes hold files --off", "none: changes are used at once, also those that wait"],
    ],
  })
    .option("--every", "every change and every new tool")
    .option("--off", "no change");
  addServerOptions(hold).action((server: string, options: HoldOptions) => holdChanges(server, options, io));

  const replay = defineCommand(changes, {
    syntax: "replay <server>",
    summary: "Make recorded calls again, and compare what the changed tools return",
    details:
      "Only tools that are allowed are called. --current names the version that clients used so far, by its address or its command; " +
      "without it, results are compared with the recorded ones.",
    examples: [
      ["toolroom changes replay files --budget 50", "compared with recorded results"],
      ["toolroom changes replay files --current 'npx -y server-files@1.2.0'", "compared with that version"],
    ],
  })
    .option("--budget <calls>", "calls made at most, of both versions together", "30")
    .option("--current <version>", "the address or command of the current version");
  addServerOptions(replay, "print the review once the replay has ended").action(
    (server: string, options: ReplayOptions) => replayCalls(server, options, io),
  );
}

const HOLD_TEXTS: Record<ChangedToolsPolicy, string> = {
  auto: "wait if their schemas or recorded calls question them",
  review: "wait for a review",
  off: "are used at once",
};

async function holdChanges(server: string, { every, off, ...choice }: HoldOptions, io: CommandIo): Promise<void> {
  if (every === true && off === true) throw usageError("Give --every or --off, not both.");
  const policy: ChangedToolsPolicy = off === true ? "off" : every === true ? "review" : "auto";
  await (await openApi(choice, io)).sendText("PUT", toPath(server, "/policy"), JSON.stringify({ policy }));
  await write(io.stdout, `Changes of ${server} ${HOLD_TEXTS[policy]}.\n`);
}

interface Decided {
  server: string;
  tools: readonly string[];
  decision: ChangeDecision;
}

async function decide(
  { server, tools, decision }: Decided,
  { all, ...choice }: DecideOptions,
  io: CommandIo,
): Promise<void> {
  if ((tools.length === 0) === (all !== true)) throw usageError("Name the tools and skills, or give --all.");
  const api = await openApi(choice, io);
  const { items, skills } = await api.get<ChangeReview>(toPath(server));
  const isUndecided = (status: HeldStatus): boolean =>
    status === "open" || (status === "applied" && decision === "approve");
  const chosen = items.filter(({ tool, status }) => (all === true ? isUndecided(status) : tools.includes(tool)));
  const chosenSkills = skills.flatMap(({ uri, name, hash, status }) => {
    const isChosen = all === true ? status === "open" : tools.includes(name) || tools.includes(uri);
    return isChosen && status !== "withheld" ? [{ uri, name, hash, status }] : [];
  });
  const isKnown = (name: string): boolean =>
    chosen.some(({ tool }) => tool === name) || chosenSkills.some((skill) => skill.name === name || skill.uri === name);
  const missing = tools.find((name) => !isKnown(name));
  if (missing !== undefined) {
    throw new CommandError(EXIT.notFound, `No change of '${missing}' waits.`, `See: toolroom changes show ${server}`);
  }
  if (decision === "ignore" && chosenSkills.length > 0 && all !== true) {
    throw usageError("A skill cannot be ignored: approve or block it.");
  }
  const decidedSkills = decision === "ignore" ? [] : chosenSkills;
  if (chosen.length + decidedSkills.length === 0) {
    return await write(io.stderr, `No undecided changes of ${server}.\n`);
  }
  const outcomes: ChangeDecisionOutcome[] = [];
  if (chosen.length > 0) {
    const changes = chosen.map(({ tool, hash, status }) => ({ tool, hash, status }));
    outcomes.push(await api.send<ChangeDecisionOutcome>("POST", toPath(server, "/decide"), { decision, changes }));
  }
  if (decidedSkills.length > 0) {
    const given = decidedSkills.map(({ uri, hash, status }) => ({ uri, hash, status }));
    const body = { decision, skills: given };
    outcomes.push(await api.send<SkillDecisionOutcome>("POST", toPath(server, "/skills/decide"), body));
  }
  const decided = outcomes.flatMap((outcome) => outcome.decided);
  const missed = outcomes.flatMap((outcome) => outcome.missed);
  for (const name of decided) await write(io.stdout, `${name} ${DECISIONS[decision][1]}.\n`);
  if (missed.length > 0) {
    throw new CommandError(EXIT.failed, `Changed or decided meanwhile: ${missed.join(", ")}.`);
  }
}

async function replayCalls(
  server: string,
  { json, budget, current, ...choice }: ReplayOptions,
  io: CommandIo,
): Promise<void> {
  const calls = Number(budget);
  if (!Number.isInteger(calls)) throw usageError("--budget must be a number of calls.");
  const api = await openApi(choice, io);
  await api.send("POST", toPath(server, "/replay"), { budget: calls, baseline: readBaseline(current) });
  for (;;) {
    const text = await askPatiently(() => api.getText(toPath(server)), io);
    const replayed = (JSON.parse(text) as ChangeReview).items.filter(({ replay }) => replay !== null);
    if (replayed.some(({ replay }) => replay?.status === "running")) {
      await wait(LOOK_MS, undefined, { signal: io.signal });
      continue;
    }
    if (json) return await writeJson(io, text);
    await write(
      io.stdout,
      formatTable(["TOOL", "STATUS", "CALLS", "OUTCOME"], replayed.map(toReplayRow), toTableStyle(io)),
    );
    if (replayed.every(({ replay }) => replay?.status === "succeeded" && replay.verdict?.severity === null)) return;
    throw new CommandError(EXIT.failed, "");
  }
}

function toReplayRow({ tool, replay }: ReviewedChange) {
  const { counts, calls = 0 } = replay?.verdict ?? {};
  const outcome =
    counts === undefined
      ? ""
      : `${counts.same} same, ${counts.different} different, ${counts.failed} failed, ${counts.variesByItself} vary by themselves`;
  return [tool, replay?.status ?? "", String(calls), replay?.error ?? outcome];
}

function readBaseline(text: string | undefined): ReplayBaseline {
  const [command = "", ...args] = text?.trim().split(/\s+/) ?? [];
  if (command === "") return null;
  return /^https?:\/\//.test(command) ? { url: command } : { command, args };
}
