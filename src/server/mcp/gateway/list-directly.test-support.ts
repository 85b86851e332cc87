import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

/**
 * A server's lists as they come over its standard output; empty where it has none.
 * @param lists by the key of the result, such as `tools`, the method that asks for it
 */
export async function listDirectly<Key extends string>(
  args: readonly string[],
  lists: Readonly<Record<Key, string>>,
  env: NodeJS.ProcessEnv = process.env,
): Promise<Record<Key, (Record<string, unknown> & { name: string })[]>> {
  const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "ignore"], env });
  try {
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
    const answer = async (id: number) => {
      for (;;) {
        const message = JSON.parse((await lines.next()).value ?? "null");
        if (message.id === id && message.method === undefined) return message.result;
      }
    };
    const capabilities = { roots: {}, elicitation: { form: {}, url: {} }, sampling: {} };
    const clientInfo = { name: "direct", version: "1" };
    send({ id: 1, method: "initialize", params: { protocolVersion: "2025-11-25", capabilities, clientInfo } });
    await answer(1);
    send({ method: "notifications/initialized" });
    const listed = {} as Record<Key, (Record<string, unknown> & { name: string })[]>;
    for (const [at, [key, method]] of (Object.entries(lists) as [Key, string][]).entries()) {
      send({ id: 10 + at, method });
      listed[key] = (await answer(10 + at))?.[key] ?? [];
    }
    return listed;
  } finally {
    child.kill();
  }
}

/** A tool as Toolroom serves it: either way, as a task or not, unless its server forbids tasks. */
export function withServedExecution<T extends Record<string, unknown>>({ execution, ...tool }: T, protocol: string) {
  if (protocol !== "2025-11-25") return tool;
  const own = (execution ?? {}) as Record<string, unknown>;
  return { ...tool, execution: { ...own, taskSupport: own.taskSupport === "forbidden" ? "forbidden" : "optional" } };
}
