import { CHECKED_CLIENTS, type CheckedClient } from "../../contract/client-verdict";
import { SCHEMA_DIALECTS } from "../providers/schema-dialects";
import type { ClientProfile } from "./client-profile";
import { MODEL_API_PROFILES } from "./model-api-profiles";

const { anthropic } = SCHEMA_DIALECTS;

const SKILL_FILES_NOTE = "This counts for a skill in its folders.";

/** Rules of the programs that speak MCP. A rule without a source is not one. */
const PROGRAM_PROFILES = {
  "claude-code": {
    label: "Claude Code",
    kind: "program",
    prefix: "mcp__{server}__",
    rules: [
      { check: "name-length", max: 128, of: "full", severity: "refused", source: "claudeCodeMcp" },
      { check: "description-length", max: 2048, severity: "cut", source: "claudeCodeMcp" },
      {
        check: "root-keywords",
        keywords: ["anyOf", "oneOf", "allOf"],
        severity: "dropped",
        source: "claudeCodeMcp",
        note: "Since 2.1.195 it merges them and describes the choices in words; earlier versions leave the tool out.",
      },
      {
        check: "property-names",
        accepted: /^[A-Za-z0-9_.-]{1,64}$/,
        words: anthropic.propertyNames?.words ?? "",
        depth: "top",
        severity: "refused",
        source: "claudeCodeMcp",
      },
      {
        check: "result-length",
        max: 50_000,
        raisedBy: { key: "anthropic/maxResultSizeChars", most: 500_000 },
        severity: "cut",
        source: "claudeCodeMcp",
        note: "It saves a longer result as a file and tells the model where.",
      },
    ],
    features: [
      {
        source: "claudeCodeMcp",
        yes: [
          "stdio",
          "http",
          "oauth",
          "registration",
          "metadataDocument",
          "headers",
          "resources",
          "prompts",
          "elicitation",
        ],
      },
      { source: "claudeCodeElicitation", yes: ["urlElicitation"] },
      { source: "claudeCodeSampling", no: ["sampling"] },
      { source: "claudeCodeSkills", no: ["skills"] },
    ],
  },
  "claude-desktop": {
    label: "Claude",
    kind: "cloud",
    prefix: "",
    rules: [
      {
        check: "name-length",
        max: 64,
        of: "list",
        severity: "warns",
        source: "claudeReview",
        note: "Its directory of connectors takes no longer ones.",
      },
      {
        check: "root-keywords",
        keywords: ["anyOf", "oneOf", "allOf"],
        severity: "refused",
        breaksList: true,
        source: "claudeRoot",
      },
      { check: "result-length", max: 150_000, severity: "cut", source: "claudeConnectors" },
    ],
    features: [
      { source: "claudeConnectors", yes: ["http", "resources", "prompts"], no: ["sampling"] },
      { source: "claudeSignIn", yes: ["oauth", "registration", "metadataDocument"], limited: ["headers"] },
      { source: "claudeDesktop", yes: ["stdio"] },
      { source: "claudeOverview", yes: ["apps"] },
    ],
  },
  chatgpt: {
    label: "ChatGPT",
    kind: "cloud",
    prefix: "",
    rules: [],
    features: [
      { source: "chatgptConnect", yes: ["http"], no: ["stdio"] },
      { source: "chatgptSignIn", yes: ["oauth", "registration", "metadataDocument"] },
      { source: "chatgptApps", yes: ["apps"] },
      { source: "chatgptSkills", limited: ["skills"] },
    ],
  },
  cursor: {
    label: "Cursor",
    kind: "program",
    prefix: "",
    rules: [
      {
        check: "name-length",
        max: 59,
        of: "combined",
        severity: "refused",
        source: "cursorNames",
        note: "Its warning says 60, but 60 are too many already.",
      },
    ],
    features: [
      {
        source: "cursorMcp",
        yes: ["stdio", "http", "oauth", "registration", "headers", "apps", "resources", "prompts", "elicitation"],
      },
      { source: "cursorSampling", no: ["sampling"] },
    ],
  },
  vscode: {
    label: "VS Code",
    kind: "program",
    prefix: "mcp_{server}_",
    rules: [
      {
        check: "tool-count",
        max: 128,
        severity: "refused",
        breaksList: true,
        source: "vscodeTools",
        note: "Its virtual tools, or fewer tools in its picker, are the way out there.",
      },
      { check: "name-characters", allowed: "A-Za-z0-9_-", severity: "cut", source: "vscodeServer" },
      { check: "name-length", max: 64, of: "full", severity: "cut", source: "vscodeNames" },
      {
        check: "skill-name-characters",
        allowed: "a-z0-9-",
        severity: "warns",
        source: "vscodeSkills",
        note: SKILL_FILES_NOTE,
      },
      {
        check: "skill-name-length",
        max: 64,
        severity: "warns",
        source: "vscodeSkills",
        note: SKILL_FILES_NOTE,
      },
      {
        check: "skill-description-length",
        max: 1024,
        severity: "warns",
        source: "vscodeSkills",
        note: SKILL_FILES_NOTE,
      },
    ],
    features: [
      {
        source: "vscodeGuide",
        yes: ["stdio", "http", "oauth", "registration", "apps", "resources", "prompts", "sampling", "elicitation"],
      },
      { source: "vscodeSignIn", yes: ["metadataDocument"] },
      { source: "vscodeSettings", yes: ["headers"] },
    ],
  },
  gemini: {
    label: "Gemini CLI",
    kind: "program",
    prefix: "mcp_{server}_",
    rules: [
      { check: "name-characters", allowed: "A-Za-z0-9_.:-", severity: "cut", source: "geminiMcp" },
      { check: "name-length", max: 63, of: "full", severity: "cut", source: "geminiTool" },
      { check: "keywords", dropped: ["additionalProperties"], severity: "dropped", source: "geminiMcp" },
      {
        check: "references",
        severity: "warns",
        source: "geminiReferences",
        note: "The Gemini API has refused such schemas with “reference to undefined schema”.",
      },
    ],
    features: [
      { source: "geminiMcp", yes: ["stdio", "http", "oauth", "registration", "headers", "resources", "prompts"] },
      { source: "geminiSignIn", no: ["metadataDocument"] },
      { source: "geminiClient", no: ["sampling"] },
      { source: "geminiElicitation", no: ["elicitation"] },
    ],
  },
  codex: {
    label: "Codex",
    kind: "program",
    prefix: "mcp__{server}__",
    rules: [
      { check: "name-characters", allowed: "A-Za-z0-9_", severity: "cut", source: "codexCharacters" },
      { check: "name-length", max: 128, of: "full", severity: "cut", source: "codexNames" },
      {
        check: "skill-name-length",
        max: 64,
        severity: "dropped",
        source: "codexSkillFiles",
        note: SKILL_FILES_NOTE,
      },
      {
        check: "skill-description-length",
        max: 1024,
        severity: "dropped",
        source: "codexSkillFiles",
        note: SKILL_FILES_NOTE,
      },
      {
        check: "keywords",
        kept: new Set([
          "type",
          "description",
          "enum",
          "const",
          "items",
          "properties",
          "required",
          "additionalProperties",
          "anyOf",
          "$ref",
          "$defs",
          "definitions",
        ]),
        severity: "dropped",
        source: "codexSchema",
      },
    ],
    features: [
      { source: "codexMcp", yes: ["stdio", "http", "oauth", "registration", "metadataDocument", "headers"] },
      { source: "codexClient", limited: ["elicitation"], no: ["sampling"] },
      { source: "codexUrls", no: ["urlElicitation"] },
      { source: "codexResources", yes: ["resources"] },
      { source: "codexSkills", no: ["skills"] },
    ],
  },
  opencode: {
    label: "opencode",
    kind: "program",
    prefix: "{server}_",
    rules: [
      { check: "name-characters", allowed: "A-Za-z0-9_-", severity: "cut", source: "opencodeCatalog" },
      {
        check: "root-keywords",
        keywords: ["anyOf", "oneOf", "allOf"],
        severity: "warns",
        source: "opencodeRoot",
        note: "With Claude models the whole request fails.",
      },
      {
        check: "skill-name-characters",
        allowed: "a-z0-9-",
        severity: "warns",
        source: "opencodeSkills",
        note: SKILL_FILES_NOTE,
      },
      {
        check: "skill-name-length",
        max: 64,
        severity: "warns",
        source: "opencodeSkills",
        note: SKILL_FILES_NOTE,
      },
      {
        check: "skill-description-length",
        max: 1024,
        severity: "warns",
        source: "opencodeSkills",
        note: SKILL_FILES_NOTE,
      },
    ],
    features: [
      { source: "opencodeMcp", yes: ["stdio", "http", "oauth", "registration", "headers"] },
      { source: "opencodeCatalog", yes: ["resources", "prompts"] },
      { source: "opencodeElicitation", yes: ["elicitation"] },
    ],
  },
  goose: {
    label: "Goose",
    kind: "program",
    prefix: "{server}__",
    rules: [
      {
        check: "tool-count",
        max: 25,
        severity: "warns",
        source: "gooseTools",
        note: "It works best with fewer.",
      },
    ],
    features: [
      { source: "gooseExtensions", yes: ["stdio", "http", "oauth", "registration", "metadataDocument", "headers"] },
      { source: "gooseClient", yes: ["resources", "prompts", "sampling", "elicitation"], no: ["urlElicitation"] },
      { source: "gooseApps", yes: ["apps"] },
      { source: "gooseSkills", no: ["skills"] },
    ],
  },
  zed: {
    label: "Zed",
    kind: "program",
    prefix: "",
    rules: [
      { check: "name-characters", allowed: "A-Za-z0-9_-", severity: "cut", source: "zedNames" },
      { check: "name-length", max: 64, of: "list", severity: "cut", source: "zedNames" },
      {
        check: "tool-count",
        max: 128,
        severity: "warns",
        source: "zedCount",
        note: "OpenAI's API refuses requests with more.",
      },
    ],
    features: [
      { source: "zedMcp", yes: ["stdio", "http", "headers", "prompts"], no: ["resources"] },
      { source: "zedSignIn", yes: ["oauth", "registration", "metadataDocument"] },
      { source: "zedProtocol", no: ["sampling", "elicitation"] },
    ],
  },
  windsurf: {
    label: "Windsurf",
    kind: "program",
    prefix: "",
    rules: [{ check: "tool-count", max: 100, severity: "refused", source: "windsurfMcp" }],
    features: [{ source: "windsurfMcp", yes: ["stdio", "http", "oauth", "headers", "resources", "prompts"] }],
  },
  lmstudio: {
    label: "LM Studio",
    kind: "program",
    prefix: "",
    rules: [],
    features: [{ source: "lmstudioMcp", yes: ["stdio", "http", "headers"] }],
  },
} as const satisfies Partial<Record<CheckedClient, ClientProfile>>;

export const CLIENT_PROFILES: Readonly<Record<CheckedClient, ClientProfile>> = {
  ...PROGRAM_PROFILES,
  ...MODEL_API_PROFILES,
};

/** The profiles in the order of lists. */
export const LISTED_PROFILES: readonly (readonly [CheckedClient, ClientProfile])[] = CHECKED_CLIENTS.map((client) => [
  client,
  CLIENT_PROFILES[client],
]);
