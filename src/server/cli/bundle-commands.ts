import type { Command } from "commander";
import type { OpenedBundle } from "../../lib/contract/execution-bundle";
import { openApi } from "./api-client";
import { readPayload } from "./call-command";
import type { CommandIo } from "./command-io";
import { addServerOptions, defineCommand, type ServerOptions } from "./define-command";
import { pour } from "./file-commands";
import { write, writeJson } from "./output";

const TOOL = {
  same: "The tool here is the one of the bundle.",
  different: "The tool here differs from the one of the bundle.",
  missing: "There is no such tool here: `toolroom import` adds the one of the bundle.",
} as const satisfies Record<OpenedBundle["tool"], string>;

export function addBundleCommands(executions: Command, io: CommandIo): void {
  const bundle = defineCommand(executions, {
    syntax: "bundle <id>",
    summary: "Export a call as a file that another Toolroom opens",
    details:
      "With its definition, result, error and log, and the tool or the server that it needs. It names no user, and values that are " +
      "stored masked stay masked.",
    examples: [
      ["toolroom executions bundle exec_7hJ2kQ9w > call.json", "for a colleague, or a bug report"],
      ["toolroom executions bundle exec_7hJ2kQ9w -o call.json", "the same, readable only by you"],
    ],
  }).option("-o, --output <file>", "write into this file; default: stdout");
  addServerOptions(bundle).action(async (id: string, { output, ...choice }: ServerOptions & { output?: string }) => {
    const api = await openApi(choice, io);
    await pour(await api.stream(`/executions/${encodeURIComponent(id)}/bundle`, {}), output, io);
  });

  const open = defineCommand(executions, {
    syntax: "open <file>",
    summary: "Open the bundle of a call: it is recorded here, in no figure",
    details: "`toolroom import` with the same file adds its tool or its server. - reads stdin.",
    examples: [
      ["toolroom executions open call.json", "print the id that the call has here"],
      ["toolroom executions open call.json --json", "the id, and whether the tool is here, as JSON"],
    ],
  });
  addServerOptions(open, "print what POST /api/v1/executions/bundles answers").action(
    async (file: string, { json, ...choice }: ServerOptions) => {
      const text = await readPayload(file === "-" ? "-" : `@${file}`, io);
      const api = await openApi(choice, io);
      const answer = await api.sendText("POST", "/executions/bundles", JSON.stringify({ text }));
      if (json) return await writeJson(io, answer);
      const { id, tool } = JSON.parse(answer) as OpenedBundle;
      await write(io.stderr, `${TOOL[tool]}\n`);
      await write(io.stdout, `${id}\n`);
    },
  );
}
