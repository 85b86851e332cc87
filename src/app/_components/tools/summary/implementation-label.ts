const LABELS: Readonly<Record<string, string>> = { mcp: "MCP", openapi: "OpenAPI" };

/** How people call an implementation type. */
export const formatImplementation = (type: string): string => LABELS[type] ?? type;
