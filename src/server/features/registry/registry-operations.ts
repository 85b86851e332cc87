import { z } from "zod";
import {
  type RegistrySettings,
  type RegistryState,
  registrySettingsSchema,
  registryStateSchema,
} from "../../../lib/contract/registry";
import { rowNumber } from "../../../lib/contract/row-number";
import { act, operations, read } from "../../platform/api/operation";
import type { CommandPart } from "../../platform/api/operation-command";
import { readOrigin } from "../../platform/api/read-origin";

const origin = z.url().max(300);

export const registryOperations = operations(
  "registry",
  {
    get: read({
      rest: "GET /registry",
      summary: "Get the settings of the registry at /v0.1/servers, and its entries",
      allow: "read",
      input: z.object({ origin }),
      sentAs: { toInput: (context) => ({ origin: readOrigin(context) }) },
      output: registryStateSchema,
      run: ({ services, principal }, input) => services.registry.get(principal, input.origin),
      cli: {
        words: "registry",
        summary: "List the entries of the team's MCP registry at /v0.1/servers",
        examples: [
          ["toolroom registry", "what your token gets, as a table"],
          ["toolroom registry --json", "with the settings, as JSON"],
        ],
        print: describeRegistry,
      },
    }),
    save: act({
      rest: "PUT /registry",
      summary: "Replace the settings of the registry",
      allow: "administer",
      input: z.object({ origin, settings: registrySettingsSchema, revision: rowNumber.optional() }),
      sentAs: {
        body: registrySettingsSchema,
        toInput: (context, settings: RegistrySettings) => ({ settings, origin: readOrigin(context) }),
      },
      output: registryStateSchema,
      audit: {
        target: () => ({ kind: "registry", name: "registry" }),
        state: async ({ registry }, input, _result, by) => (await registry.get(by, input.origin)).settings,
      },
      run: ({ services, principal }, input) =>
        services.registry.save(principal, input.settings, input.origin, input.revision),
    }),
  },
  { under: "" },
);

function describeRegistry({ settings, entries, refused }: RegistryState): CommandPart[] {
  const rows = entries.map(({ server: { name, version, remotes, packages } }) => [
    name,
    version,
    remotes?.[0]?.url ?? `${packages?.[0]?.registryType}: ${packages?.[0]?.identifier}`,
  ]);
  return [
    { notes: [`The registry is ${settings.access}.`] },
    ...(rows.length === 0 ? [] : [{ head: ["NAME", "VERSION", "WHERE"], rows }]),
    { notes: refused.map(({ server, reason }) => `${server} is not published. ${reason}.`) },
  ];
}
