import { LOCAL_OWNER } from "../../src/lib/contract/actor";
import { transcriptSettingsSchema } from "../../src/lib/contract/transcript";
import { type BackgroundQuery, backgroundRunRequest } from "../../src/server/engine/agent/background-request";
import { BackgroundTranscriber } from "../../src/server/engine/agent/background-transcriber";
import type { TranscriptStore } from "../../src/server/features/transcripts/transcript-store";
import { findModel, type PastThing } from "./agent-plan";
import type { RunWriter } from "./agent-runs";
import { createRandom, type Random } from "./random";
import { type PastTurn, readStories, type Story } from "./read-stories";
import { DAY_MS } from "./week-plan";

interface TranscriptPorts {
  store: TranscriptStore;
  runWriter: RunWriter;
}

const HALF_PAST_NINE_MS = 34_200_000;

/** Meetings that were listened to, with the runs that answered what was asked in them. */
export function planTranscripts(ports: TranscriptPorts, today: number): PastThing[] {
  return readStories("meetings.txt").map((story, index) => {
    const meeting = story(createRandom(index));
    const at = today - Number(meeting.head[2]) * DAY_MS + HALF_PAST_NINE_MS;
    return {
      kind: "transcript",
      at,
      async write() {
        if ((await ports.store.list()).some(({ settings }) => settings.title === meeting.head[0])) return false;
        await writeMeeting(ports, meeting, at, createRandom(at));
        return true;
      },
    };
  });
}

async function writeMeeting(ports: TranscriptPorts, { head, lines }: Story, createdAt: number, random: Random) {
  const { store } = ports;
  const [title, model = "", , status] = head;
  const settings = transcriptSettingsSchema.parse({ title, ...findModel(model) });
  const id = `transcript_${random.letters(20)}`;
  await store.create({ id, createdAt, settings });
  let now = createdAt;
  const transcriber = new BackgroundTranscriber<null>(
    { wakePhrases: settings.wakePhrases, silenceMs: settings.silenceMs },
    {
      newId: () => `query_${random.letters(20)}`,
      now: () => now,
      answer: async () => null,
      onAnswer: () => undefined,
      onError: (_query, error) => {
        throw error;
      },
    },
  );
  let heardSeq = 0;
  const answers = lines.filter(({ turn }) => turn.steps.length > 0).map(({ turn }) => turn);
  for (const { atMs, speaker, text } of lines) {
    now = createdAt + atMs;
    const limits = { segments: lines.length, characters: Number.MAX_SAFE_INTEGER };
    const added = await store.append(id, { segments: [{ text, speaker, atMs }], receivedAt: now, limits });
    const found = await transcriber.hear(added ?? []);
    now = transcriber.nextTickAt() ?? now;
    found.push(...(await transcriber.tick()));
    const queries = found.map(({ context: _context, ...query }) => ({ ...query, askedAt: now }));
    heardSeq = added?.at(-1)?.seq ?? heardSeq;
    await store.keep(id, { transcriber: transcriber.state, heardSeq }, queries);
    for (const query of found) {
      const answer = answers.shift();
      if (answer !== undefined) await writeAnswer(ports, { id, settings }, query, answer, now, random);
    }
  }
  if (status !== "closed") return;
  await store.keep(id, { transcriber: transcriber.state, heardSeq }, [], now + 4000);
}

async function writeAnswer(
  { store, runWriter }: TranscriptPorts,
  transcript: Parameters<typeof backgroundRunRequest>[1],
  query: BackgroundQuery,
  turn: PastTurn,
  at: number,
  random: Random,
): Promise<void> {
  const { text, ...request } = backgroundRunRequest(query, transcript, LOCAL_OWNER);
  const id = `run_${random.letters(16)}`;
  await runWriter.write({ ...request, id, at, transcriptId: transcript.id, turns: [{ ...turn, text }] });
  await store.claim(query.id, id);
  const spent = turn.steps.reduce((sum, { ms, calls }) => sum + ms + Math.max(0, ...calls.map((call) => call.ms)), 0);
  const answer = turn.steps.at(-1)?.text ?? null;
  await store.setOutcome(query.id, { answer, error: null, now: Math.round(at + spent) });
}
