import { z } from "zod";

/** How a server introduces itself. */
export const serverPeerSchema = z.object({
  name: z.string(),
  version: z.string(),
  title: z.string().optional(),
  description: z.string().optional(),
  websiteUrl: z.string().optional(),
  /** For the gateway's clients: pages load the image that they show, programs get none. */
  icons: z
    .array(
      z.object({
        src: z.string(),
        mimeType: z.string().optional(),
        sizes: z.array(z.string()).optional(),
        theme: z.enum(["light", "dark"]).optional(),
      }),
    )
    .optional(),
});
export type ServerPeer = z.infer<typeof serverPeerSchema>;

export const CONNECTION_STATUSES = [
  "disabled",
  "connecting",
  "connected",
  "disconnected",
  "failed",
  "sign_in_needed",
  "idle",
] as const;
export type ConnectionStatus = (typeof CONNECTION_STATUSES)[number];

/** Times are epoch milliseconds. */
export const connectionStateSchema = z.object({
  /**
   * `disconnected` retries automatically at `nextAttemptAt`; `failed` needs a change of the settings; `idle`: the next call
   * of the reader opens a connection with personal credentials.
   */
  status: z.enum(CONNECTION_STATUSES),
  /** Why it is not connected, or cannot list its tools; null while all is well. */
  reason: z.string().nullable(),
  nextAttemptAt: z.number().nullable(),
  /** Attempts since the last success. */
  attempts: z.number().int(),
  connectedAt: z.number().nullable(),
  /** When the current attempt began; null while there is none. */
  connectingSince: z.number().nullable(),
  protocolVersion: z.string().nullable(),
  peer: serverPeerSchema.nullable(),
  instructions: z.string().nullable(),
  /** The capabilities that the server declares: `tools`, `resources`, `prompts`, `logging`, … */
  capabilities: z.array(z.string()),
  pid: z.number().int().nullable(),
  /** Duration of the last ping; null if there was none. */
  pingMs: z.number().nullable(),
});
export type ConnectionState = z.infer<typeof connectionStateSchema>;

/** The fields that are reset when a connection closes. */
export const NO_CONNECTION = {
  connectedAt: null,
  connectingSince: null,
  protocolVersion: null,
  peer: null,
  instructions: null,
  capabilities: [],
  pid: null,
  pingMs: null,
};

export const DISABLED_CONNECTION: ConnectionState = {
  ...NO_CONNECTION,
  status: "disabled",
  reason: null,
  nextAttemptAt: null,
  attempts: 0,
};
