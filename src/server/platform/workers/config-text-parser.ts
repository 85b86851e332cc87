import type { ParseConfigText, ParsedConfigText } from "../../engine/mcp-ports";
import { BoundedWorker } from "./bounded-worker";
import { createStart, WORKERS } from "./start-worker";

/** YAML of a million characters takes a second on an idle machine. */
const LIMIT_MS = 5000;

/** Parses the configurations that users paste in a separate process, one text at a time. */
export function createConfigTextParser({ home, limitMs = LIMIT_MS }: { home: string; limitMs?: number }) {
  const start = createStart(home, WORKERS.configText);
  const worker = new BoundedWorker({ start, limitMs, exitReason: "", maxWaiting: 20, idleMs: 10_000 });
  const parse: ParseConfigText = async (text) => {
    const answer = await worker.run(text);
    if (answer.kind === "answer") return answer.value as ParsedConfigText;
    if (answer.kind === "timeout") return { unread: `it takes longer than ${limitMs / 1000} s` };
    if (answer.kind === "died") return { unread: "it is nested too deeply, or takes too much memory" };
    return { unread: "the server is busy" };
  };
  return { parse, close: () => worker.close() };
}
