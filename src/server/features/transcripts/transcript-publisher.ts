import type { LiveEvent } from "../../../lib/contract/live-event";

/** Pages refetch a transcript at most this often. */
const PUBLISH_EVERY_MS = 200;

/** Publishes changes of transcripts; `soon` combines those in quick succession into one event. */
export function createTranscriptPublisher(publish: (event: LiveEvent) => void) {
  const timers = new Map<string, NodeJS.Timeout>();
  const now = (transcriptId: string): void => {
    clearTimeout(timers.get(transcriptId));
    timers.delete(transcriptId);
    publish({ type: "transcript", transcriptId });
  };
  return {
    now,
    soon: (transcriptId: string): void => {
      if (timers.has(transcriptId)) return;
      timers.set(
        transcriptId,
        setTimeout(() => now(transcriptId), PUBLISH_EVERY_MS),
      );
    },
    cancel: (): void => {
      for (const timer of timers.values()) clearTimeout(timer);
      timers.clear();
    },
  };
}
