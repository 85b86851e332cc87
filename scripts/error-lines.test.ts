import { afterEach, expect, it, vi } from "vitest";
import { logPrintedErrors } from "./error-lines.mjs";

afterEach(() => vi.restoreAllMocks());

it("ERR-03 an error that Next prints is one line of the log, and a client that has gone is no error", () => {
  const print = vi.spyOn(console, "error").mockImplementation(() => undefined);
  const logger = { info: vi.fn(), error: vi.fn() };
  logPrintedErrors(() => logger);
  console.error(Object.assign(new Error("aborted"), { code: "ECONNRESET" }));
  console.error(new Error("broken page"));
  console.error("a sentence");
  expect(logger.info.mock.calls).toEqual([[{}, "A client disconnected before its request was complete"]]);
  expect(logger.error.mock.calls).toEqual([
    [{ stack: expect.stringContaining("broken page") }, "Request failed unexpectedly"],
  ]);
  expect(print.mock.calls).toEqual([["a sentence"]]);
});
