import { pino } from "pino";
import type { Env } from "./env";

/** Structured lines on stderr: stdout belongs to what the server says to people. */
export function createLogger(env: Pick<Env, "logLevel">, withoutSecrets = (line: string): string => line) {
  const hooks = { streamWrite: withoutSecrets };
  return pino({ level: env.logLevel, base: null, hooks }, pino.destination({ fd: 2, sync: false }));
}
