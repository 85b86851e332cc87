/** @template T @typedef {T | Promise<T>} Awaitable */

/**
 * @typedef {object} ToolContext
 * @property {import("../zwave/session.mjs").Session} session
 * @property {AbortSignal} signal aborted when the client no longer wants the answer
 */

/**
 * @template {import("zod").ZodObject} Input
 * @template {import("zod").ZodObject} Output
 * @typedef {object} Tool
 * @property {string} name
 * @property {string} title
 * @property {string} description
 * @property {Input} input
 * @property {Output} output
 * @property {import("@modelcontextprotocol/sdk/types.js").ToolAnnotations} annotations
 * @property {(args: import("zod").infer<Input>, context: ToolContext) => Awaitable<import("zod").infer<Output>>} run
 */

/**
 * Ties a tool's function to its schemas.
 * @template {import("zod").ZodObject} Input
 * @template {import("zod").ZodObject} Output
 * @param {Tool<Input, Output>} tool
 */
export const defineTool = (tool) => tool;
