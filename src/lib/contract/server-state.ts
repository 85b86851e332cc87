import { z } from "zod";
import { pauseSchema } from "./pause";

/** The state of a running server, as `toolroom doctor` reports it. */
export const serverStateSchema = z.object({
  version: z.string(),
  node: z.string(),
  database: z.string().describe("The product, such as SQLite 3.50.4 (node:sqlite)"),
  databaseProblem: z.string().nullable().describe("Why the database cannot be used, with the way out"),
  diskWarning: z.string().nullable(),
  paused: pauseSchema.nullable().describe("Why the server does nothing unasked"),
  problems: z
    .array(z.object({ name: z.string().nullable(), error: z.string() }))
    .describe("Stored things that could not be read"),
});
export type ServerState = z.infer<typeof serverStateSchema>;
