const LABELS: Readonly<Record<string, string>> = { mcp: "MCP", openapi: "OpenAPI" };

/** The label of an implementation type. */
export const formatImplementation = (type: string): string => LABELS[type] ?? type;
