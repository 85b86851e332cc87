import type { State } from "@/app/_ui/status-badge";
import type { TranscriptQuery } from "@/lib/contract/transcript";

export const toTranscriptPath = (id: string): string => `/runs/transcripts/${encodeURIComponent(id)}`;
export const toRunPath = (id: string): string => `/runs/${encodeURIComponent(id)}`;

/** How far the answer to a query is. */
export function queryState({ answer, answeredAt, runStatus }: TranscriptQuery): State {
  if (answer !== null) return "succeeded";
  if (runStatus !== null && runStatus !== "running" && runStatus !== "succeeded") return runStatus;
  return answeredAt === null ? "running" : "failed";
}

/** Minutes and seconds from the beginning: `1:05`, `1:02:05`. */
export function formatClockTime(atMs: number): string {
  const seconds = Math.floor(atMs / 1000);
  const two = (value: number): string => String(value).padStart(2, "0");
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor(seconds / 60) % 60;
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}
