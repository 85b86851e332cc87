// @vitest-environment happy-dom
import { act, fireEvent, screen, waitFor } from "@testing-library/react";
import axe from "axe-core";
import { Suspense } from "react";
import { describe, expect, it } from "vitest";
import { type FakeApi, fakeApi } from "@/app/_kit/fake-api.test-support";
import type { ServerLogLine } from "@/lib/contract/server";
import { LogTab } from "./log-tab";

const line = (seq: number, part: Partial<ServerLogLine> = {}): ServerLogLine => ({
  seq,
  at: seq * 1000,
  stream: "stderr",
  level: "info",
  text: `line ${seq}`,
  ...part,
});

function logApi(lines: ServerLogLine[], search = ""): FakeApi {
  return fakeApi({ "servers.log": () => [...lines] }, search);
}
const show = (api: FakeApi) =>
  api.render(
    <Suspense fallback="…">
      <LogTab name="files" />
    </Suspense>,
  );
const reads = (api: FakeApi) => api.calls.filter(({ path }) => path === "servers.log").length;

describe("the log of a server", () => {
  it("MCP-02 marks what the server wrote to stdout that is not a protocol message, and axe finds nothing", async () => {
    const { container } = show(
      logApi([line(1, { stream: "stdout", level: "warn", text: "Listening on 3000" }), line(2)]),
    );
    const polluted = (await screen.findByText(/Listening on 3000/)).closest("li");
    expect(polluted?.getAttribute("data-stream")).toBe("stdout");
    expect(polluted?.textContent).toContain("not protocol");
    expect((await axe.run(container)).violations).toEqual([]);
  });

  it("grows as the server speaks, without reading everything again", async () => {
    const api = logApi([line(1)]);
    show(api);
    await screen.findByText("line 1");
    const before = reads(api);
    act(() => {
      api.emit({ type: "server_log", server: "files", line: line(2) });
      api.emit({ type: "server_log", server: "other", line: line(3, { text: "of another server" }) });
    });
    await screen.findByText("line 2");
    expect(screen.queryByText("of another server")).toBeNull();
    expect(reads(api)).toBe(before);
  });

  it("reads again when lines in between were missed", async () => {
    const lines = [line(1)];
    const api = logApi(lines);
    show(api);
    await screen.findByText("line 1");
    lines.push(line(2), line(3));
    act(() => api.emit({ type: "server_log", server: "files", line: line(3) }));
    await screen.findByText("line 2");
  });

  it("has the lines that came while another view was open, however soon it is opened again", async () => {
    const lines = [line(1)];
    const api = logApi(lines);
    const { unmount } = show(api);
    await screen.findByText("line 1");
    unmount();
    lines.push(line(2));
    show(api);
    await screen.findByText("line 2");
  });

  it("holds still while it is paused, and counts what waits", async () => {
    const api = logApi([line(1)]);
    show(api);
    await screen.findByText("line 1");
    fireEvent.click(screen.getByRole("button", { name: "Pause" }));
    act(() => api.emit({ type: "server_log", server: "files", line: line(2) }));
    const goOn = await screen.findByRole("button", { name: "Resume (1 new)" });
    expect(screen.queryByText("line 2")).toBeNull();
    fireEvent.click(goOn);
    await waitFor(() => expect(screen.getByText("line 2")).toBeTruthy());
  });
});
