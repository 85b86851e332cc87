import { describe, expect, it } from "vitest";
import type { Peer } from "../peer";
import { explainLack, type SuiteSubject } from "./official-checks";
import { SCENARIO_NEEDS, type ScenarioNeeds } from "./scenario-needs";

/** A server with everything that a scenario needs. */
function createSubject(needs: ScenarioNeeds): SuiteSubject {
  const { tools = [], prompts = [], resources = [], templates = [], capability, extension } = needs;
  const capabilities = {
    ...(capability !== undefined && { [capability]: {} }),
    ...(extension !== undefined && { extensions: { [extension]: {} } }),
  };
  const peer: Peer = {
    session: { kind: "session", revision: "2025-11-25", id: null },
    revisions: ["2025-11-25"],
    introduction: null,
    capabilities,
    tools: [...tools],
    headerTools: [],
    prompts: [...prompts],
    resources: [...resources],
    templates: [...templates],
  };
  return { peer, transport: "http", isLocal: true, demandsToken: false };
}

const withPeer = (subject: SuiteSubject, part: Partial<Peer>): SuiteSubject => ({
  ...subject,
  peer: { ...subject.peer, ...part },
});

const LISTS = ["tools", "prompts", "resources", "templates"] as const;

describe.each(Object.entries(SCENARIO_NEEDS))("the scenario %s", (name, needs) => {
  const subject = createSubject(needs);

  it("runs where the server has what it needs", () => {
    expect(explainLack(name, subject)).toBeNull();
  });

  it("does not run without any one of these, and names what is missing", () => {
    for (const list of LISTS) {
      for (const missing of needs[list] ?? []) {
        const rest = subject.peer[list].filter((each) => each !== missing);
        expect(explainLack(name, withPeer(subject, { [list]: rest }))).toContain(missing);
      }
    }
    const { capability, extension } = needs;
    const named = capability ?? extension;
    if (named !== undefined) expect(explainLack(name, withPeer(subject, { capabilities: {} }))).toContain(named);
    if (needs.http) expect(explainLack(name, { ...subject, transport: "stdio" })).toContain("HTTP");
    if (needs.local) {
      expect(explainLack(name, { ...subject, isLocal: false })).not.toBeNull();
      expect(explainLack(name, { ...subject, demandsToken: true })).not.toBeNull();
    }
  });

  it("calls no tool of the server's own", () => {
    const own = withPeer(subject, {
      tools: ["delete_everything", ...subject.peer.tools],
      headerTools: ["delete_by_region", ...subject.peer.headerTools],
    });
    const tool = needs.ownFirstTool ? "delete_everything" : needs.ownHeaderTool ? "delete_by_region" : null;
    if (tool === null) expect(explainLack(name, own)).toBeNull();
    else expect(explainLack(name, own)).toContain(tool);
  });
});

it.each(["__proto__", "constructor", "a-later-scenario"])(
  "a scenario that is not in the table does not run: %s",
  (name) => {
    expect(explainLack(name, createSubject({}))).toContain("does not know");
  },
);
