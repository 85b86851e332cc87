// @vitest-environment happy-dom
import { act, render, screen } from "@testing-library/react";
import { afterEach, describe, expect, it, vi } from "vitest";
import { QueryBoundary } from "./query-boundary";

afterEach(() => {
  sessionStorage.clear();
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

function Broken({ message }: { message: string }): never {
  throw new Error(message);
}

function show(message: string) {
  vi.useFakeTimers();
  vi.spyOn(console, "error").mockImplementation(() => {});
  const reload = vi.spyOn(window.location, "reload").mockImplementation(() => {});
  const answers: (Response | Error)[] = [new Error("refused"), new Response(null, { status: 503 })];
  const ask = vi.fn(async () => {
    const answer = answers.shift() ?? new Response();
    if (answer instanceof Error) throw answer;
    return answer;
  });
  vi.stubGlobal("fetch", ask);
  render(
    <QueryBoundary title="Couldn't load tools" skeleton={null}>
      <Broken message={message} />
    </QueryBoundary>,
  );
  return { reload, ask };
}
const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));

describe("a page whose scripts could not be loaded", () => {
  it("is loaded again once the server answers, and not in a circle", async () => {
    const { reload, ask } = show("Failed to load chunk /_next/static/chunks/a.js from module 1");
    expect(screen.getByText("Couldn't load tools")).toBeDefined();
    await pass(2_500);
    expect(ask).toHaveBeenCalledTimes(2);
    expect(reload).not.toHaveBeenCalled();
    await pass(1_000);
    expect(reload).toHaveBeenCalledTimes(1);
    await pass(20_000);
    expect(reload).toHaveBeenCalledTimes(1);
  });

  it("stays as it is after any other error", async () => {
    const { ask } = show("The tool was deleted");
    await pass(5_000);
    expect(ask).not.toHaveBeenCalled();
  });
});
