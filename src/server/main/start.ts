import { getMessage } from "../../lib/get-message";
import { collectAtRest } from "../platform/collect-at-rest";
import { createContainer } from "./container";
import { installContainer } from "./current-container";
import { type Env, readEnv } from "./env";

/** Creates the container, or ends the process: Next alone would answer every request with 500. */
export async function startContainer(): Promise<void> {
  try {
    await installContainer(async () => {
      const env = readEnv();
      return await createContainer(env, { address: formatAddress(env) });
    });
    collectAtRest();
  } catch (error) {
    process.stderr.write(`Toolroom could not start: ${getMessage(error)}\n`);
    process.exit(1);
  }
}

/** A server that listens everywhere is reached by its loopback name. */
function formatAddress({ host, port }: Env): string {
  const name = ["0.0.0.0", "::"].includes(host) ? "localhost" : host;
  return `http://${name.includes(":") ? `[${name}]` : name}:${port}`;
}
