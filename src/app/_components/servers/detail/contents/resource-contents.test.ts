import { describe, expect, it } from "vitest";
import { decodedBytes, imageUrl, isJsonTree, readContents, readMessages } from "./resource-contents";

describe("what a server answered to a read", () => {
  it("is taken apart into its parts", () => {
    const text = JSON.stringify({
      contents: [
        { uri: "a://1", mimeType: "text/plain", text: "hi" },
        { uri: "a://2", blob: "aGk=" },
      ],
    });
    expect(readContents(text)).toEqual({
      parts: [
        { uri: "a://1", mimeType: "text/plain", text: "hi", blob: null },
        { uri: "a://2", mimeType: null, text: null, blob: "aGk=" },
      ],
      left: 0,
    });
  });

  it("is not trusted to have the shape that it should", () => {
    expect(readContents("not JSON")).toBeNull();
    expect(readContents('{"contents":{}}')).toBeNull();
    expect(readContents('{"contents":[null,{"text":3}]}')?.parts).toEqual([
      { uri: null, mimeType: null, text: null, blob: null },
      { uri: null, mimeType: null, text: null, blob: null },
    ]);
    expect(readMessages('{"messages":"none"}')).toBeNull();
    expect(readMessages('{"messages":[7]}')?.messages).toMatchObject([{ role: "(no role)", text: null, media: null }]);
  });

  it("is cut where there are too many parts, and says how many were left out", () => {
    const read = readContents(JSON.stringify({ contents: Array.from({ length: 250 }, () => ({ text: "x" })) }));
    expect(read?.parts).toHaveLength(200);
    expect(read?.left).toBe(50);
  });

  it("shows a prompt's text, pictures and resources by role", () => {
    const text = JSON.stringify({
      description: "d",
      messages: [
        { role: "user", content: { type: "text", text: "hello" } },
        { role: "assistant", content: { type: "image", mimeType: "image/png", data: "aGk=" } },
        { role: "user", content: { type: "resource", resource: { uri: "a://1", text: "body" } } },
      ],
    });
    expect(readMessages(text)).toMatchObject({
      description: "d",
      messages: [
        { role: "user", text: "hello", media: null },
        { role: "assistant", text: null, media: { mimeType: "image/png", blob: "aGk=" } },
        { role: "user", text: null, media: { uri: "a://1", text: "body" } },
      ],
    });
  });

  it("becomes a picture only for kinds that cannot carry a script", () => {
    const part = { uri: null, text: null, blob: "aGk=" };
    expect(imageUrl({ ...part, mimeType: "image/png" })).toBe("data:image/png;base64,aGk=");
    expect(imageUrl({ ...part, mimeType: "image/svg+xml" })).toBeNull();
    expect(imageUrl({ ...part, mimeType: "image/png", blob: 'x"onerror=' })).toBeNull();
  });

  it("reports the decoded size of base64, and tells JSON from text", () => {
    expect([decodedBytes(""), decodedBytes("aA=="), decodedBytes("aGk="), decodedBytes("aGkh\n")]).toEqual([
      0, 1, 2, 3,
    ]);
    expect([isJsonTree('{"a":1}'), isJsonTree("[1"), isJsonTree("12"), isJsonTree("text")]).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });
});
