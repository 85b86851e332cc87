interface Source {
  url: string;
  /** The day on which it was read. */
  readOn: string;
}

/** The addresses at which the rules of clients are written: documentation, source code, and issues. */
export const CLIENT_SOURCES = {
  claudeCodeMcp: { url: "https://code.claude.com/docs/en/mcp", readOn: "2026-10-05" },
  claudeCodeSkills: { url: "https://github.com/anthropics/claude-code/issues/27070", readOn: "2026-12-01" },
  claudeCodeRoot: { url: "https://github.com/anthropics/claude-code/issues/40075", readOn: "2026-11-30" },
  claudeCodeElicitation: {
    url: "https://github.com/anthropics/claude-code/blob/main/CHANGELOG.md#2176",
    readOn: "2026-12-01",
  },
  claudeCodeSampling: { url: "https://github.com/anthropics/claude-code/issues/1785", readOn: "2026-12-01" },
  claudeConnectors: { url: "https://claude.com/docs/connectors/building/index", readOn: "2026-09-15" },
  claudeReview: { url: "https://claude.com/docs/connectors/building/review-criteria", readOn: "2026-09-15" },
  claudeSignIn: { url: "https://claude.com/docs/connectors/building/authentication", readOn: "2026-09-15" },
  claudeOverview: { url: "https://claude.com/docs/connectors/overview", readOn: "2026-09-15" },
  claudeDesktop: { url: "https://modelcontextprotocol.io/docs/develop/connect-local-servers", readOn: "2026-09-15" },
  claudeRoot: { url: "https://github.com/dearlordylord/huly-mcp/issues/66", readOn: "2026-11-30" },
  anthropicTools: {
    url: "https://platform.claude.com/docs/en/agents-and-tools/tool-use/define-tools",
    readOn: "2026-09-15",
  },
  chatgptSignIn: { url: "https://developers.openai.com/apps-sdk/build/auth", readOn: "2026-11-30" },
  chatgptApps: { url: "https://developers.openai.com/apps-sdk/mcp-apps-in-chatgpt", readOn: "2026-09-15" },
  chatgptConnect: { url: "https://developers.openai.com/apps-sdk/deploy/connect-chatgpt", readOn: "2026-09-15" },
  chatgptSkills: { url: "https://modelcontextprotocol.io/extensions/client-matrix", readOn: "2026-12-01" },
  cursorMcp: { url: "https://cursor.com/docs/context/mcp", readOn: "2026-11-30" },
  cursorNames: { url: "https://github.com/ComposioHQ/composio/issues/2788", readOn: "2026-11-30" },
  cursorSampling: {
    url: "https://github.com/modelcontextprotocol/modelcontextprotocol/pull/1705",
    readOn: "2026-12-01",
  },
  vscodeGuide: { url: "https://code.visualstudio.com/api/extension-guides/ai/mcp", readOn: "2026-09-15" },
  vscodeTools: { url: "https://code.visualstudio.com/docs/copilot/agents/agent-tools", readOn: "2026-11-30" },
  vscodeSignIn: { url: "https://code.visualstudio.com/updates/v1_107", readOn: "2026-09-15" },
  vscodeSettings: {
    url: "https://code.visualstudio.com/docs/agents/reference/mcp-configuration",
    readOn: "2026-09-15",
  },
  vscodeServer: {
    url: "https://github.com/microsoft/vscode/blob/main/src/vs/workbench/contrib/mcp/common/mcpServer.ts",
    readOn: "2026-11-30",
  },
  vscodeNames: {
    url: "https://github.com/microsoft/vscode/blob/main/src/vs/workbench/contrib/mcp/common/mcpTypes.ts",
    readOn: "2026-09-15",
  },
  vscodeSkills: {
    url: "https://github.com/microsoft/vscode/blob/main/extensions/copilot/assets/prompts/skills/agent-customization/references/skills.md",
    readOn: "2026-12-01",
  },
  geminiMcp: {
    url: "https://github.com/google-gemini/gemini-cli/blob/main/docs/tools/mcp-server.md",
    readOn: "2026-11-30",
  },
  geminiTool: {
    url: "https://github.com/google-gemini/gemini-cli/blob/main/packages/core/src/tools/mcp-tool.ts",
    readOn: "2026-09-15",
  },
  geminiClient: {
    url: "https://github.com/google-gemini/gemini-cli/blob/main/packages/core/src/tools/mcp-client.ts",
    readOn: "2026-09-15",
  },
  geminiSignIn: {
    url: "https://github.com/google-gemini/gemini-cli/blob/main/packages/core/src/mcp/oauth-provider.ts",
    readOn: "2026-09-15",
  },
  geminiElicitation: { url: "https://github.com/google-gemini/gemini-cli/issues/22249", readOn: "2026-09-15" },
  geminiReferences: { url: "https://github.com/google-gemini/gemini-cli/issues/13326", readOn: "2026-11-30" },
  codexMcp: { url: "https://learn.chatgpt.com/docs/extend/mcp", readOn: "2026-09-15" },
  codexNames: {
    url: "https://github.com/openai/codex/blob/main/codex-rs/codex-mcp/src/tools.rs",
    readOn: "2026-11-30",
  },
  codexCharacters: {
    url: "https://github.com/openai/codex/blob/main/codex-rs/codex-mcp/src/mcp/mod.rs",
    readOn: "2026-09-15",
  },
  codexSchema: {
    url: "https://github.com/openai/codex/blob/main/codex-rs/tools/src/json_schema.rs",
    readOn: "2026-11-30",
  },
  codexClient: {
    url: "https://github.com/openai/codex/blob/main/codex-rs/rmcp-client/src/rmcp_client.rs",
    readOn: "2026-09-15",
  },
  codexUrls: { url: "https://github.com/openai/codex/issues/29344", readOn: "2026-12-01" },
  codexResources: {
    url: "https://github.com/openai/codex/blob/main/codex-rs/core/src/tools/handlers/mcp_resource.rs",
    readOn: "2026-09-15",
  },
  codexSkills: {
    url: "https://github.com/openai/codex/blob/main/codex-rs/ext/skills/src/provider/orchestrator.rs",
    readOn: "2026-12-01",
  },
  codexSkillFiles: {
    url: "https://github.com/openai/codex/blob/main/codex-rs/core-skills/src/loader.rs",
    readOn: "2026-12-01",
  },
  opencodeMcp: {
    url: "https://github.com/anomalyco/opencode/blob/dev/packages/web/src/content/docs/mcp-servers.mdx",
    readOn: "2026-11-30",
  },
  opencodeCatalog: {
    url: "https://github.com/anomalyco/opencode/blob/dev/packages/opencode/src/mcp/catalog.ts",
    readOn: "2026-11-30",
  },
  opencodeElicitation: { url: "https://github.com/anomalyco/opencode/pull/35064", readOn: "2026-12-01" },
  opencodeRoot: { url: "https://github.com/anomalyco/opencode/issues/35516", readOn: "2026-11-30" },
  opencodeSkills: { url: "https://opencode.ai/v1/docs/skills/", readOn: "2026-12-01" },
  gooseExtensions: {
    url: "https://goose-docs.ai/docs/getting-started/using-extensions/",
    readOn: "2026-09-15",
  },
  gooseTools: {
    url: "https://goose-docs.ai/docs/guides/managing-tools/tool-permissions/",
    readOn: "2026-09-15",
  },
  gooseClient: {
    url: "https://github.com/block/goose/blob/main/crates/goose/src/agents/mcp_client.rs",
    readOn: "2026-12-01",
  },
  gooseApps: { url: "https://block.github.io/goose/docs/guides/interactive-chat/mcp-ui", readOn: "2026-11-30" },
  gooseSkills: { url: "https://github.com/aaif-goose/goose/issues/12068", readOn: "2026-12-01" },
  zedMcp: { url: "https://zed.dev/docs/ai/mcp", readOn: "2026-11-30" },
  zedSignIn: { url: "https://github.com/zed-industries/zed/pull/51768", readOn: "2026-09-15" },
  zedNames: {
    url: "https://github.com/zed-industries/zed/blob/main/crates/agent/src/thread.rs",
    readOn: "2026-09-15",
  },
  zedCount: { url: "https://github.com/zed-industries/zed/issues/32946", readOn: "2026-11-30" },
  zedProtocol: {
    url: "https://github.com/zed-industries/zed/blob/main/crates/context_server/src/protocol.rs",
    readOn: "2026-09-15",
  },
  windsurfMcp: { url: "https://docs.devin.ai/desktop/cascade/mcp", readOn: "2026-09-27" },
  lmstudioMcp: { url: "https://lmstudio.ai/docs/app/mcp", readOn: "2026-11-30" },
  openaiNames: {
    url: "https://developers.openai.com/api/reference/resources/chat/subresources/completions/methods/create",
    readOn: "2026-09-15",
  },
  openaiRoot: { url: "https://github.com/nspady/google-calendar-mcp/issues/39", readOn: "2026-11-30" },
  openaiItems: { url: "https://github.com/PrefectHQ/fastmcp/issues/2464", readOn: "2026-11-30" },
  openaiDescriptions: { url: "https://github.com/getsentry/sentry-mcp/issues/106", readOn: "2026-11-30" },
  openaiStrict: { url: "https://developers.openai.com/api/docs/guides/structured-outputs", readOn: "2026-09-15" },
  geminiApiNames: {
    url: "https://cloud.google.com/vertex-ai/generative-ai/docs/reference/java/latest/com.google.cloud.vertexai.api.FunctionDeclarationOrBuilder",
    readOn: "2026-11-30",
  },
  geminiApiSchema: { url: "https://ai.google.dev/gemini-api/docs/function-calling", readOn: "2026-09-15" },
  geminiApiItems: { url: "https://github.com/DEEIX-AI/DEEIX-Chat/issues/546", readOn: "2026-11-30" },
  ollamaSchema: { url: "https://github.com/ollama/ollama/issues/11444", readOn: "2026-11-30" },
} as const satisfies Record<string, Source>;

export type ClientSourceId = keyof typeof CLIENT_SOURCES;
