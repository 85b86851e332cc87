import type { RunStatus } from "@/lib/contract/run";
import type { TranscriptQuery, TranscriptStatus } from "@/lib/contract/transcript";

export const toTranscriptPath = (id: string): string => `/runs/transcripts/${encodeURIComponent(id)}`;
export const toRunPath = (id: string): string => `/runs/${encodeURIComponent(id)}`;

export interface ShownState {
  shown: "running" | "waiting" | "succeeded" | "failed" | "cancelled";
  label: string;
}

/** How far the answer to a query is. */
export function queryState({ answer, answeredAt, runStatus }: TranscriptQuery): ShownState {
  if (answer !== null) return { shown: "succeeded", label: "answered" };
  if (runStatus === "waiting") return { shown: "waiting", label: "needs approval" };
  if (runStatus === "cancelled") return { shown: "cancelled", label: "stopped" };
  if (answeredAt !== null || isBad(runStatus)) return { shown: "failed", label: "no response" };
  return { shown: "running", label: "in progress" };
}

const isBad = (status: RunStatus | null): boolean => status === "failed" || status === "interrupted";

export const STATUS_WORDS: Record<TranscriptStatus, string> = {
  open: "listening",
  closed: "closed",
};

/** Minutes and seconds from the beginning: `1:05`, `1:02:05`. */
export function formatClockTime(atMs: number): string {
  const seconds = Math.floor(atMs / 1000);
  const two = (value: number): string => String(value).padStart(2, "0");
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}
