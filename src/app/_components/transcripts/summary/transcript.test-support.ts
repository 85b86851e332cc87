import type { TranscriptDetail, TranscriptQuery, TranscriptSummary } from "@/lib/contract/transcript";

export const transcriptSummary = (more: Partial<TranscriptSummary> = {}): TranscriptSummary => ({
  id: "transcript_aaaaaaaa",
  seq: 1,
  title: "Standup",
  status: "open",
  createdAt: Date.now() - 60_000,
  closedAt: null,
  segmentCount: 2,
  queryCount: 1,
  ...more,
});

export const transcriptQuery = (more: Partial<TranscriptQuery> = {}): TranscriptQuery => ({
  id: "query_aaaaaaaa",
  text: "what is 2 + 2?",
  wakePhrase: "hey toolroom",
  speaker: "Ana",
  fromSeq: 2,
  toSeq: 3,
  runId: "run_aaaaaaaa",
  runStatus: "running",
  answer: null,
  error: null,
  askedAt: 1000,
  answeredAt: null,
  ...more,
});

export const transcriptDetail = (more: Partial<TranscriptDetail> = {}): TranscriptDetail => ({
  ...transcriptSummary(),
  settings: {
    title: "Standup",
    wakePhrases: ["hey toolroom"],
    provider: "demo",
    model: "demo-1",
    instructions: "",
    silenceMs: 1500,
  },
  segments: [
    { seq: 1, text: "We need the sum.", speaker: "Bo", atMs: 0, receivedAt: 1000 },
    { seq: 2, text: "Hey Tool", speaker: "Ana", atMs: 65_000, receivedAt: 2000 },
    { seq: 3, text: "room, what is 2 + 2?", speaker: "Ana", atMs: 66_000, receivedAt: 3000 },
  ],
  queries: [transcriptQuery()],
  ...more,
});
