import type { Command } from "commander";
import { usageError } from "../command-error";
import { CLIENTS, type Client } from "./clients";
import { unwrapClients } from "./unwrap-clients";
import { type WrapOptions, wrapClients } from "./wrap-clients";
import type { PlaceOptions, WrapIo } from "./wrap-io";

const WRAP_EXAMPLES = `
Examples:
  toolroom wrap --dry-run             # say what would change, and change nothing
  toolroom wrap cursor --server files # one server of one client

Clients: ${CLIENTS.map(({ id }) => id).join(", ")}`;
const UNWRAP_EXAMPLES = `
Examples:
  toolroom unwrap             # every file
  toolroom unwrap claude-code # those of one client`;

/** `wrap` and `unwrap`: the servers of other clients, into Toolroom and back. */
export function registerWrapCommands(program: Command, io: WrapIo): void {
  program
    .command("wrap")
    .summary("Move the servers of the MCP clients on this machine into Toolroom")
    .description(
      "Move the servers of the MCP clients on this machine into Toolroom, and put Toolroom in their place.\n\n" +
        "Shows what would change and asks first. A server that does not connect to Toolroom stays with its client. Tools keep " +
        "their names, and toolroom unwrap takes it back.",
    )
    .argument("[client]", "only this client")
    .option("--dry-run", "say what would change, and change nothing")
    .option("--server <name>", "only the server of this name")
    .option("--config <file>", "only this file, wherever it is")
    .option("-y, --yes", "do not ask before the files change")
    .option("--no-wait", "move servers without waiting for their first connection")
    .option("--data <folder>", "the Toolroom whose data is in this folder")
    .option("--json", "print what was done, or would be")
    .addHelpText("after", WRAP_EXAMPLES)
    .action((client: string | undefined, options: WrapOptions) => wrapClients(io, findClient(client), options));
  program
    .command("unwrap")
    .summary("Give the MCP clients on this machine their servers back")
    .description("Give the MCP clients on this machine their servers back.\n\nWhat they changed since stays.")
    .argument("[client]", "only this client")
    .option("-y, --yes", "for scripts that pass it to both commands; unwrap never asks")
    .option("--data <folder>", "the Toolroom whose data is in this folder")
    .option("--json", "print what was done")
    .addHelpText("after", UNWRAP_EXAMPLES)
    .action((client: string | undefined, options: PlaceOptions) => unwrapClients(io, findClient(client), options));
}

function findClient(id: string | undefined): Client | null {
  if (id === undefined) return null;
  const client = CLIENTS.find((each) => each.id === id);
  if (client !== undefined) return client;
  throw usageError(`There is no client '${id}'.`, `Use one of: ${CLIENTS.map((each) => each.id).join(", ")}`);
}
