import type { ServerSettingsInput } from "@/lib/contract/server";

/** Settings to begin with, by the `template` of the address. */
const TEMPLATES = new Map<string, { settings: ServerSettingsInput; about: string }>([
  [
    "zwave",
    {
      settings: {
        name: "zwave",
        title: "Z-Wave sample",
        transport: "stdio",
        command: "node",
        args: ["examples/zwave-mcp-server/start.mjs"],
      },
      about:
        "The sample server that comes with Toolroom: a smart home whose devices can be listed and switched. Add it as it is.",
    },
  ],
]);

export function serverTemplate(name: string | null): { settings: ServerSettingsInput; about: string } | null {
  return name === null ? null : (TEMPLATES.get(name) ?? null);
}
