import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { bundleServerCode } from "../../../scripts/server-code.mjs";
import type { ExecutionDetail } from "../../lib/contract/execution";

const CHILD = "src/server/main/server-process.test-support.ts";

/** A server in a process of its own. */
export class ServerProcess {
  readonly #pending = new Map<number, { resolve(value: unknown): void; reject(reason: Error): void }>();
  #calls = 0;

  constructor(readonly child: ChildProcess) {
    child.on("message", (message: { id: number; value?: unknown; error?: string }) => {
      const pending = this.#pending.get(message.id);
      this.#pending.delete(message.id);
      if (message.error === undefined) pending?.resolve(message.value);
      else pending?.reject(new Error(message.error));
    });
  }

  call<T>(procedure: string, input: unknown): Promise<T> {
    this.#calls += 1;
    const id = this.#calls;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve: resolve as (value: unknown) => void, reject });
      this.child.send({ id, procedure, input });
    });
  }

  run(name: string, args: object, more: object = {}): Promise<ExecutionDetail> {
    return this.call("executions.run", { name, argumentsText: JSON.stringify(args), ...more });
  }

  async getStatus(id: string): Promise<string> {
    return (await this.call<ExecutionDetail>("executions.get", { id })).status;
  }

  /** Closes it as a signal would. */
  async stop(): Promise<void> {
    const { exitCode, signalCode } = this.child;
    if (exitCode !== null || signalCode !== null) return;
    const ended = once(this.child, "exit");
    this.child.disconnect();
    await ended;
  }
}

type Variables = NodeJS.ProcessEnv;

export const spawnServer = async (env: Variables): Promise<ChildProcess> =>
  spawn(process.execPath, [await bundleServerCode(CHILD)], { stdio: ["ignore", "ignore", "pipe", "ipc"], env });

export async function startServer(env: Variables): Promise<ServerProcess> {
  const child = await spawnServer(env);
  child.stderr?.pipe(process.stderr);
  const failed = once(child, "exit").then(() => Promise.reject(new Error("The process ended while it started")));
  await Promise.race([once(child, "message"), failed]);
  failed.catch(() => undefined);
  return new ServerProcess(child);
}
