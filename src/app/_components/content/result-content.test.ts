import { describe, expect, it } from "vitest";
import { parseWebAddress } from "./markdown/web-address";
import { fileName, MAX_PREVIEW_BYTES, readMedia } from "./read-media";
import { isOneText, readBlock, readToolAnswer } from "./result-content";

const PNG = "iVBORw0KGgo=";
const getAnswer = (result: unknown, implementationType: string | null = "mcp") =>
  readToolAnswer({ implementationType, resultText: JSON.stringify(result), resultTruncated: false });
const text = (said: string) => ({ type: "text", text: said });

describe("readToolAnswer", () => {
  it("OUT-02 keeps every block of an MCP tool's answer in order, whatever its kind", () => {
    const answer = getAnswer({
      content: [
        text("hello"),
        { type: "image", data: PNG, mimeType: "image/png" },
        { type: "audio", data: "AAAA", mimeType: "audio/wav" },
        { type: "resource_link", uri: "https://example.com/a", name: "a", size: 12 },
        { type: "resource", resource: { uri: "file:///a.txt", text: "" } },
        { type: "resource", resource: { uri: "file:///a.bin", blob: "AAAA" } },
        { type: "hologram", beam: 1 },
        null,
        7,
      ],
    });
    expect(answer?.blocks.map((block) => block.kind)).toEqual([
      "text",
      "media",
      "media",
      "link",
      "resource",
      "resource_media",
      "unknown",
      "unknown",
      "unknown",
    ]);
    expect(answer?.blocks[6]).toMatchObject({ type: "hologram", text: expect.stringContaining('"beam": 1') });
  });

  it("takes a known kind without what it needs for unknown, instead of guessing", () => {
    for (const block of [{ type: "text", text: 5 }, { type: "resource_link" }, { type: "resource", resource: null }]) {
      expect(readBlock(block, "0")).toMatchObject({ kind: "unknown", text: JSON.stringify(block, null, 2) });
    }
  });

  it("keeps digits of structured content that JavaScript numbers lose", () => {
    const answer = readToolAnswer({
      implementationType: "mcp",
      resultText: '{"content":[],"structuredContent":{"id":12345678901234567890,"__proto__":1}}',
      resultTruncated: false,
    });
    expect(answer?.structuredText).toContain("12345678901234567890");
    expect(answer?.structuredText).toContain('"__proto__": 1');
  });

  it("keeps structured content on one line that is nested deeply, since its indentation would be hundreds of megabytes", () => {
    const row = "[".repeat(900) + "]".repeat(900);
    const structured = `{"rows":[${Array.from({ length: 500 }, () => row).join()}]}`;
    const answer = readToolAnswer({
      implementationType: "mcp",
      resultText: `{"content":[],"structuredContent":${structured}}`,
      resultTruncated: false,
    });
    expect(answer?.structuredText).toBe(structured);
  });

  it("leaves results of other tools alone unless they look like an answer block by block", () => {
    expect(getAnswer({ content: "text" }, "mock")).toBeNull();
    expect(getAnswer({ content: [] }, "mock")).toBeNull();
    expect(getAnswer({ content: [{ type: "chapter" }] }, "mock")).toBeNull();
    expect(getAnswer({ content: [text("a"), "b"] }, "mock")).toBeNull();
    expect(getAnswer({ content: [text("a")] }, "mock")?.blocks).toHaveLength(1);
    expect(getAnswer({ content: [text("a"), { type: "chapter" }] }, "mock")?.blocks).toHaveLength(2);
    expect(getAnswer({ content: [{ type: "chapter" }] }, "mcp")?.blocks).toHaveLength(1);
    expect(getAnswer([{ content: [] }], "mcp")).toBeNull();
  });

  it("has nothing to say about a result that was stored in part", () => {
    const resultText = JSON.stringify({ content: [text("a")] });
    expect(readToolAnswer({ implementationType: "mcp", resultText, resultTruncated: true })).toBeNull();
    expect(readToolAnswer({ implementationType: "mcp", resultText: null, resultTruncated: false })).toBeNull();
  });

  it("reads annotations as claims of whatever shape", () => {
    const annotations = { audience: ["user", 3], priority: 0.5, lastModified: 7 };
    expect(readBlock({ ...text("a"), annotations }, "0").annotations).toEqual({
      audience: ["user"],
      priority: 0.5,
      lastModified: null,
    });
  });
});

describe("isOneText", () => {
  const isOne = (result: unknown) => {
    const answer = getAnswer(result);
    return answer && isOneText(answer);
  };

  it("ERR-04 tells a failure's one text, which is its error, from an answer with more in it", () => {
    expect(isOne({ content: [text("no\nsuch file")], isError: true })).toBe(true);
    expect(isOne({ content: [text("no"), text("why")], isError: true })).toBe(false);
    expect(isOne({ content: [text("a")], structuredContent: { a: 1 } })).toBe(false);
    expect(isOne({ content: [{ type: "image", data: PNG, mimeType: "image/png" }] })).toBe(false);
  });
});

describe("readMedia", () => {
  it("shows pictures of the common kinds, their type as browsers write it", () => {
    expect(readMedia(PNG, "Image/PNG; charset=binary", "image")).toEqual({
      kind: "image",
      mimeType: "image/png",
      base64: PNG,
      bytes: 8,
      problem: null,
    });
    expect(readMedia("AAAA", "image/svg+xml", "image").problem).toBeNull();
  });

  it("says what is wrong instead of showing a broken picture", () => {
    expect(readMedia("no base64!", "image/png", "image")).toMatchObject({
      base64: null,
      problem: expect.stringContaining("not valid base64"),
    });
    expect(readMedia("AAAAA", "image/png", "image").problem).toContain("not valid base64");
    expect(readMedia(undefined, "image/png", "image").problem).toContain("has no data");
    expect(readMedia("AAAA", "image/tiff", "image")).toMatchObject({ base64: "AAAA", kind: "file" });
    expect(readMedia("AAAA", "image/tiff", "image").problem).toContain("image/tiff");
    expect(readMedia("AAAA", "text/html", "image").problem).toContain("text/html");
  });

  it("offers a huge blob to save and does not show it", () => {
    const huge = readMedia("A".repeat(Math.ceil(MAX_PREVIEW_BYTES / 3) * 4 + 4), "image/png", "image");
    expect(huge.problem).toContain("too large to show");
    expect(huge.base64).not.toBeNull();
  });

  it("makes no data URL out of what is no type", () => {
    for (const type of ['image/png" onload="x', "image/png,evil", 5, undefined, ""]) {
      expect(readMedia("AAAA", type, null)).toMatchObject({ kind: "file", mimeType: "application/octet-stream" });
    }
  });

  it("forgives line breaks and missing padding, as browsers do", () => {
    expect(readMedia("iVBO\nRw0K\nGgo", "image/png", "image")).toMatchObject({ bytes: 8, problem: null });
  });

  it("saves under a name that leads nowhere else", () => {
    const png = { kind: "image", mimeType: "image/png" } as const;
    expect(fileName(png, null)).toBe("image.png");
    expect(fileName(png, "file:///home/me/cat.png?x=/../../y")).toBe("cat.png");
    expect(fileName(png, "demo://..\\..\\.bashrc")).toBe("bashrc.png");
    expect(fileName(png, "demo://resource/a<b>|c")).toBe("a_b__c.png");
  });
});

describe("parseWebAddress", () => {
  it("leads to the web only", () => {
    for (const uri of ["javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "//example.com", "", "x"]) {
      expect(parseWebAddress(uri)).toBeNull();
    }
    expect(parseWebAddress("https://example.com:8443/a")).toMatchObject({ host: "example.com:8443", encrypted: true });
  });

  it("gives the host that is asked, whatever the address looks like", () => {
    expect(parseWebAddress("https://bank.example@evil.example/")).toMatchObject({
      host: "evil.example",
      hasCredentials: true,
    });
    expect(parseWebAddress("http://bаnk.example")?.host).toMatch(/^xn--/);
  });
});
