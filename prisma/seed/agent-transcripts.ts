import { LOCAL_OWNER, type TranscriptSegmentInput, transcriptSettingsSchema } from "../../src/lib/contract";
import { type BackgroundQuery, backgroundRunRequest } from "../../src/server/engine/background-request";
import { BackgroundTranscriber } from "../../src/server/engine/background-transcriber";
import type { TranscriptStore } from "../../src/server/features/transcripts/transcript-store";
import { call, type PastThing, type PlannedStep, turn } from "./agent-plan";
import type { createRunWriter } from "./agent-runs";
import { DEMO, type ModelName, SONNET } from "./agent-tools";
import { createRandom, type Random } from "./random";

interface TranscriptPorts {
  store: TranscriptStore;
  writer: ReturnType<typeof createRunWriter>;
}

interface Meeting {
  title: string;
  model: ModelName;
  agoMs: number;
  closed: boolean;
  lines: readonly [atMs: number, speaker: string, text: string][];
  /** How each query was answered, in the order in which they were asked. */
  answers: readonly (readonly PlannedStep[])[];
}

const DAY_MS = 86_400_000;
const HALF_PAST_NINE_MS = 34_200_000;

const MEETINGS: readonly Meeting[] = [
  {
    ...{ title: "Weekly support review", model: SONNET, agoMs: 5 * DAY_MS, closed: true },
    lines: [
      [0, "Inês", "Good morning. Let us go through the open cases."],
      [6200, "Tom", "The one from Oslo is still waiting, nobody knows what they ordered."],
      [12_900, "Inês", "Hey Toolroom, which orders does customer cus_1042 have?"],
      [19_400, "Mei", "And I promised somebody a callback."],
      [27_800, "Tom", "Ok Toolroom, open an urgent ticket for cus_1042: call back about the delivery."],
      [36_100, "Inês", "Thanks. Then the refunds."],
    ],
    answers: [
      [
        {
          ms: 1320,
          calls: [
            call(
              "list_orders",
              { customer_id: "cus_1042" },
              { orders: [{ id: "ord_77120", state: "paid", total: { amount: 129, currency: "EUR" } }] },
              192,
            ),
          ],
        },
        { ms: 1410, text: "cus_1042 has one order, ord_77120: paid, €129.00, not shipped yet." },
      ],
      [
        {
          ms: 1580,
          calls: [
            call(
              "create_ticket",
              { customer_id: "cus_1042", subject: "Call back about the delivery", priority: "urgent" },
              { ticket: "TCK-20917", state: "open" },
              244,
            ),
          ],
        },
        { ms: 1060, text: "TCK-20917 is open and marked urgent." },
      ],
    ],
  },
  {
    ...{ title: "Stand-up", model: DEMO, agoMs: DAY_MS, closed: false },
    lines: [
      [0, "Mei", "I looked at the figures of last week."],
      [4100, "Tom", "Were they any good? Hey Toolroom, what is 10482 divided by 20?"],
      [13_300, "Mei", "Then five hundred a day is our mark."],
      [21_000, "Tom", "Fine with me."],
    ],
    answers: [
      [
        {
          ms: 160,
          text: "I call `calculator`.",
          calls: [call("calculator", { expression: "10482 / 20" }, { result: 524.1 }, 6)],
        },
        { ms: 140, text: "`calculator` gave **524.1**." },
      ],
    ],
  },
];

/** Two meetings that were listened to, with the runs that answered what was asked in them. */
export function planTranscripts(ports: TranscriptPorts, today: number): PastThing[] {
  return MEETINGS.map((meeting) => {
    const at = today - meeting.agoMs + HALF_PAST_NINE_MS;
    return {
      kind: "transcript",
      at,
      async write() {
        if ((await ports.store.list()).some(({ title }) => title === meeting.title)) return false;
        await keepMeeting(ports, meeting, at, createRandom(at));
        return true;
      },
    };
  });
}

async function keepMeeting({ store, writer }: TranscriptPorts, meeting: Meeting, createdAt: number, random: Random) {
  const { title, model, closed, lines } = meeting;
  const settings = transcriptSettingsSchema.parse({ title, ...model });
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
  let characters = 0;
  const asked: { query: BackgroundQuery; at: number }[] = [];
  for (const [atMs, speaker, text] of lines) {
    now = createdAt + atMs;
    characters += text.length;
    const progress = () => ({ file: null, transcriber: transcriber.state, heardSeq: 0, characters, faults: {} });
    const segments: TranscriptSegmentInput[] = [{ text, speaker, atMs }];
    const kept = await store.append(id, segments, now, progress());
    const found = [...(await transcriber.hear(kept)), ...(await silence())];
    const queries = found.map(({ context: _context, ...query }) => ({ ...query, askedAt: now }));
    await store.keep(id, queries, { ...progress(), heardSeq: kept.at(-1)?.seq ?? 0 });
    asked.push(...found.map((query) => ({ query, at: now })));
  }
  for (const [at, { query, at: askedAt }] of asked.entries()) {
    await answer({ store, writer }, { id, settings }, query, meeting.answers[at] ?? [], askedAt, random);
  }
  if (closed) await store.setStatus(id, "closed", null, now + 4000);

  async function silence(): Promise<BackgroundQuery[]> {
    now = transcriber.nextTickAt() ?? now;
    return await transcriber.tick();
  }
}

async function answer(
  { store, writer }: TranscriptPorts,
  transcript: Parameters<typeof backgroundRunRequest>[1],
  query: BackgroundQuery,
  steps: readonly PlannedStep[],
  at: number,
  random: Random,
): Promise<void> {
  const { text, title, settings, source, actor } = backgroundRunRequest(query, transcript, LOCAL_OWNER);
  const runId = `run_${random.letters(16)}`;
  const { id: transcriptId } = transcript;
  const named = title === undefined ? {} : { title };
  await writer.write({
    ...{ id: runId, at, source, actor, settings, transcriptId },
    ...named,
    turns: [turn(text, steps)],
  });
  await store.setRun(query.id, runId);
  const spent = steps.reduce((sum, { ms, calls = [] }) => sum + ms + Math.max(0, ...calls.map((made) => made.ms)), 0);
  await store.setOutcome(query.id, { answer: steps.at(-1)?.text ?? null, answeredAt: Math.round(at + spent) });
}
