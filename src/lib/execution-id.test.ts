import { describe, expect, it } from "vitest";
import { newExecutionId } from "./execution-id";

describe("execution ids", () => {
  it("EXE-06 sort by time, are unique, and are what the API takes as an id", () => {
    const ids = [0, 1, 57, 58, 1_700_000_000_000, 1_795_301_436_826, 90_000_000_000_000].map((now) =>
      newExecutionId(now),
    );
    expect([...ids].sort()).toEqual(ids);
    for (const id of ids) expect(id).toMatch(/^exec_[A-Za-z0-9]{18}$/);
    expect(new Set(Array.from({ length: 10_000 }, () => newExecutionId(5))).size).toBe(10_000);
  });
});
