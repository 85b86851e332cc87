import { describe, expect, it } from "vitest";
import { findField, readProblems, sortProblems } from "./problems";

const FIELDS = ["name", "prices", "implementation", "implementation.handler"] as const;

describe("problems of a refusal", () => {
  it.each([
    ["name", "name"],
    ["names", ""],
    ["prices[0].model", "prices"],
    ["implementation.handler", "implementation.handler"],
    ["implementation.type", "implementation"],
    ["", ""],
  ])("path %j belongs to field %j", (path, field) => {
    expect(findField(path, FIELDS)).toBe(field);
  });

  it("are sorted to the fields of their paths; the rest keeps its path", () => {
    const problems = [
      { path: "provider.name", message: "must be lower-case" },
      { path: "name", message: "'x' is already taken" },
      { path: "prices[0].input", message: "too big" },
      { path: "kind", message: "is unknown" },
      { path: "", message: "The disk is full" },
    ];
    expect(sortProblems(problems, FIELDS, "provider")).toEqual({
      name: ["must be lower-case", "'x' is already taken"],
      prices: ["too big"],
      "": ["kind is unknown", "The disk is full"],
    });
  });

  it("are the message where nothing is listed", () => {
    expect(readProblems({ message: "The disk is full", data: { problems: [] } })).toEqual([
      { path: "", message: "The disk is full" },
    ]);
    const listed = [{ path: "name", message: "is required" }];
    expect(readProblems({ message: "name is required", data: { problems: listed } })).toEqual(listed);
  });
});
