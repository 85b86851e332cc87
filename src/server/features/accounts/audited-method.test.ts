import { describe, expect, it } from "vitest";
import { LOCAL_PRINCIPAL } from "../../../lib/contract/access";
import type { Actor } from "../../../lib/contract/actor";
import { AppError } from "../../platform/shared/app-error";
import type { ServiceRules } from "../../platform/shared/method-rules";
import type { AuditEvent } from "../audit/audit-log";
import { guardServices } from "./guard-services";

function open(record: (event: AuditEvent) => Promise<void> = async () => undefined) {
  const events: AuditEvent[] = [];
  const names = new Map([["echo", { enabled: true }]]);
  const things = {
    async rename(_actor: Actor, name: string, next: string): Promise<{ name: string }> {
      const thing = names.get(name);
      if (thing === undefined) throw new AppError("NOT_FOUND", `There is no '${name}'`);
      names.delete(name);
      names.set(next, thing);
      return { name: next };
    },
    async remove(_actor: Actor, name: string): Promise<void> {
      names.delete(name);
    },
    async crash(_actor: Actor): Promise<void> {
      throw new Error("secret detail");
    },
    async limit(_actor: Actor): Promise<void> {
      throw new AppError("DENIED", "a token cannot do this");
    },
  };
  const rules: ServiceRules<{ things: typeof things }> = {
    things: {
      rename: {
        permission: "edit",
        target: ([name], made) => ({ kind: "thing", name: made?.name ?? name }),
        state: ([name], made) => ({ name: made?.name ?? name, ...names.get(made?.name ?? name) }),
      },
      remove: { permission: "edit", target: ([name]) => ({ kind: "thing", name }), state: ([name]) => names.get(name) },
      crash: { permission: "run" },
      limit: { permission: "read", unrecorded: "It changes nothing" },
    },
  };
  const services = guardServices(
    { things },
    {
      rules,
      audit: {
        async record(event) {
          await record(event);
          events.push(event);
        },
      },
    },
  );
  return { services, events, names };
}

describe("a method behind the guard", () => {
  it("leaves an entry with its target before and after, before its caller gets the answer", async () => {
    const { services, events } = open();
    await services.things.rename(LOCAL_PRINCIPAL, "echo", "shout");
    await services.things.remove(LOCAL_PRINCIPAL, "shout");
    expect(events).toEqual([
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
    const { services, events } = open();
    await expect(services.things.rename(LOCAL_PRINCIPAL, "gone", "x")).rejects.toThrow("There is no 'gone'");
    await expect(services.things.crash(LOCAL_PRINCIPAL)).rejects.toThrow("secret detail");
    expect(events.map(({ outcome, error, target }) => [outcome, error, target?.name])).toEqual([
      ["failed", "There is no 'gone'", "gone"],
      ["failed", "An internal error; the server's log has it", undefined],
    ]);
  });

  it("leaves an entry when it is denied, by the guard or by the service, also where it would leave none", async () => {
    const { services, events, names } = open();
    const viewer = { ...LOCAL_PRINCIPAL, role: "viewer" as const };
    await expect(services.things.remove(viewer, "echo")).rejects.toMatchObject({ code: "DENIED" });
    await expect(services.things.limit(viewer)).rejects.toMatchObject({ code: "DENIED" });
    expect(names.has("echo")).toBe(true);
    expect(events.map(({ action, outcome }) => [action, outcome])).toEqual([
      ["things.remove", "denied"],
      ["things.limit", "denied"],
    ]);
  });

  it("says that the change was made where its entry cannot be written, and stays denied where it was denied", async () => {
    const { services, names } = open(() => Promise.reject(new Error("disk full")));
    await expect(services.things.remove(LOCAL_PRINCIPAL, "echo")).rejects.toMatchObject({
      code: "UNAVAILABLE",
      message: expect.stringMatching(/change was made.*disk full/),
    });
    expect(names.has("echo")).toBe(false);
    const viewer = { ...LOCAL_PRINCIPAL, role: "viewer" as const };
    await expect(services.things.remove(viewer, "echo")).rejects.toMatchObject({ code: "DENIED" });
  });
});

it("a permission that depends on what is stored is judged again right before the method begins", async () => {
  let mode = "open";
  const ran: string[] = [];
  const tools = {
    async setMode(_actor: Actor, next: string): Promise<void> {
      ran.push(next);
    },
  };
  const services = guardServices(
    { tools },
    {
      rules: {
        tools: {
          setMode: {
            permission: () => (mode === "open" ? "edit" : "administer"),
            // Another request changes the setting while the state before it is read.
            state: async () => {
              mode = "guarded";
            },
          },
        },
      },
      audit: { record: async () => undefined },
    },
  );
  const editor = { ...LOCAL_PRINCIPAL, role: "editor" as const };
  await expect(services.tools.setMode(editor, "never")).rejects.toMatchObject({ code: "DENIED" });
  expect(ran).toEqual([]);
});
