import { describe, expect, it } from "vitest";
import { keepExactText } from "../../../lib/json/exact-text";
import type { LooseMessage } from "../client/transport/json-rpc";
import { joinForWriting, toMessageText } from "./long-text";

const LONG = "x".repeat(20_000);

function toCall(args: unknown): LooseMessage {
  return {
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name: "write", arguments: args, _meta: { a: 1 } } as never,
  };
}

/** The text of a call whose arguments came as `text`. */
function sendOn(text: string): string {
  const args = JSON.parse(text) as object;
  keepExactText(args, text);
  const sent = toMessageText(toCall(args)).join("");
  expect(JSON.parse(sent)).toEqual(JSON.parse(JSON.stringify(toCall(args))));
  return sent;
}

describe("the text of a call", () => {
  it("EXE-06 has long arguments as they were sent", () => {
    const text = `{ "text":"${LONG}", "size" : 1.50, "list":[{"a":1},{"a":2}], "empty": {} }`;
    expect(sendOn(text)).toContain(`"arguments":${text}}}`);
  });

  it("RTE-03 has no member twice: a server could read another one than was validated", () => {
    expect(sendOn(`{"path":"a","text":"${LONG}","path":"b"}`)).not.toContain(':"a"');
    expect(sendOn(`{"in":[{"path":"a","path":"b"}],"text":"${LONG}"}`)).not.toContain(':"a"');
    expect(sendOn(`{"path":"a","text":"${LONG}","p\\u0061th":"b"}`)).not.toContain(':"a"');
  });

  it.each([
    ["short", '{ "text": "x" }'],
    ["on several lines", `{\n"text":"${LONG}"}`],
    ["with escaped letters", `{"text": "\\u00fc${LONG}"}`],
    ["of many small members", `{"list": [${Array.from({ length: 4000 }, (_, index) => `{"a": ${index}}`).join(",")}]}`],
  ])("has arguments that are %s in the form of JSON.stringify", (_what, text) => {
    expect(sendOn(text)).toBe(JSON.stringify(toCall(JSON.parse(text))));
  });

  it("stands in one message whatever the order of its members", () => {
    const text = `{"text":"${LONG}"}`;
    const args = JSON.parse(text) as object;
    keepExactText(args, text);
    const { params, ...head } = toCall(args);
    expect(JSON.parse(toMessageText({ params, ...head } as LooseMessage).join(""))).toEqual(toCall(args));
  });
});

it("what is written is the same text, as a string or as bytes", () => {
  expect(joinForWriting(["{", "é", "}"])).toBe("{é}");
  const parts = ["{é", `${LONG}é😀`, "}"];
  expect(joinForWriting(parts)).toEqual(Buffer.from(parts.join("")));
});
