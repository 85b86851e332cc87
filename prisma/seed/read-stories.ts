import { readFileSync } from "node:fs";
import { type Actor, LOCAL_OWNER } from "../../src/lib/contract/actor";
import type { ChatErrorKind } from "../../src/lib/contract/chat";
import type { ErrorKind } from "../../src/lib/contract/envelope";
import type { JsonObject, JsonValue } from "../../src/lib/contract/json";
import type { RunNotice, RunSettings, RunSource, RunStatus } from "../../src/lib/contract/run";
import type { ToolDefinition } from "../../src/lib/contract/tool-definition";
import { findStory } from "./find-story";
import type { Random } from "./random";

export interface PastDecision {
  verdict: "approved" | "rejected" | "expired" | "withdrawn" | "open";
  by: Actor | null;
  waitedMs: number;
  reason: string | null;
  /** Arguments in place of those asked for. */
  edited: JsonObject | null;
}

/** A call of the past. Without result and error its arguments do not fit, or it did not run. */
export interface PastCall {
  tool: string;
  args: JsonObject;
  ms: number;
  result?: JsonValue;
  error?: { kind: ErrorKind; message: string };
  approval?: PastDecision;
  /** Answered from the log of the run that this one repeats. */
  recorded?: boolean;
  /** A scenario's own tool, which the catalog does not have. */
  provided?: ToolDefinition;
}

/** One response of the model. */
export interface PastStep {
  ms: number;
  text: string;
  reasoning?: string;
  notices: { notice: RunNotice; text: string }[];
  /** The provider's error in place of a response. */
  error?: { kind: ChatErrorKind; message: string };
  calls: PastCall[];
}

export interface PastTurn {
  /** Null for a rerun, which continues a copied log. */
  text: string | null;
  /** Since the end of the turn before. */
  pauseMs: number;
  steps: PastStep[];
  /** Null while a call waits for a user. */
  end: {
    status: Extract<RunStatus, "succeeded" | "failed" | "cancelled" | "interrupted">;
    error: string | null;
  } | null;
}

export interface PastRun {
  id: string;
  at: number;
  source: RunSource;
  actor: Actor;
  title?: string | undefined;
  settings: RunSettings;
  parent?: { id: string; step: number; results: "live" | "recorded" } | undefined;
  turns: readonly PastTurn[];
}

export interface Story {
  head: string[];
  turns: PastTurn[];
  /** The calls of a story without a run. */
  calls: PastCall[];
}

const ACTORS = new Map<string, Actor>([
  ["local", LOCAL_OWNER],
  ["ines", { id: "ines", name: "Inês Ferreira" }],
  ["tom", { id: "tom", name: "Tom Okafor" }],
  ["mei", { id: "mei", name: "Mei Tanaka" }],
]);
const NAMES = ["Ada Byron", "Björk Jónsdóttir", "Chen Wei", "Dara Okafor", "Émile Zola", "Fatima Noor"] as const;
const QUESTIONS = [
  "reset a forgotten password",
  "refund after thirty days",
  "change the billing address",
  "export all invoices of a year",
  "delete an account permanently",
  "single sign-on with Okta",
];
const CURRENCIES = ["EUR", "USD", "NOK", "NZD", "JPY"] as const;
const CITIES = ["Oslo", "Wellington", "Lima", "Nairobi", "Kyoto", "Tromsø"] as const;
const RESULTS = {
  weather: '{"temperature":22,"condition":"sunny","humidity":65,"wind":{"speed":4.1,"direction":"SW"}}',
  passages:
    '{"passages":[{"title":"Resetting a password","url":"https://help.example.org/articles/101","score":0.91}]}',
};

export function findActor(name = ""): Actor {
  const actor = ACTORS.get(name);
  if (actor === undefined) throw new Error(`Stories have no actor "${name}"`);
  return actor;
}

const readFile = (file: string): string => readFileSync(findStory(file), "utf8");

/** A story that is still to be told, about a customer that `random` picks and at a time in epoch milliseconds. */
export type Teller = (random: Random, at?: number) => Story;

export function readStories(file: string): Teller[] {
  const [, ...stories] = readFile(file).split(/^== /m);
  return stories.map(
    (story) =>
      (random, at = 0) =>
        parseStory(fillIn(story, random, at)),
  );
}

/** The tools of a JSON file. Some of their keys could not be written in an object literal. */
export function readTools<Tool>(file: string): Tool[] {
  return JSON.parse(readFile(file)) as Tool[];
}

function fillIn(story: string, random: Random, at: number): string {
  const id = `cus_${random.int(1000, 1400)}`;
  const name = random.pick(NAMES);
  const order = `ord_${random.int(70_000, 79_999)}`;
  const total = random.int(1900, 38_900) / 100;
  const values: Record<string, string> = {
    ...RESULTS,
    id,
    name,
    order,
    total: String(total),
    price: total.toFixed(2),
    half: (total / 2).toFixed(2),
    second: `cus_${random.int(1401, 1499)}`,
    third: `cus_${random.int(1500, 1599)}`,
    city: random.pick(CITIES),
    question: random.pick(QUESTIONS),
    currency: random.pick(CURRENCIES),
    few: String(random.int(1, 9)),
    many: String(random.int(100, 999)),
    word: random.letters(6).toLowerCase(),
    utc: new Date(at).toISOString(),
    epoch: String(at),
  };
  return story.replace(/\{(\w+)\}/g, (written, key: string) => values[key] ?? written);
}

function parseStory(story: string): Story {
  const [head = "", ...lines] = story.split("\n").filter((line) => line !== "");
  const told: Story = { head: head.split("|").map((part) => part.trim()), turns: [], calls: [] };
  for (const line of lines) {
    const rule = RULES.find(([pattern]) => pattern.test(line));
    if (rule === undefined) throw new Error(`A story has a line that is not understood: ${line}`);
    const [, ...parts] = rule[0].exec(line) ?? [];
    rule[1](told, parts);
  }
  return told;
}

type Parts = readonly (string | undefined)[];

/** How each kind of line continues a story. */
const RULES: readonly [pattern: RegExp, add: (told: Story, parts: Parts) => void][] = [
  [
    /^(?:\+(\d+)s )?>(?: (.+))?$/,
    (told, [pause, text]) => void told.turns.push(newTurn(text ?? null, Number(pause ?? 0) * 1000)),
  ],
  [
    /^(\d+)ms(?: (.+))?$/,
    (told, [ms, text = ""]) =>
      void lastTurn(told).steps.push({ ms: Number(ms), text: text.replaceAll("\\n", "\n"), notices: [], calls: [] }),
  ],
  [/^\? (.+)$/, (told, [reasoning = ""]) => void Object.assign(lastStep(told), { reasoning })],
  [
    /^! (\w+): (.+)$/,
    (told, [notice, text = ""]) => void lastStep(told).notices.push({ notice: notice as RunNotice, text }),
  ],
  [
    /^x (\w+): (.+)$/,
    (told, [kind, message = ""]) => {
      Object.assign(lastStep(told), { error: { kind, message } });
      lastTurn(told).end = { status: "failed", error: message };
    },
  ],
  [
    /^\* (cancelled|interrupted)(?:: (.+))?$/,
    (told, [status, error]) => {
      lastTurn(told).end = { status: status === "cancelled" ? status : "interrupted", error: error ?? null };
    },
  ],
  [/^- (\w+) (\{.*?\})(?: ([\d.]+)ms)?(?: (recorded))?(?: = (.+)| x (\w+)(?:: (.+))?)?$/, addCall],
  [/^@ (\w+)(?: by (\w+))?(?: after (\d+)s)?(?: with (\{.*\}))?(?:: (.+))?$/, addDecision],
];

function addCall(told: Story, [tool = "", args = "{}", ms, recorded, result, kind, message = ""]: Parts): void {
  const call: PastCall = { tool, args: JSON.parse(args), ms: Number(ms ?? 0), recorded: recorded !== undefined };
  if (result !== undefined) call.result = JSON.parse(result);
  if (kind !== undefined) call.error = { kind: kind as ErrorKind, message };
  listCalls(told).push(call);
}

function addDecision(told: Story, [verdict, by, seconds, edited, reason]: Parts): void {
  last(listCalls(told)).approval = {
    verdict: verdict as PastDecision["verdict"],
    by: by === undefined ? null : findActor(by),
    waitedMs: Number(seconds ?? 0) * 1000,
    reason: reason ?? null,
    edited: edited === undefined ? null : (JSON.parse(edited) as JsonObject),
  };
  if (verdict === "open" && told.turns.length > 0) lastTurn(told).end = null;
}

function newTurn(text: string | null, pauseMs: number): PastTurn {
  return { text, pauseMs, steps: [], end: { status: "succeeded", error: null } };
}

function listCalls(told: Story): PastCall[] {
  return told.turns.length === 0 ? told.calls : lastStep(told).calls;
}

const lastTurn = (told: Story): PastTurn => last(told.turns);

const lastStep = (told: Story): PastStep => last(lastTurn(told).steps);

function last<T>(list: readonly T[]): T {
  const item = list.at(-1);
  if (item === undefined) throw new Error("A story continues something that it has not begun");
  return item;
}
