// @vitest-environment happy-dom
import { act, cleanup, fireEvent, screen, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { executionDetail } from "@/app/_components/executions/summary/execution.test-support";
import { findViolations } from "@/app/_kit/axe.test-support";
import { type FakeApi, fakeApi } from "@/app/_kit/fake-api.test-support";
import type { ExecutionDetail } from "@/lib/contract/execution";
import { ResultPanel } from "./result-panel";

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

function show(result: unknown, part: Partial<ExecutionDetail> = {}): FakeApi {
  const api = fakeApi({ "interactions.list": () => [] });
  const resultText = JSON.stringify(result);
  api.render(<ResultPanel execution={executionDetail({ implementationType: "mcp", resultText, ...part })} />);
  return api;
}

const tab = (name: string | RegExp) => screen.getByRole("tab", { name });
const isOpen = (name: string | RegExp) => tab(name).getAttribute("aria-selected") === "true";

describe("the answer of an MCP tool", () => {
  it("OUT-02 opens with its content: pictures, sounds, links, resources and what is not known", async () => {
    show({
      content: [
        { type: "text", text: "  two\n  lines", annotations: { audience: ["user"], priority: 0.9 } },
        { type: "image", data: PIXEL, mimeType: "image/png" },
        { type: "audio", data: "UklGRg==", mimeType: "audio/wav" },
        { type: "resource_link", uri: "https://example.com/report", name: "Report", mimeType: "text/html", size: 2048 },
        { type: "resource_link", uri: "javascript:alert(1)", name: "Trap" },
        { type: "resource", resource: { uri: "file:///notes.md", mimeType: "text/markdown", text: "# <b>Notes</b>" } },
        { type: "hologram", beam: 1 },
      ],
      structuredContent: { total: 3 },
    });
    expect(isOpen(/Content/)).toBe(true);
    const blocks = await screen.findByRole("list", { name: "Content blocks" });
    const [text] = blocks.querySelectorAll("pre");
    expect(text?.textContent).toBe("  two\n  lines");
    expect(screen.getByText("for user")).toBeDefined();
    const image = await screen.findByRole("img", { name: "Block 2, image/png" });
    expect(image.getAttribute("src")).toBe(`data:image/png;base64,${PIXEL}`);
    const audio = blocks.querySelector("audio");
    expect(audio?.getAttribute("src")).toBe("data:audio/wav;base64,UklGRg==");
    expect(audio?.getAttribute("aria-label")).toBe("Block 3, audio/wav");
    const link = screen.getByRole("link", { name: /report/ });
    expect(link.getAttribute("rel")).toBe("noopener noreferrer");
    expect(screen.getByText("on example.com")).toBeDefined();
    expect(screen.queryByRole("link", { name: /alert/ })).toBeNull();
    expect(screen.getByText("javascript:alert(1)")).toBeDefined();
    expect(await screen.findByText("<b>Notes</b>")).toBeDefined();
    expect(within(screen.getByRole("tree", { name: "Structured content" })).getByText('"total"')).toBeDefined();
    expect(await findViolations()).toEqual([]);
  });

  it("OUT-02 says why a picture is not shown, and still lets it be saved where there is data", async () => {
    show({
      content: [
        { type: "image", data: "%%%", mimeType: "image/png" },
        { type: "image", data: PIXEL, mimeType: "image/tiff" },
      ],
    });
    await screen.findByText(/not valid base64/);
    expect(screen.getByText(/“image\/tiff” is not a supported image type/)).toBeDefined();
    expect(screen.getAllByRole("button", { name: /^Save/ })).toHaveLength(1);
    expect(screen.queryByRole("img", { name: /Block/ })).toBeNull();
  });

  it("says that a picture is broken where the browser finds out", async () => {
    show({ content: [{ type: "image", data: "AAAA", mimeType: "image/png" }] });
    fireEvent.error(await screen.findByRole("img", { name: "Block 1, image/png" }));
    expect(screen.getByText(/can't show the data as an image/)).toBeDefined();
  });

  it("folds long text and shows JSON text as a tree", async () => {
    const long = Array.from({ length: 80 }, (_, index) => `line ${index}`).join("\n");
    show({
      content: [
        { type: "text", text: long },
        { type: "text", text: '{"id":12345678901234567890}' },
      ],
    });
    const blocks = await screen.findByRole("list", { name: "Content blocks" });
    expect(blocks.querySelector("pre")?.textContent).not.toContain("line 79");
    fireEvent.click(screen.getByRole("button", { name: /Show all/ }));
    expect(blocks.querySelector("pre")?.textContent).toBe(long);
    expect(screen.getByText("12345678901234567890")).toBeDefined();
  });

  it("opens on the content, never on the envelope around it, and has no content tab where there is none", () => {
    show({ content: [{ type: "text", text: "done" }] });
    expect(isOpen("Content")).toBe(true);
    expect(screen.getByText("done")).toBeDefined();
    cleanup();
    show({ temperature: 22 });
    expect(screen.queryByRole("tab", { name: /Content/ })).toBeNull();
  });

  it("ERR-04 shows a failed call's error together with all that the tool answered", async () => {
    show(
      {
        content: [
          { type: "text", text: "no access" },
          { type: "image", data: PIXEL, mimeType: "image/png" },
        ],
        isError: true,
      },
      { status: "failed", error: "no access", errorKind: "tool_error" },
    );
    expect(isOpen(/Content/)).toBe(true);
    expect(screen.getByText("The tool failed")).toBeDefined();
    expect(await screen.findByRole("img", { name: "Block 2, image/png" })).toBeDefined();
  });
});

describe("the output for models", () => {
  it("OUT-02 says that blocks without text are only named", async () => {
    const text = "[image left out: image/png, 70 bytes]";
    show(
      { content: [{ type: "image", data: PIXEL, mimeType: "image/png" }] },
      { modelView: { text, sentChars: text.length, totalChars: text.length, truncated: false, maxChars: 20_000 } },
    );
    fireEvent.click(tab("Model view"));
    expect(screen.getByText(text)).toBeDefined();
    expect(screen.getByText(/1 block of the answer is binary content/)).toBeDefined();
  });
});

describe("the output for an MCP client", () => {
  const whole = { sentChars: 9, totalChars: 9, truncated: false, maxChars: null };
  const shown = async () => {
    fireEvent.click(tab("Model view"));
    const blocks = await screen.findByRole("list", { name: "Content blocks" });
    return [...blocks.querySelectorAll("pre")].map((block) => block.textContent);
  };

  it("is the blocks that it got, character by character, whatever the limit for models", async () => {
    const long = `${"# line\n".repeat(5_000)}end`;
    const image = { type: "image", data: PIXEL, mimeType: "image/png" };
    const content = [{ type: "text", text: long }, { type: "text", text: '{"a": 1.0}' }, image];
    show({ content }, { source: "gateway", modelView: { text: long, ...whole } });
    expect(await shown()).toEqual([long, '{"a": 1.0}']);
    expect(screen.getByRole("img", { name: "Block 3, image/png" })).toBeDefined();
    expect(screen.getByText("The client received these blocks, nothing left out.")).toBeDefined();
  });

  it("of a lens is the projection and the blocks that are no text, with structured content where it was sent", async () => {
    const image = { type: "image", data: PIXEL, mimeType: "image/png" };
    const view = { text: '{"ids":[7]}', lens: "{ids: items[].id}", ...whole };
    show(
      { content: [{ type: "text", text: "whole" }, image], structuredContent: { items: [{ id: 7 }] } },
      { source: "gateway", lens: { expression: view.lens, fault: null }, modelView: view },
    );
    expect(await shown()).toEqual([view.text]);
    expect(screen.getByRole("img", { name: "Block 2, image/png" })).toBeDefined();
    expect(within(screen.getByRole("tree", { name: "Structured content" })).getByText('"ids"')).toBeDefined();
  });

  it("of a tool of our own is one text, also where its result looks like blocks", async () => {
    const text = '{"content":[{"type":"text","text":"a"}]}';
    show(JSON.parse(text), { implementationType: "mock", source: "gateway", modelView: { text, ...whole } });
    expect(await shown()).toEqual([text]);
    expect(screen.queryByRole("tree", { name: "Structured content" })).toBeNull();
  });
});

describe("what a call logs", () => {
  it("is shown above the result when it is a warning, and links to the log", () => {
    const message = "Structured content does not match the tool's output schema: /total must be integer";
    show(
      { content: [] },
      {
        logs: [
          { atMs: 1, level: "info", message: "hello" },
          { atMs: 2, level: "warn", message },
        ],
      },
    );
    const strip = screen.getByRole("region", { name: "Warnings" });
    expect(within(strip).getByText("1 warning")).toBeDefined();
    expect(strip.textContent).toContain(message);
    fireEvent.click(within(strip).getByRole("button", { name: "Show log" }));
    expect(isOpen(/Log/)).toBe(true);
  });

  it("is no warning when it is none", () => {
    show({ content: [] }, { logs: [{ atMs: 1, level: "info", message: "hello" }] });
    expect(screen.queryByRole("region", { name: "Warnings" })).toBeNull();
  });
});

describe("progress", () => {
  const running = { status: "running", resultText: null, modelView: null, finishedAt: null } as const;
  const report = (progress: number, total: number | null, message: string | null = null) => ({
    type: "execution_progress" as const,
    executionId: executionDetail().id,
    progress,
    total,
    message,
  });

  it("shows how much of a known total is done, in the tool's words", async () => {
    const api = show(null, running);
    act(() => api.emit(report(0.1 + 0.2, 1, "indexing")));
    expect(await screen.findByText("0.3 / 1")).toBeDefined();
    expect(screen.getByText("indexing")).toBeDefined();
    expect(screen.getByRole("progressbar")).toHaveProperty("position", 0.1 + 0.2);
  });

  it("shows progress without a percentage when the total is unknown or invalid", async () => {
    const api = show(null, running);
    for (const total of [null, 0]) {
      act(() => api.emit(report(7, total)));
      expect(await screen.findByText("7")).toBeDefined();
      expect(screen.getByRole("progressbar").hasAttribute("value")).toBe(false);
    }
    act(() => api.emit(report(12, 10)));
    expect(await screen.findByText("12 / 10")).toBeDefined();
    expect(screen.getByRole("progressbar").getAttribute("value")).toBe("10");
  });
});
