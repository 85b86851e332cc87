import type { Command } from "commander";
import type { ApiToken } from "../../lib/contract/account";
import { formatDate } from "../../lib/format/relative-time";
import { openApi } from "./api-client";
import type { CommandIo } from "./command-io";
import { addServerOptions, defineCommand, type ServerOptions } from "./define-command";
import { formatTable, toTableStyle, write } from "./output";

export function addTokenCommands(program: Command, io: CommandIo): void {
  const token = program
    .command("token")
    .summary("List and revoke API tokens")
    .description("List and revoke API tokens. They are created in the console under Settings → Account.");
  token.addHelpText("after", "\nExamples:\n  toolroom token list\n  toolroom token revoke token_5f0c…");

  const list = defineCommand(token, {
    syntax: "list",
    summary: "List your API tokens; an admin gets everyone's",
    examples: [
      ["toolroom token list", "as a table"],
      ["toolroom token list --json", "with their limits, as JSON"],
    ],
  });
  addServerOptions(list, "print { items } as GET /api/v1/tokens has them").action((options: ServerOptions) =>
    listTokens(options, io),
  );

  const revoke = defineCommand(token, {
    syntax: "revoke <id>",
    summary: "Revoke an API token at once",
    examples: [
      ["toolroom token revoke token_5f0c…", "by the id of the list"],
      ["toolroom token revoke token_5f0c… --toolroom https://tools.example.com", "of another Toolroom"],
    ],
  });
  addServerOptions(revoke).action((id: string, options: ServerOptions) => revokeToken(id, options, io));
}

async function listTokens({ json, ...choice }: ServerOptions, io: CommandIo): Promise<void> {
  const api = await openApi(choice, io);
  const items = await api.list<ApiToken>("/tokens");
  if (json) return await write(io.stdout, `${JSON.stringify({ items })}\n`);
  if (items.length === 0) return await write(io.stderr, "No API tokens.\n");
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const toDay = (at: number | null): string => (at === null ? "never" : formatDate(at, zone));
  const rows = items.map((each) => [
    ...[each.id, each.name, each.ownerName, each.scopes.join(" "), toDay(each.expiresAt), toDay(each.lastUsedAt)],
  ]);
  await write(
    io.stdout,
    formatTable(["ID", "NAME", "OWNER", "SCOPES", "EXPIRES", "LAST USED"], rows, toTableStyle(io)),
  );
}

async function revokeToken(id: string, choice: ServerOptions, io: CommandIo): Promise<void> {
  const api = await openApi(choice, io);
  await api.sendText("DELETE", `/tokens/${encodeURIComponent(id)}`);
  await write(io.stdout, `Revoked ${id}.\n`);
}
