import type { Actor, LiveEvent, RunDetail } from "../../../lib/contract";
import type { CallRegistry } from "../../coordination/call-registry";
import type { Jobs } from "../../coordination/jobs";
import type { Locks } from "../../coordination/locks";
import type { RunStarter } from "../../engine/agent/run-ports";
import type { Clock, Logger } from "../../engine/ports";
import type { FilePosition } from "./transcript-record";
import type { TranscriptStore } from "./transcript-store";

export interface WatchedFile {
  /** Whole lines, in order; the next ones are read when this resolves. */
  onLines(lines: readonly string[], position: FilePosition): Promise<void>;
  /** Why the file cannot be read now (reading is retried); null when it can be. */
  onTrouble(reason: string | null): void;
  /** It will not be read again. */
  onFault(reason: string): void;
}

/** Follows files that something appends lines to. */
export interface FileTail {
  /** @throws Error for people, for a path that must not be read */
  check(path: string): Promise<void>;
  /** From `position` on, or from the beginning. `handOver`: the last line too, should it have no end yet. */
  watch(
    path: string,
    position: FilePosition | null,
    watched: WatchedFile,
  ): { close(options: { handOver: boolean }): Promise<void> };
}

/** Posts JSON. */
export interface Webhook {
  /** One attempt. `retry`: another one may do better. */
  post(url: string, body: unknown, signal: AbortSignal): Promise<{ ok: true } | WebhookFailure>;
}

export interface WebhookFailure {
  ok: false;
  /** For people; without the address, which may hold a secret. */
  reason: string;
  retry: boolean;
}

export interface TranscriptServicePorts {
  store: TranscriptStore;
  runs: RunStarter;
  /** The author of the runs that answer queries. */
  actor: Actor;
  /** Null where there is none. */
  getRun: (id: string) => Promise<Pick<RunDetail, "status" | "error" | "events"> | null>;
  /** Whether only some people may read it. */
  isPrivateRun: (id: string) => boolean;
  /** @throws AppError for a model provider that is unknown or has no key */
  checkProvider: (name: string) => Promise<unknown>;
  fileTail: FileTail;
  webhook: Webhook;
  /** Receives the addresses of webhooks, which may hold secrets. */
  onSecret?: ((url: string) => void) | undefined;
  jobs: Pick<Jobs, "handle" | "schedule">;
  /** One process of several listens to a transcript. */
  locks: Pick<Locks, "acquire">;
  calls: Pick<CallRegistry, "handle" | "cancel">;
  clock: Clock;
  /** At least 16 characters that cannot be guessed. */
  newId: () => string;
  logger: Logger;
  publish: (event: LiveEvent) => void;
}

export const TRANSCRIPT_LIMITS = {
  /** Open at the same time. */
  openTranscripts: 200,
  segments: 100_000,
  characters: 20_000_000,
  segmentsAtOnce: 1000,
  segmentCharacters: 100_000,
} as const;
