/** Sections of Settings, by the heading that the page gives them. */
export const SETTINGS_COMMANDS = [
  { label: "Appearance and keys", href: "/settings#appearance-and-keys", keywords: "theme single-key shortcuts" },
  { label: "Installation", href: "/settings#installation", keywords: "version node database file" },
  { label: "Configuration", href: "/settings#configuration", keywords: "file path toolroom.json" },
  {
    label: "Limits in force",
    href: "/settings#limits-in-force",
    keywords: "timeout max_stored_bytes max_model_chars arguments size depth",
  },
  { label: "Handlers", href: "/settings#handlers", keywords: "builtin internal modules" },
  { label: "Model providers", href: "/settings/models", keywords: "add key anthropic openai gemini ollama models" },
  {
    label: "Import and export",
    href: "/settings/sharing",
    keywords: "catalog share backup download upload file mcp.json servers tools",
  },
  { label: "Audit log", href: "/settings/audit", keywords: "history changes who sign-ins denied export compliance" },
  { label: "People", href: "/settings/people", keywords: "users accounts roles invite invitation switch on" },
  { label: "Your account", href: "/settings/account", keywords: "name password sessions sign out" },
  { label: "API tokens", href: "/settings/account#api-tokens", keywords: "create key secret bearer automation ci" },
] as const;
