import { parseAsBoolean, parseAsString, parseAsStringLiteral } from "nuqs";
import type { ProtocolMessage } from "@/lib/contract/server";

export interface PairedMessage {
  message: ProtocolMessage;
  /** Of an answer: milliseconds since its request. */
  durationMs: number | null;
  /** Of a request: whether its answer was seen. */
  answered: boolean;
}

/**
 * Ties each answer to its request: the newest one before it, the other way, with the same id. Each connection
 * counts ids from the start, so an older request of that id is another one.
 */
export function pairMessages(messages: readonly ProtocolMessage[]): PairedMessage[] {
  const open = new Map<string, PairedMessage>();
  return messages.map((message) => {
    const paired: PairedMessage = { message, durationMs: null, answered: false };
    if (message.id === null) return paired;
    if (message.kind === "request") open.set(`${message.direction} ${message.id}`, paired);
    if (message.kind === "response" || message.kind === "error") {
      const key = `${message.direction === "sent" ? "received" : "sent"} ${message.id}`;
      const request = open.get(key);
      if (request !== undefined) {
        open.delete(key);
        request.answered = true;
        paired.durationMs = message.at - request.message.at;
      }
    }
    return paired;
  });
}

export const DIRECTIONS = ["sent", "received"] as const;
export const KINDS = ["request", "response", "error", "notification"] as const;

/** The address holds the filters of the messages. */
export const messageFilterParsers = {
  q: parseAsString.withDefault(""),
  direction: parseAsStringLiteral(DIRECTIONS),
  kind: parseAsStringLiteral(KINDS),
  pings: parseAsBoolean.withDefault(false),
};

export interface MessageFilters {
  q: string;
  direction: ProtocolMessage["direction"] | null;
  kind: ProtocolMessage["kind"] | null;
  /** Pings are many and say little: left out unless asked for. */
  pings: boolean;
}

export function filterMessages(messages: readonly PairedMessage[], filters: MessageFilters): PairedMessage[] {
  const search = filters.q.toLowerCase();
  return messages.filter(
    ({ message }) =>
      (filters.pings || message.method !== "ping") &&
      (filters.direction === null || message.direction === filters.direction) &&
      (filters.kind === null || message.kind === filters.kind) &&
      (search === "" || `${message.method ?? ""} ${message.id ?? ""} ${message.text}`.toLowerCase().includes(search)),
  );
}
