import type {
  TranscriptDetail,
  TranscriptSegment,
  TranscriptSegmentInput,
  TranscriptSummary,
} from "../../../lib/contract/transcript";
import type { Clock } from "../../engine/ports";
import { AppError } from "../../platform/shared/app-error";
import type { AnswerFeed, IdentifiedAnswer } from "./answer-feed";
import { TRANSCRIPT_LIMITS } from "./transcript-ports";
import type { CountedTranscript, TranscriptRecord, TranscriptStore } from "./transcript-store";

export interface TranscriptReadPorts {
  store: TranscriptStore;
  feed: AnswerFeed;
  clock: Clock;
}

const SHOWN_SEGMENTS = 1000;
const SHOWN_CHARACTERS = 1_000_000;

/** @throws AppError for an unknown transcript */
export async function findTranscript(store: TranscriptStore, id: string): Promise<TranscriptRecord> {
  const record = await store.find(id);
  if (record === null) throw new AppError("NOT_FOUND", `Transcript '${id}' not found`);
  return record;
}

/** @throws AppError that says why the transcript takes no more segments */
export async function refuseAppend(
  store: TranscriptStore,
  id: string,
  added: readonly TranscriptSegmentInput[],
): Promise<never> {
  const { status, segmentCount } = await findTranscript(store, id);
  if (status !== "open") throw new AppError("CONFLICT", "This transcript is closed: it accepts no more segments");
  const { segments, characters } = TRANSCRIPT_LIMITS;
  const limit = segmentCount + added.length > segments ? `${segments} segments` : `${characters} characters`;
  throw new AppError("CONFLICT", `This transcript is full (${limit}): close it and create another one`);
}

export function toSummary(transcript: CountedTranscript): TranscriptSummary {
  const { id, seq, status, createdAt, closedAt, settings, segmentCount, queryCount } = transcript;
  return { id, seq, title: settings.title, status, createdAt, closedAt, segmentCount, queryCount };
}

export async function readDetail(store: TranscriptStore, record: TranscriptRecord): Promise<TranscriptDetail> {
  const [queryCount, segments, queries] = await Promise.all([
    store.countQueries(record.id),
    store.segments(record.id, SHOWN_SEGMENTS),
    store.queries(record.id),
  ]);
  return {
    ...toSummary({ ...record, queryCount }),
    settings: record.settings,
    queries,
    segments: newestWithin(segments, SHOWN_CHARACTERS),
  };
}

/** Lists, details and the stream of answers. */
export function createTranscriptReads({ store, feed, clock }: TranscriptReadPorts) {
  return {
    list: async (): Promise<{ items: TranscriptSummary[] }> => ({ items: (await store.list()).map(toSummary) }),
    get: async (id: string): Promise<TranscriptDetail> => readDetail(store, await findTranscript(store, id)),

    /**
     * Answers after the one with that id, new ones included. Without an id only new ones, with `0` all.
     * @throws AppError for an unknown transcript
     */
    async *answers(
      id: string,
      lastEventId: string | null,
      signal: AbortSignal,
    ): AsyncGenerator<IdentifiedAnswer, void, undefined> {
      const now = clock.now() - 1;
      await findTranscript(store, id);
      const after = lastEventId === null ? now : Number(lastEventId);
      yield* feed.listen(id, Number.isFinite(after) ? after : now, signal);
    },
  };
}

function newestWithin(segments: readonly TranscriptSegment[], maxCharacters: number): TranscriptSegment[] {
  let characters = 0;
  const from = segments.findLastIndex(({ text }) => {
    characters += text.length;
    return characters > maxCharacters;
  });
  return segments.slice(from + 1);
}
