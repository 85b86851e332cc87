import { describe, expect, it } from "vitest";
import { getKeptText, toJsonText } from "../../../lib/json/known-text";
import { parseMessage } from "./parse-message";

const RESULT = '{"content":[{"type":"text","text":"a"}],"n":1.0,"big":12345678901234567890}';
const buildResult = (text: string): unknown => (parseMessage(text) as { result: unknown }).result;

describe("the messages of servers", () => {
  it.each([`{"jsonrpc":"2.0","id":7,"result":${RESULT}}`, `{"result":${RESULT},"jsonrpc":"2.0","id":7}`])(
    "a response keeps its result's own text: %s",
    (text) => {
      expect(parseMessage(text)).toEqual(JSON.parse(text));
      expect(toJsonText(buildResult(text))).toBe(RESULT);
    },
  );

  it.each([
    // The text cut out between both ends is no JSON value: spliced into an answer it would add members to that.
    '{"result":{"a":1},"result":{"b":2},"jsonrpc":"2.0","id":7}',
    '{"jsonrpc":"2.0","id":7,"result":{"a":1},"id":8,"result":{"b":2}}',
    '{"result":{"a":1},"error":{"code":1,"message":"x"},"jsonrpc":"2.0","id":7}',
    '{"jsonrpc":"2.0","id":7,"result":{"a":"\\u0041"}}',
    '{"jsonrpc":"2.0","id":7,"result":{"a":"\\/"}}',
    '{"jsonrpc":"2.0","id":7,"result":{\n"a":1}}',
    '{ "jsonrpc":"2.0","id":7,"result":{"a":1}}',
    '{"jsonrpc":"2.0","id":"7","result":{"a":1}}',
    '{"jsonrpc":"2.0","id":7,"result":[1]}',
  ])("reads what is written in another way as JSON.parse does, and keeps no text: %s", (text) => {
    expect(parseMessage(text)).toEqual(JSON.parse(text));
    expect(toJsonText(buildResult(text))).toBe(JSON.stringify(JSON.parse(text).result));
  });

  it("a long response keeps its result's own text too, so that it is not made again", async () => {
    const result = { content: [{ type: "text", text: "Some text.\n".repeat(200_000) }], list: [1, 2, 3] };
    const text = JSON.stringify({ jsonrpc: "2.0", id: 7, result });
    const parsed = (await parseMessage(text)) as { result: object };
    expect(parsed).toEqual({ jsonrpc: "2.0", id: 7, result });
    expect(getKeptText(parsed.result)).toBe(JSON.stringify(result));
    const escaped = text.replace("Some", "\\u0053ome");
    const other = (await parseMessage(escaped)) as { result: object };
    expect(other.result).toEqual(result);
    expect(getKeptText(other.result)).toBe(JSON.stringify(result));
  });

  it.each(['{"jsonrpc":"2.0","id":7,"result":{"a":1}', '{"result":{"a":1,"jsonrpc":"2.0","id":7}', ""])(
    "rejects what is no JSON: %s",
    (text) => {
      expect(() => parseMessage(text)).toThrow(SyntaxError);
    },
  );
});
