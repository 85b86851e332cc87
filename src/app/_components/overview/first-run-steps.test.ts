import { describe, expect, it } from "vitest";
import { serverSummary } from "@/app/_components/servers/summary/server.test-support";
import { buildFirstRunSteps, type FirstRunFacts, isFirstRunOver } from "./first-run-steps";

const NOTHING: FirstRunFacts = {
  counts: { executions: 0, replays: 0 },
  sampleTool: "a b",
  execution: null,
  server: null,
  clients: [],
};
const ran = { counts: { executions: 1, replays: 0 }, execution: { id: "exec_1", toolName: "echo" } };
const getStates = (facts: Partial<FirstRunFacts>) =>
  buildFirstRunSteps({ ...NOTHING, ...facts }).map(({ state }) => state);
const getLink = (facts: Partial<FirstRunFacts>, step: number) =>
  buildFirstRunSteps({ ...NOTHING, ...facts })[step]?.links[0];

describe("the first run", () => {
  it("begins with running a tool, and says what to do when there is none", () => {
    expect(getStates({})).toEqual(["next", "later", "later", "later"]);
    expect(getLink({}, 0)).toEqual({ href: "/tools/a%20b", label: "Run a b" });
    expect(getLink({ sampleTool: null }, 0)?.href).toBe("/tools/new");
    expect(getLink({}, 3)).toBeUndefined();
  });

  it("marks each step as done by what is recorded, whatever the order", () => {
    expect(getStates(ran)).toEqual(["done", "next", "later", "later"]);
    expect(getLink(ran, 3)?.href).toBe("/executions/exec_1");
    const clients = [{ name: "cursor", calls: 0 }];
    expect(getStates({ clients })).toEqual(["next", "later", "done", "later"]);
    expect(getStates({ ...ran, clients, counts: { executions: 2, replays: 1 } })).toEqual([
      "done",
      "next",
      "done",
      "done",
    ]);
  });

  it("counts a server once it has connected, also while it is away, and not before", () => {
    const server = (status: "connecting" | "connected" | "disconnected", toolCount: number) => ({
      server: serverSummary({ toolCount, state: { status } }),
    });
    expect(getStates({ ...ran, ...server("connecting", 0) })[1]).toBe("next");
    expect(getLink({ ...ran, ...server("connecting", 0) }, 1)?.href).toBe("/servers/files");
    expect(getStates({ ...ran, ...server("connected", 0) })[1]).toBe("done");
    expect(getStates({ ...ran, ...server("disconnected", 4) })[1]).toBe("done");
  });

  it("is over once every step is done, and in a Toolroom that is in use", () => {
    const all: FirstRunFacts = {
      ...NOTHING,
      ...ran,
      counts: { executions: 3, replays: 1 },
      server: serverSummary({}),
      clients: [{ name: "cursor", calls: 1 }],
    };
    expect(isFirstRunOver(all)).toBe(true);
    expect(isFirstRunOver({ ...all, clients: [] })).toBe(false);
    expect(isFirstRunOver({ ...all, clients: [], counts: { executions: 100, replays: 0 } })).toBe(true);
  });
});
