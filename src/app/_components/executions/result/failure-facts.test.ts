import { describe, expect, it } from "vitest";
import { executionDetail } from "@/app/_components/executions/summary/execution.test-support";
import { describeLimit, requiredParameters } from "./failure-view";
import { compareDurations } from "./time-ratio";

describe("describeLimit", () => {
  it("TIME-03 says for each origin of a limit who set it and how to change it", () => {
    const limit = { name: "timeout", value: 30_000, unit: "ms" } as const;
    const texts = (["call", "tool", "global"] as const).map((setBy) => describeLimit({ ...limit, setBy }));
    expect(texts.map((text) => text.what)).toEqual(["Time limit: 30 s", "Time limit: 30 s", "Time limit: 30 s"]);
    expect(texts[0]?.change).toContain("next call");
    expect(texts[1]?.setBy).toContain("timeout_ms");
    expect(texts[2]?.change).toContain("configuration");
  });

  it("names no key of the definition for a limit that has none", () => {
    const facts = describeLimit({ name: "argument_size", value: 1_048_576, unit: "bytes", setBy: "global" });
    expect(facts).toMatchObject({ what: "Arguments size limit: 1 MiB" });
    expect(facts.change).not.toContain("“");
  });
});

describe("requiredParameters", () => {
  const definition = executionDetail().definition;

  it("ERR-02 lists name, type and description", () => {
    expect(requiredParameters(definition)).toEqual([{ name: "location", type: "string", description: "City name" }]);
  });

  it("survives schemas that others wrote, and parameters named like properties of every object", () => {
    const withParameters = (parameters: Record<string, unknown>) =>
      requiredParameters(definition && { ...definition, parameters });
    expect(withParameters({ required: "location" })).toEqual([]);
    expect(withParameters({ required: ["constructor", 3], properties: { a: 1 } })).toEqual([
      { name: "constructor", type: "any", description: null },
    ]);
    expect(withParameters({ required: ["a"], properties: { a: { type: ["string", "null"] } } })[0]?.type).toBe(
      "string | null",
    );
    expect(requiredParameters(null)).toEqual([]);
  });
});

describe("compareDurations", () => {
  it("gives the ratio from the first to the second, and nothing where there is none", () => {
    expect(compareDurations(100, 140)).toBe("1.4× slower");
    expect(compareDurations(140, 100)).toBe("1.4× faster");
    expect(compareDurations(1, 250)).toBe("250× slower");
    expect(compareDurations(null, 5)).toBeNull();
    expect(compareDurations(0, 5)).toBeNull();
  });

  it("calls a difference of at most 5 ms or 20% noise", () => {
    expect(compareDurations(1, 6)).toBe("about the same");
    expect(compareDurations(100, 120)).toBe("about the same");
    expect(compareDurations(6.5, 1)).toBe("6.5× faster");
  });
});
