import { expect, it } from "vitest";
import { LOCAL_PRINCIPAL, type Principal } from "../../../lib/contract/access";
import { waitUntil } from "../../../lib/wait-until.test-support";
import { engineWith } from "../../engine/executor/executor.test-support";
import { createSealedSingle, createSingle } from "../../platform/coordination/single-copy.test-support";
import { systemClock } from "../executions/execution.test-support";
import { ConsoleViewers } from "./console-viewers";
import { createInteractionService } from "./interaction-service";

const ADA: Principal = { ...LOCAL_PRINCIPAL, id: "ada" };
const TOKEN = { id: "t", scopes: ["run" as const], tools: null, servers: null };

function open() {
  const viewers = new ConsoleViewers({ ...createSingle(), graceMs: 1 });
  const { validator, limits } = engineWith();
  const service = createInteractionService({
    validator,
    limits,
    viewers,
    clock: systemClock,
    ...createSealedSingle(),
    newId: () => "ask_1",
    onChange: () => undefined,
  });
  const ask = (user?: string) =>
    service.broker.ask(
      {
        server: "files",
        executionId: "exec_1",
        toolName: "read",
        needsViewer: true,
        ...(user === undefined ? {} : { person: user }),
        request: { kind: "form", message: "Colour?", schema: { type: "object" } },
      },
      new AbortController().signal,
    );
  return { viewers, service, ask };
}

it("a question that needs an open page is rejected without one, and with those of readers who cannot answer it", async () => {
  const { viewers, ask, service } = open();
  await expect(ask()).rejects.toMatchObject({ name: "NoViewer" });
  viewers.add({ ...ADA, role: "viewer" });
  viewers.add({ ...ADA, token: TOKEN });
  await expect(ask()).rejects.toMatchObject({ name: "NoViewer" });
  viewers.add(ADA);
  await expect(ask("bob")).rejects.toMatchObject({ name: "NoViewer" });
  const asked = ask("ada");
  await service.answer(ADA, "ask_1", { action: "decline" });
  expect(await asked).toEqual({ action: "decline" });
});

it("a question that waits is rejected once the last page is closed, and not before", async () => {
  const { viewers, ask, service } = open();
  const closeFirst = viewers.add(null);
  const closeLast = viewers.add(null);
  let error: unknown = null;
  const asked = ask().catch((thrown: unknown) => {
    error = thrown;
  });
  let left = 0;
  viewers.onLeave(() => {
    left += 1;
  });
  closeFirst();
  await waitUntil(() => left === 1);
  expect((await service.list()).length).toBe(1);
  closeLast();
  await asked;
  expect(error).toMatchObject({ name: "NoViewer" });
  expect(await service.list()).toEqual([]);
});
