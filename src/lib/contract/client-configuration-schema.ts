import { z } from "zod";
import { type ClientConfigurations, CONNECT_CLIENTS } from "./client-configuration";
import { CLIENT_TRANSPORTS } from "./client-transport";

export const clientConfigurationsSchema = z.object({
  items: z.array(
    z.object({
      client: z.enum(CONNECT_CLIENTS.map(({ id }) => id)),
      label: z.string(),
      transport: z.enum(CLIENT_TRANSPORTS),
      place: z.string().describe("Where the text goes"),
      language: z.enum(["json", "shell", "yaml", "toml"]),
      text: z.string(),
      powershell: z
        .string()
        .nullable()
        .describe("The same command for PowerShell, where it runs on the machine of the reader; else null"),
      install: z
        .string()
        .nullable()
        .describe("An address that opens the client and asks whether to add Toolroom; null where it has none"),
      needsToken: z.boolean().describe("The text has the placeholder of a token"),
    }),
  ),
  wrap: z
    .string()
    .nullable()
    .describe("The command that moves the servers of the clients on this machine here; null elsewhere"),
}) satisfies z.ZodType<ClientConfigurations>;
