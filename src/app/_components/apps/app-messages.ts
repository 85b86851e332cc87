import * as z from "zod/mini";

const text = (max: number) => z.string().check(z.maxLength(max));
const params = z.optional(z.record(z.string(), z.unknown()));
const id = z.union([z.string().check(z.maxLength(200)), z.number()]);

/** A message of the protocol: a request, a notification, or the answer to a request of ours. */
export const messageSchema = z.union([
  z.object({ jsonrpc: z.literal("2.0"), id, method: text(200), params }),
  z.object({ jsonrpc: z.literal("2.0"), method: text(200), params }),
  z.object({ jsonrpc: z.literal("2.0"), id: z.number(), result: z.record(z.string(), z.unknown()) }),
  z.object({ jsonrpc: z.literal("2.0"), id: z.number(), error: z.unknown() }),
]);
export type AppMessage = z.infer<typeof messageSchema>;

const MODES = ["inline", "fullscreen", "pip"] as const;
export type DisplayMode = (typeof MODES)[number];

export const initializeParams = z.object({
  protocolVersion: z.optional(text(100)),
  appCapabilities: z.optional(z.object({ availableDisplayModes: z.optional(z.array(z.enum(MODES))) })),
});
export const callParams = z.object({
  name: text(200),
  arguments: z.optional(z.record(z.string(), z.unknown())),
});
export const readParams = z.object({ uri: text(8192) });
export const linkParams = z.object({ url: text(4096) });
export const modeParams = z.object({ mode: z.enum(MODES) });
export const sizeParams = z.object({ height: z.optional(z.number()) });
export const logParams = z.object({ level: text(20), data: z.unknown() });

const block = z.object({ type: z.string(), text: z.optional(z.string()) });
export const contextParams = z.object({
  content: z.optional(z.array(block)),
  structuredContent: z.optional(z.record(z.string(), z.unknown())),
});
/** The specification shows one block, its library sends a list. */
export const messageParams = z.object({ role: z.literal("user"), content: z.union([block, z.array(block)]) });
