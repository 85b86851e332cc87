import { LOCAL_PRINCIPAL } from "../../lib/contract/access";
import type { InstanceTiming } from "../platform/coordination/postgres/instance-timing";
import { appRouter } from "./api/root";
import { currentContainer } from "./current-container";
import { startContainer } from "./start";

/** Started as a process of its own: a whole server without HTTP, which calls the procedures that it is sent. */
const { TEST_COPY_TIMING: timing } = process.env;
await startContainer(timing === undefined ? {} : { timing: JSON.parse(timing) as Partial<InstanceTiming> });
const container = await currentContainer();
const { services, stopping } = container;
const caller = appRouter.createCaller({
  actor: LOCAL_PRINCIPAL,
  refusal: null,
  sessionId: null,
  source: "console",
  services,
  recheck: async () => LOCAL_PRINCIPAL,
  stopping,
});

interface Request {
  id: number;
  procedure: string;
  input: unknown;
}

async function ask(procedure: string, input: unknown): Promise<unknown> {
  const call = procedure.split(".").reduce<unknown>((at, key) => Reflect.get(at as object, key), caller);
  return await (call as (input: unknown) => Promise<unknown>)(input);
}

process.on("message", ({ id, procedure, input }: Request) => {
  ask(procedure, input).then(
    (value) => process.send?.({ id, value }),
    (error: unknown) => process.send?.({ id, error: error instanceof Error ? error.message : String(error) }),
  );
});
process.on("disconnect", () => void container.close().then(() => process.exit(0)));
process.send?.({ ready: true });
