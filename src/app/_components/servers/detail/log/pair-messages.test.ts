import { describe, expect, it } from "vitest";
import type { ProtocolMessage } from "@/lib/contract/server";
import { filterMessages, pairMessages } from "./pair-messages";

const message = (seq: number, part: Partial<ProtocolMessage>): ProtocolMessage => ({
  seq,
  at: seq * 10,
  direction: "sent",
  kind: "request",
  method: "tools/call",
  id: "1",
  text: "{}",
  bytes: 2,
  ...part,
});
const times = (messages: ProtocolMessage[]) => pairMessages(messages).map(({ durationMs }) => durationMs);

type MessageFilters = Parameters<typeof filterMessages>[1];

describe("messages of the protocol", () => {
  it("tie an answer to the request of the same id that went the other way", () => {
    const messages = [
      message(1, { id: "1" }),
      message(2, { id: "1", direction: "received", method: "elicitation/create" }),
      message(5, { id: "1", direction: "received", kind: "response" }),
      message(9, { id: "1", kind: "error" }),
    ];
    expect(times(messages)).toEqual([null, null, 40, 70]);
    expect(pairMessages(messages).map(({ answered }) => answered)).toEqual([true, true, false, false]);
  });

  it("matches the newest request when ids restart with another connection", () => {
    const answer = message(30, { direction: "received", kind: "response" });
    expect(times([message(1, {}), message(20, {}), answer])).toEqual([null, null, 100]);
  });

  it("leave an answer without a request, and a notification, without a time", () => {
    expect(times([message(3, { kind: "response" }), message(4, { kind: "notification", id: null })])).toEqual([
      null,
      null,
    ]);
  });

  it("are narrowed by direction, kind and text, and leave out pings until they are asked for", () => {
    const paired = pairMessages([
      message(1, { method: "ping" }),
      message(2, { text: '{"name":"Echo"}' }),
      message(3, { kind: "notification", direction: "received", id: null, method: "notifications/progress" }),
    ]);
    const none: MessageFilters = { q: "", direction: null, kind: null, pings: false };
    const seqs = (part: Partial<MessageFilters>) =>
      filterMessages(paired, { ...none, ...part }).map((each) => each.message.seq);
    expect(seqs({})).toEqual([2, 3]);
    expect(seqs({ pings: true })).toEqual([1, 2, 3]);
    expect(seqs({ q: "echo" })).toEqual([2]);
    expect(seqs({ direction: "received", kind: "notification" })).toEqual([3]);
  });
});
