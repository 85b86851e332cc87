import { describe, expect, it } from "vitest";
import type { ProtocolMessage } from "@/lib/contract/server";
import { findCallMessages } from "./find-call-messages";

const message = (seq: number, part: Partial<ProtocolMessage>, body: object): ProtocolMessage => ({
  seq,
  at: 10_000 + seq,
  direction: "sent",
  kind: "request",
  method: "tools/call",
  id: "1",
  text: JSON.stringify(body),
  bytes: 2,
  ...part,
});

const sum = (a: number, token: number) => ({
  method: "tools/call",
  params: { name: "sum", arguments: { a }, _meta: { progressToken: token } },
});
const received = { direction: "received", kind: "response" } as const;
const note = { direction: "received", kind: "notification", id: null, method: "notifications/progress" } as const;

const MESSAGES = [
  message(1, { id: "7" }, sum(1, 7)),
  message(2, { id: "8" }, sum(2, 8)),
  message(3, { id: "9", method: "tools/list" }, { method: "tools/list" }),
  message(4, note, { method: "notifications/progress", params: { progressToken: 8, progress: 1 } }),
  message(5, note, { method: "notifications/progress", params: { progressToken: 7, progress: 1 } }),
  message(6, { id: "7", ...received }, { result: {} }),
  message(7, { id: "8", ...received }, { result: {} }),
  message(90_000, { id: "20" }, sum(1, 20)),
];
const call = (a: number) => ({
  requestText: JSON.stringify({ method: "tools/call", params: { name: "sum", arguments: { a } } }),
  startedAt: 10_000,
  finishedAt: 10_010,
});
const seqs = (a: number, messages = MESSAGES) => findCallMessages(messages, call(a)).map(({ message: { seq } }) => seq);

describe("the messages of one call", () => {
  it("are its request, its response and what names them, among calls at the same time and equal ones later", () => {
    expect(seqs(1)).toEqual([1, 5, 6]);
    expect(seqs(2)).toEqual([2, 4, 7]);
  });

  it("include the cancellation, and a request that is kept in part", () => {
    const cut = { id: "7", text: '{"method":"tools/call","params":{"na' };
    const cancelled = { kind: "notification", id: null, method: "notifications/cancelled" } as const;
    const messages = [
      message(1, cut, {}),
      message(2, cancelled, { method: "notifications/cancelled", params: { requestId: 7 } }),
    ];
    expect(seqs(1, messages)).toEqual([1, 2]);
  });
});
