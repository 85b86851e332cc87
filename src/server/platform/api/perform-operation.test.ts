import { describe, expect, it } from "vitest";
import { z } from "zod";
import { LOCAL_PRINCIPAL, type Principal } from "../../../lib/contract/access";
import { AppError } from "../shared/app-error";
import { type AnyOperation, act, type OperationContext } from "./operation";
import { performOperation } from "./perform-operation";
import type { ApiContext } from "./route";

interface Entry {
  action: string;
  outcome: string;
  target?: { name: string } | null;
  error?: string;
}

const named = z.object({ name: z.string() });

function open(record: (entry: Entry) => Promise<void> = async () => undefined) {
  const entries: Entry[] = [];
  const names = new Map([["echo", { enabled: true }]]);
  const keep = async (entry: Entry): Promise<void> => {
    await record(entry);
    entries.push(entry);
  };
  const acting = { audit: { record: keep }, answered: (work: () => unknown) => work() };
  const operations: Record<string, AnyOperation> = {
    rename: act({
      rest: "PUT /things/{name}",
      summary: "Rename a thing",
      allow: "edit",
      input: named.extend({ next: z.string() }),
      audit: {
        target: ({ name }, made) => ({ kind: "thing", name: (made as { name: string } | undefined)?.name ?? name }),
        state: (_services, { name }, made) => {
          const now = (made as { name: string } | undefined)?.name ?? name;
          return { name: now, ...names.get(now) };
        },
      },
      async run(_context, { name, next }) {
        const thing = names.get(name);
        if (thing === undefined) throw new AppError("NOT_FOUND", `There is no '${name}'`);
        names.delete(name);
        names.set(next, thing);
        return { name: next };
      },
    }),
    remove: act({
      rest: "DELETE /things/{name}",
      summary: "Remove a thing",
      allow: "edit",
      input: named,
      audit: { target: ({ name }) => ({ kind: "thing", name }), state: (_services, { name }) => names.get(name) },
      run: (_context, { name }) => void names.delete(name),
    }),
    crash: act({
      rest: "POST /things/crash",
      summary: "Fail",
      allow: "run",
      audit: { target: () => null },
      run() {
        throw new Error("secret detail");
      },
    }),
    limit: act({
      rest: "POST /things/limit",
      summary: "Refuse",
      allow: "read",
      audit: { unrecorded: "It changes nothing" },
      run() {
        throw new AppError("DENIED", "a token cannot do this");
      },
    }),
  };
  const perform = (name: string, actor: Principal, input: object = {}) =>
    performOperation(
      `things.${name}`,
      operations[name] as AnyOperation,
      { actor, services: { acting }, source: "api" } as unknown as ApiContext,
      input,
    );
  return { perform, operations, entries, names, acting };
}

const VIEWER: Principal = { ...LOCAL_PRINCIPAL, role: "viewer" };

describe("an operation", () => {
  it("leaves an entry with its target before and after, before its caller gets the answer", async () => {
    const { perform, entries } = open();
    await perform("rename", LOCAL_PRINCIPAL, { name: "echo", next: "shout" });
    await perform("remove", LOCAL_PRINCIPAL, { name: "shout" });
    expect(entries).toEqual([
      {
        by: LOCAL_PRINCIPAL,
        action: "things.rename",
        target: { kind: "thing", name: "shout" },
        outcome: "done",
        before: { name: "echo", enabled: true },
        after: { name: "shout", enabled: true },
      },
      expect.objectContaining({ action: "things.remove", before: { enabled: true }, after: undefined }),
    ]);
  });

  it("leaves an entry when it fails, without what an internal error says", async () => {
    const { perform, entries } = open();
    await expect(perform("rename", LOCAL_PRINCIPAL, { name: "gone", next: "x" })).rejects.toThrow("There is no 'gone'");
    await expect(perform("crash", LOCAL_PRINCIPAL)).rejects.toThrow("secret detail");
    expect(entries.map(({ outcome, error, target }) => [outcome, error, target?.name])).toEqual([
      ["failed", "There is no 'gone'", "gone"],
      ["failed", "An internal error; the server's log has it", undefined],
    ]);
  });

  it("leaves an entry when it is denied, by its declaration or by the service, also where it would leave none", async () => {
    const { perform, entries, names } = open();
    await expect(perform("remove", VIEWER, { name: "echo" })).rejects.toMatchObject({ code: "DENIED" });
    await expect(perform("limit", VIEWER)).rejects.toMatchObject({ code: "DENIED" });
    expect(names.has("echo")).toBe(true);
    expect(entries.map(({ action, outcome }) => [action, outcome])).toEqual([
      ["things.remove", "denied"],
      ["things.limit", "denied"],
    ]);
  });

  it("says that the change was made where its entry cannot be written, and stays denied where it was denied", async () => {
    const { perform, names } = open(() => Promise.reject(new Error("disk full")));
    await expect(perform("remove", LOCAL_PRINCIPAL, { name: "echo" })).rejects.toMatchObject({
      code: "UNAVAILABLE",
      message: expect.stringMatching(/change was made.*disk full/),
    });
    expect(names.has("echo")).toBe(false);
    await expect(perform("remove", VIEWER, { name: "echo" })).rejects.toMatchObject({ code: "DENIED" });
  });

  it("has a permission that depends on what is stored checked again right before it begins", async () => {
    let mode = "open";
    const ran: OperationContext[] = [];
    const { acting } = open();
    const setMode = act({
      rest: "PUT /things/mode",
      summary: "Set the mode",
      allow: "edit",
      demand: () => (mode === "open" ? "edit" : "administer"),
      audit: {
        target: () => null,
        // Another request changes the setting while the state before it is read.
        state: async () => {
          mode = "guarded";
        },
      },
      run: (context) => void ran.push(context),
    });
    const editor: Principal = { ...LOCAL_PRINCIPAL, role: "editor" };
    const context = { actor: editor, services: { acting }, source: "api" } as unknown as ApiContext;
    await expect(performOperation("things.setMode", setMode, context, {})).rejects.toMatchObject({ code: "DENIED" });
    expect(ran).toEqual([]);
  });
});
