import { getMessage } from "../../lib/get-message";
import { collectAtRest, limitHeapGrowth } from "../platform/collect-at-rest";
import { type ContainerOptions, createContainer } from "./container";
import { installContainer } from "./current-container";
import { installRouter } from "./current-router";
import { type Env, readEnv } from "./env";
import { OWN_TOOLS } from "./own-tools";

/** "Temporary failure": a supervisor starts the process again. */
const TO_BE_RESTARTED = 75;

/** Creates the container, or ends the process: Next alone would answer every request with 500. */
export async function startContainer(options: Pick<ContainerOptions, "timing"> = {}): Promise<void> {
  limitHeapGrowth();
  installRouter(async () => (await import("./api/root")).appRouter);
  try {
    const { expelled } = await installContainer(async () => {
      const env = readEnv();
      return await createContainer(env, {
        ...options,
        ownTools: OWN_TOOLS,
        address: formatAddress(env),
      });
    });
    void expelled.then(() => process.exit(TO_BE_RESTARTED));
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
