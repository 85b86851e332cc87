import {
  type CassetteContent,
  type CassetteTool,
  parseLines,
  readExactArguments,
} from "../../../lib/cassette/cassette-file";
import { type Decision, decidePlay } from "../../../lib/cassette/decide-play";
import { drawResultFault, drawTransportFault, type Faults, parseFaults } from "../../../lib/cassette/faults";
import type { CassettePlay, CassetteSettings } from "../../../lib/contract/cassette";
import { isPlainObject } from "../../../lib/contract/json";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import type { CassettePlayer, CassetteVisit, Played, ServedCassette } from "../../engine/cassettes/cassette-ports";
import type { CallArguments } from "../../engine/executor/call-arguments";
import { CallMask } from "../../engine/masking/call-mask";
import type { Masking } from "../../engine/ports";
import type { CassetteStore, NewPlay, PlayFacts, SessionKey, SessionLog } from "./cassette-store";

export interface PlayerPorts {
  /** Finds the cassette of a name with its revision, without its lines; null where there is none. */
  find: (
    name: string,
  ) => Promise<{ id: string; name: string; notes: string; settings: CassetteSettings; bytes: number } | null>;
  lines: CassetteStore["lines"];
  sessions: SessionLog;
  masking: Masking;
  /** A session has had a request. */
  onPlay?: () => void;
}

/** The bytes of the cassettes that stay in memory; the least recently used ones are dropped. */
const MAX_HELD_BYTES = 64_000_000;
/** A client without a session of the protocol that is silent for this long has ended its session. */
const IDLE_MS = 10 * 60_000;
const ANNOUNCE_MS = 1000;
const MAX_ARGUMENT_CHARS = 10_000;

interface Held {
  served: ServedCassette;
  settings: CassetteSettings;
  content: CassetteContent;
  bytes: number;
}

/** The cassettes that were opened last, with their lines in memory. */
function createHeldCassettes({ find, lines }: Pick<PlayerPorts, "find" | "lines">) {
  const held = new Map<string, Held>();

  function evict(): void {
    let bytes = [...held.values()].reduce((sum, each) => sum + each.bytes, 0);
    for (const [name, each] of held) {
      if (bytes <= MAX_HELD_BYTES || held.size === 1) return;
      held.delete(name);
      bytes -= each.bytes;
    }
  }

  async function open(name: string): Promise<Held | null> {
    const found = await find(name);
    const known = held.get(name);
    held.delete(name);
    if (found === null) return null;
    const { id, notes, settings, bytes } = found;
    const isSame = known?.served.id === id;
    const content = isSame ? known.content : await parseLines(await lines(id), 2);
    // Stays the same object while the tools are the same, so that views of it stay valid.
    const served = isSame ? known.served : { id, name, notes, content, tools: content.tools.map(toDefinition) };
    const next = { served, settings, content, bytes };
    held.set(name, next);
    evict();
    return next;
  }

  return {
    open,
    get: (name: string): ServedCassette | null => held.get(name)?.served ?? null,

    /** @throws Error for an unknown cassette */
    async require(visit: CassetteVisit): Promise<Held & { faults: Faults }> {
      const found = held.get(visit.name) ?? (await open(visit.name));
      if (found === null) throw new Error(`There is no cassette '${visit.name}'`);
      const faults = parseFaults(visit.faults ?? found.settings.faults);
      if (typeof faults === "string") throw new Error(`faults: ${faults}`);
      return { ...found, faults };
    },
  };
}

/** Answers requests from the recordings of cassettes, and notes what each session got. */
export function createCassettePlayer({ find, lines, sessions, masking, onPlay }: PlayerPorts): CassettePlayer {
  const { open, get, require } = createHeldCassettes({ find, lines });

  function maskArguments(tool: CassetteTool | undefined, args: Pick<CallArguments, "text">): string {
    const definition = tool === undefined ? null : toDefinition(tool);
    const text = new CallMask(definition, masking).argumentsText(args.text);
    return text.length > MAX_ARGUMENT_CHARS ? `${text.slice(0, MAX_ARGUMENT_CHARS)}…` : text;
  }

  const announce = onPlay === undefined ? () => undefined : createThrottle(onPlay);

  async function note(id: string, visit: CassetteVisit, decide: (earlier: readonly PlayFacts[]) => NewPlay | null) {
    const play = await sessions.note(id, toKey(visit), decide);
    if (play !== null) announce();
    return play;
  }

  return {
    open: async (name) => (await open(name))?.served ?? null,
    get,

    async admit(visit) {
      const { served, faults } = await require(visit);
      if (faults.rateLimit === 0 && faults.drop === 0) return null;
      const play = await note(served.id, visit, (earlier) => {
        const fault = drawTransportFault(faults, earlier.length);
        return fault === null ? null : faultPlay(visit.subject ?? "", fault);
      });
      if (play === null) return null;
      return { fault: play.message === "drop" ? "drop" : "rate-limit", retryAfter: Math.ceil(faults.retryAfter) };
    },

    async play(visit, request): Promise<Played> {
      const { served, settings, content, faults } = await require(visit);
      const { kind, name, args } = request;
      const tool = kind === "tool" ? content.tools.find(({ entry }) => entry.name === name) : undefined;
      const argumentsText = maskArguments(tool, args);
      // Compared in the form of a recording: a known secret is masked on both sides.
      const compared = { kind, name, args: readExactArguments(toObject(args.value), args.text) };
      let decision: Decision = { outcome: "missed", recording: null, message: "", differences: [] };
      let fault: ReturnType<typeof drawResultFault> = null;
      const play = await note(served.id, visit, (earlier) => {
        fault = drawResultFault(faults, earlier.length);
        if (fault === "error") return faultPlay(name, "error", argumentsText);
        decision = decidePlay(content, settings, earlier, compared);
        return toPlay(name, argumentsText, maskMiss(decision, masking), settings.passthrough && request.canRunLive);
      });
      const delayMs = faults.delay;
      const questions = settings.questions;
      if (fault === "error") return { kind: "fault", delayMs };
      if (play?.outcome === "live") return { kind: "live", catalogName: tool?.catalogName ?? name, delayMs };
      if (play === null || play.outcome === "missed") {
        return {
          kind: "missed",
          message: play?.message ?? "",
          recording: play?.recording ?? null,
          differences: play?.differences ?? [],
          delayMs,
        };
      }
      const call = content.calls[(play.recording ?? 0) - 1];
      if (call === undefined) throw new Error("The recording is gone");
      return { kind: "recorded", call, delayMs, questions, isCut: fault === "cut" };
    },

    async noteMiss(visit, name, message) {
      const { served } = await require(visit);
      await note(served.id, visit, () => ({
        name,
        outcome: "missed",
        recording: null,
        outOfOrder: false,
        argumentsText: "",
        message: masking.inText(message),
        differences: [],
      }));
    },
  };
}

/** Calls `run` once for all events within a second. */
function createThrottle(run: () => void): () => void {
  let isDue = false;
  return () => {
    if (isDue) return;
    isDue = true;
    setTimeout(() => {
      isDue = false;
      run();
    }, ANNOUNCE_MS).unref();
  };
}

const toObject = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};

function toKey({ label, sessionId, client, actor }: CassetteVisit): SessionKey {
  if (label !== null) return { key: `label ${label}`, label, client, actor, idleMs: null };
  if (sessionId !== null) return { key: `session ${sessionId}`, label, client, actor, idleMs: null };
  return { key: `client ${actor.id} ${client ?? ""}`, label, client, actor, idleMs: IDLE_MS };
}

function faultPlay(name: string, fault: string, argumentsText = ""): NewPlay {
  return { name, outcome: "fault", recording: null, outOfOrder: false, argumentsText, message: fault, differences: [] };
}

function toPlay(name: string, argumentsText: string, decision: Decision, runsLive: boolean): NewPlay {
  if (decision.outcome !== "missed") {
    const { outcome, recording, outOfOrder } = decision;
    return { name, outcome, recording, outOfOrder, argumentsText, message: null, differences: [] };
  }
  const { recording, message, differences } = decision;
  const outcome: CassettePlay["outcome"] = runsLive ? "live" : "missed";
  return { name, outcome, recording, outOfOrder: false, argumentsText, message, differences };
}

/** Arguments of an agent may contain secrets that this Toolroom knows. */
function maskMiss(decision: Decision, masking: Masking): Decision {
  if (decision.outcome !== "missed") return decision;
  return { ...decision, message: masking.inText(decision.message), differences: masking.inValue(decision.differences) };
}

/** A recorded tool as a definition: what reads definitions reads it too. */
function toDefinition({ entry, server, sensitive }: CassetteTool): ToolDefinition {
  const { name, title, description, inputSchema, outputSchema, annotations } = entry;
  return {
    name,
    ...(typeof title === "string" ? { title } : {}),
    description: typeof description === "string" ? description : name,
    type: "function",
    handler: name,
    parameters: inputSchema,
    ...(isPlainObject(outputSchema) ? { outputSchema } : {}),
    ...(isPlainObject(annotations) ? { annotations } : {}),
    implementation: { type: "mcp", server: server ?? "", tool: name },
    ...(sensitive.length === 0 ? {} : { sensitive: { arguments: [...sensitive] } }),
    listed: entry,
  };
}
