import { EventEmitter, once } from "node:events";
import { type LiveEvent, LOCAL_PRINCIPAL } from "../../lib/contract";
import { appRouter } from "../api/root";
import { POLL_MS } from "../db/sqlite/coordination/write-notices";
import { createContainer } from "./container";
import { readEnv } from "./env";

/** Started as a process of its own: a whole server without HTTP, which calls the procedures that it is sent. */
const container = await createContainer(readEnv());
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

export interface Condition {
  procedure: string;
  input?: unknown;
  /** In the answer as JSON, or in the error's message. */
  text: string;
  isAbsent?: boolean;
}

/** What open tabs of this process would hear. */
const heard: LiveEvent[] = [];
container.live.open(null, {
  write(message) {
    const data = /\ndata: (.*)/.exec(message.toString())?.[1];
    heard.push(...(JSON.parse(data ?? "[]") as LiveEvent[]));
    return true;
  },
  end: () => undefined,
});

/** Same event loop, same interval as the server's own look at the database: one tick is one look. */
const ticks = new EventEmitter();
setInterval(() => ticks.emit("tick"), POLL_MS).unref();

async function ask(procedure: string, input: unknown): Promise<unknown> {
  if (procedure === "test.heard") return heard;
  if (procedure === "test.looksUntil") return await countLooks(input as Condition);
  const call = procedure.split(".").reduce<unknown>((at, key) => Reflect.get(at as object, key), caller);
  return await (call as (input: unknown) => Promise<unknown>)(input);
}

/** How often this process looks at the database until the condition is met. */
async function countLooks({ procedure, input, text, isAbsent = false }: Condition): Promise<number> {
  for (let looks = 0; ; looks += 1) {
    const answer = await ask(procedure, input).then(JSON.stringify, (error: Error) => error.message);
    if (answer.includes(text) !== isAbsent) return looks;
    await once(ticks, "tick");
  }
}

process.on("message", ({ id, procedure, input }: Request) => {
  ask(procedure, input).then(
    (value) => process.send?.({ id, value }),
    (error: unknown) => process.send?.({ id, error: error instanceof Error ? error.message : String(error) }),
  );
});
process.on("disconnect", () => void container.close().then(() => process.exit(0)));
process.send?.({ ready: true });
