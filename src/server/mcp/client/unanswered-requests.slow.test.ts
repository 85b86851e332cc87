import { describe, expect, it, onTestFinished } from "vitest";
import { waitUntil } from "../../../lib/wait-until.test-support";
import type { InteractionHandler } from "../../engine/ports";
import { buildContext, openBench, readText, script } from "./connections.test-support";

type Bench = ReturnType<typeof openBench>;
const FORTY = { action: "accept" as const, content: { age: 40 } };

/** The server's view of the answer to its request. */
async function ask({ connections }: Bench, tool: string, given: Parameters<typeof buildContext>[0]) {
  return JSON.parse(readText(await connections.call("asking", tool, {}, buildContext(given))));
}

/** A client of the gateway whose calls it can tell apart. */
function answeringClient(client: string | undefined): InteractionHandler {
  const handler: InteractionHandler = async ({ kind }) =>
    kind === "roots" ? { action: "accept", content: { roots: [{ uri: "file:///mine" }] } } : FORTY;
  if (client !== undefined) handler.client = client;
  return handler;
}

/** A call that runs beside the others until the test has finished. */
async function callBeside({ connections }: Bench, given: Parameters<typeof buildContext>[0]): Promise<void> {
  const abort = new AbortController();
  const call = connections.call("asking", "hang", {}, buildContext({ ...given, signal: abort.signal }));
  await waitUntil(() =>
    connections.messages("asking").some(({ method, kind }) => method === "tools/call" && kind === "request"),
  );
  onTestFinished(async () => {
    abort.abort();
    await call.catch(() => undefined);
  });
}

describe("a request that the client of a call cannot answer", () => {
  it.each([
    ["form", "gateway", "The request for input was refused"],
    ["url", "api", "The request to open a page was refused"],
    ["sample", "gateway", "The request for a model response was refused"],
  ] as const)("is refused at once, with the setting that would help: %s of %s", async (tool, source, text) => {
    const bench = openBench({ answer: () => FORTY });
    bench.connections.apply(script("asking"));
    const { error } = await ask(bench, tool, { source, interact: async () => null });
    expect(error).toMatchObject({ code: -32601, message: expect.stringContaining(text) });
    expect(error.message).toContain("askPeople");
    expect(bench.questions).toEqual([]);
  });

  it("goes to users where the settings say so, as long as a user has a page open", async () => {
    const bench = openBench({ answer: () => FORTY });
    bench.connections.apply(script("asking", { askPeople: true }));
    expect((await ask(bench, "form", { source: "gateway" })).result).toEqual(FORTY);
    expect(bench.questions[0]?.question).toMatchObject({ needsViewer: true, executionId: "exec_test" });
    const empty = openBench({ answer: () => Promise.reject(Object.assign(new Error(), { name: "NoViewer" })) });
    empty.connections.apply(script("asking", { askPeople: true }));
    const { error } = await ask(empty, "form", { source: "gateway" });
    expect(error).toMatchObject({ code: -32601, message: expect.stringContaining("no page of the console is open") });
  });

  it("goes to the console for calls that users make there, whatever the setting", async () => {
    const bench = openBench({ answer: () => FORTY });
    bench.connections.apply(script("asking"));
    expect((await ask(bench, "form", { source: "console" })).result).toEqual(FORTY);
    expect(bench.questions[0]?.question).not.toHaveProperty("needsViewer");
  });
});

describe("a request of a server that does not name the call", () => {
  it("goes to the one client that made all running calls, also for its roots", async () => {
    const bench = openBench();
    bench.connections.apply(script("asking", { roots: [{ uri: "file:///configured" }] }));
    const mine = { source: "gateway", interact: answeringClient("session 1") } as const;
    await callBeside(bench, mine);
    expect((await ask(bench, "form", mine)).result).toEqual(FORTY);
    expect((await ask(bench, "roots", mine)).result).toEqual({ roots: [{ uri: "file:///mine" }] });
    expect(bench.questions).toEqual([]);
  });

  it.each([
    ["another client", "session 2"],
    ["a client that cannot be told from others", undefined],
  ])("is never answered by one of two callers: beside %s it goes to people, with each call named", async (_, other) => {
    const bench = openBench({ answer: () => FORTY });
    bench.connections.apply(script("asking", { askPeople: true }));
    const theirs = { executionId: "exec_theirs", toolName: "theirs", source: "gateway" } as const;
    await callBeside(bench, { ...theirs, interact: answeringClient(other) });
    const client = other === undefined ? undefined : "session 1";
    expect((await ask(bench, "form", { source: "gateway", interact: answeringClient(client) })).result).toEqual(FORTY);
    expect(bench.questions[0]?.question).toMatchObject({
      executionId: null,
      needsViewer: true,
      candidates: [
        { executionId: "exec_theirs", toolName: "theirs" },
        { executionId: "exec_test", toolName: "test__tool" },
      ],
    });
  });

  it("of which a user in the console made one needs no page that is open", async () => {
    const bench = openBench({ answer: () => FORTY });
    bench.connections.apply(script("asking"));
    await callBeside(bench, { executionId: "exec_theirs", source: "console" });
    expect((await ask(bench, "form", { source: "gateway", interact: answeringClient("session 1") })).result).toEqual(
      FORTY,
    );
    expect(bench.questions[0]?.question.candidates).toHaveLength(2);
    expect(bench.questions[0]?.question).not.toHaveProperty("needsViewer");
  });
});
