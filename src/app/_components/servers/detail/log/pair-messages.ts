import { defineFilters, oneOf, type Params, searchText, toggle } from "@/app/_kit/list/filters";
import type { ProtocolMessage } from "@/lib/contract/server";

export interface PairedMessage {
  message: ProtocolMessage;
  /** The milliseconds since the request of a response. */
  durationMs: number | null;
  /** Whether the response of the request was seen. */
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

export const MESSAGE_FILTERS = defineFilters({
  q: searchText({ label: "Search messages", placeholder: "Search method, id, text", instant: true }),
  direction: oneOf(["sent", "received"], {
    label: "Direction",
    any: "Sent and received",
    words: { sent: "Sent", received: "Received" },
  }),
  kind: oneOf(["request", "response", "error", "notification"], { label: "Kind" }),
  // Pings are frequent and not informative, so they are hidden by default.
  pings: toggle({ label: "Pings" }),
});

export function filterMessages(
  messages: readonly PairedMessage[],
  filters: Params<typeof MESSAGE_FILTERS.filters>,
): PairedMessage[] {
  const search = filters.q.toLowerCase();
  return messages.filter(
    ({ message }) =>
      (filters.pings || message.method !== "ping") &&
      (filters.direction === null || message.direction === filters.direction) &&
      (filters.kind === null || message.kind === filters.kind) &&
      (search === "" || `${message.method ?? ""} ${message.id ?? ""} ${message.text}`.toLowerCase().includes(search)),
  );
}
