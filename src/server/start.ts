import { messageOf } from "../lib/message-of";
import { createContainer } from "./container";
import { installContainer } from "./current-container";
import { readEnv } from "./env";

/** Makes the container, or ends the process: Next would go on and answer 500 to everything. */
export async function startContainer(): Promise<void> {
  try {
    await installContainer(() => createContainer(readEnv()));
  } catch (error) {
    process.stderr.write(`Toolroom could not start: ${messageOf(error)}\n`);
    process.exit(1);
  }
}
