import { messageOf } from "../../lib/message-of";
import { collectAtRest } from "../adapters/collect-at-rest";
import { createContainer } from "./container";
import { installContainer } from "./current-container";
import { readEnv } from "./env";

/** Creates the container, or ends the process: Next alone would answer every request with 500. */
export async function startContainer(): Promise<void> {
  try {
    await installContainer(() => createContainer(readEnv()));
    collectAtRest();
  } catch (error) {
    process.stderr.write(`Toolroom could not start: ${messageOf(error)}\n`);
    process.exit(1);
  }
}
