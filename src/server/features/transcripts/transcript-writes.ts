import type { Actor, TranscriptSegmentInput, TranscriptSummary } from "../../../lib/contract";
import { cancelElsewhere } from "../../coordination/cancel-elsewhere";
import { AppError } from "../../shared/app-error";
import type { AnswerFeed } from "./answer-feed";
import { checkSegments } from "./check-transcript-input";
import type { OpenTranscripts } from "./open-transcripts";
import { TRANSCRIPT_LIMITS, type TranscriptServicePorts } from "./transcript-ports";
import type { TranscriptPublisher } from "./transcript-publisher";
import { findTranscript, refuseAppend } from "./transcript-reads";
import { toSummary } from "./transcript-views";

interface TranscriptWritePorts extends Pick<TranscriptServicePorts, "store" | "calls" | "clock"> {
  open: OpenTranscripts;
  feed: AnswerFeed;
  publish: TranscriptPublisher;
}

/** What any process does to a transcript, whichever one listens to it. */
export function createTranscriptWrites({ store, calls, clock, open, feed, publish }: TranscriptWritePorts) {
  return {
    /** @throws AppError for a transcript that is closed, full or unknown, and for segments that are too long or too many */
    async append(_actor: Actor, id: string, given: readonly TranscriptSegmentInput[]): Promise<{ seq: number }> {
      checkSegments(given);
      const segments = given.filter(({ text }) => text !== "");
      const added = await store.append(id, { segments, receivedAt: clock.now(), limits: TRANSCRIPT_LIMITS });
      if (added === null) return await refuseAppend(store, id, segments);
      publish.soon(id);
      await open.hear(id);
      return { seq: (added.at(-1) ?? (await store.segments(id, 1)).at(0))?.seq ?? 0 };
    },

    /**
     * Queries that were found are still answered.
     * @throws AppError where another process listens to it and does not answer
     */
    async close(_actor: Actor, id: string): Promise<TranscriptSummary> {
      const { status } = await findTranscript(store, id);
      if (status === "open" && !(await open.end(id, "closed", null))) await cancelElsewhere(calls, "transcript", id);
      const record = await findTranscript(store, id);
      if (record.status === "open") {
        throw new AppError("UNAVAILABLE", "This transcript is moving to another server process: try again");
      }
      return toSummary({ ...record, queryCount: await store.countQueries(id) });
    },

    /** Runs stay in the list of runs. A process that listens to it stops when it hears of this. */
    async delete(_actor: Actor, id: string): Promise<{ id: string }> {
      await findTranscript(store, id);
      await open.abort(id);
      await store.delete(id);
      feed.end(id);
      publish.now(id);
      return { id };
    },
  };
}
