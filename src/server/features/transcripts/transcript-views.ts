import type { TranscriptQuery, TranscriptSummary } from "../../../lib/contract";
import type { CountedTranscript } from "./transcript-record";
import type { StoredQuery } from "./transcript-store";

export function toQueryView({ transcriptId: _transcript, ...query }: StoredQuery): TranscriptQuery {
  return query;
}

export function toSummary(transcript: CountedTranscript): TranscriptSummary {
  const { id, seq, status, error, createdAt, closedAt, settings, segmentCount, queryCount } = transcript;
  const { title, source } = settings;
  return { id, seq, title, status, error, sourceKind: source.kind, createdAt, closedAt, segmentCount, queryCount };
}
