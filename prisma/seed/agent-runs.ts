import { readMessageText } from "../../src/lib/contract/chat";
import type { RunEvent } from "../../src/lib/contract/run";
import { LiveRun } from "../../src/server/features/runs/live-run";
import type { RunStore } from "../../src/server/features/runs/run-store";
import { type CallWriter, type RunInProgress, writeStep } from "./agent-steps";
import { findPrice } from "./agent-tools";
import { createRandom } from "./random";
import type { PastRun } from "./read-stories";

export type RunWriter = ReturnType<typeof createRunWriter>;

interface RunWriterPorts {
  runs: RunStore;
  writeCall: CallWriter;
  /** Tools in the catalog. */
  toolCount: number;
}

const TITLE_CHARS = 120;

/** Writes past runs through the same event log that live runs use. */
export function createRunWriter({ runs, writeCall, toolCount }: RunWriterPorts) {
  async function begin(past: PastRun): Promise<RunInProgress> {
    const { id, at, source, actor, settings, parent = null } = past;
    const parentEvents = parent === null ? [] : await runs.events(parent.id);
    const kept = parent === null ? [] : eventsBefore(parentEvents, parent.step);
    const title = (past.title ?? past.turns[0]?.text ?? formatTitle(kept)).trim().replace(/\s+/gu, " ");
    await runs.create(
      {
        id,
        source,
        actor,
        settings,
        parentId: parent?.id ?? null,
        parentStep: parent?.step ?? null,
        parentResults: parent?.results ?? null,
        transcriptId: null,
        status: "running",
        title: title.slice(0, TITLE_CHARS),
        startedAt: at,
      },
      kept,
    );
    const stored = await runs.find(id);
    if (stored === null) throw new Error(`Run ${id} was not stored`);
    const clock = { at };
    const run = new LiveRun(stored, kept, {
      store: runs,
      clock: { now: () => Math.round(clock.at), elapsed: () => clock.at },
      publish: () => undefined,
      price: findPrice,
      tools: { get: () => undefined },
      listCallServers: () => [],
    });
    const chars = kept.reduce((sum, event) => sum + JSON.stringify(event).length, 0);
    const random = createRandom(at);
    return { past, run, clock, random, iteration: 0, chars, cached: 0, parentEvents, writeCall, toolCount };
  }

  return {
    /** @returns false if the run already exists */
    async write(past: PastRun): Promise<boolean> {
      if ((await runs.find(past.id)) !== null) return false;
      const writing = await begin(past);
      const { run, clock } = writing;
      for (const { text, pauseMs, steps, end } of past.turns) {
        clock.at += pauseMs;
        writing.iteration = 0;
        if (text !== null) {
          writing.chars += text.length;
          void run.append({ type: "user_message", message: { role: "user", contents: [{ type: "text", text }] } });
        }
        for (const step of steps) await writeStep(writing, step, end?.status === "cancelled" && step === steps.at(-1));
        if (end !== null) void run.append({ type: "turn_ended", ...end });
      }
      await run.settled();
      if (run.fault !== null) throw run.fault;
      return true;
    },
  };
}

/** Returns the events that a rerun keeps of the run it repeats. */
function eventsBefore(events: readonly RunEvent[], step: number): RunEvent[] {
  const at = events.findIndex((event) => event.type === "model_started" && event.step === step);
  const kept = events.slice(0, Math.max(at, 0)).filter(({ type }) => type !== "turn_ended" && type !== "resumed");
  return kept.map((event, index) => ({ ...event, index }));
}

function formatTitle(events: readonly RunEvent[]): string {
  const first = events.find((event) => event.type === "user_message");
  return first === undefined ? "A run" : readMessageText(first.message);
}
