import { access, readFile } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { z } from "zod";
import { type ApprovalPolicy, approvalPolicySchema } from "../../../lib/contract/approval";
import type { LoadProblem } from "../../../lib/contract/catalog-tool";
import { getMessage } from "../../../lib/get-message";
import { IS_WINDOWS } from "../../../lib/platform";
import { quoteForPowerShell } from "../../../lib/quote-for-powershell";
import { quoteForShell } from "../../../lib/quote-for-shell";
import type { ExecutionLimits, Handler, Handlers } from "../../engine/ports";

/** The known keys of a configuration file; others are kept and ignored (DEF-05). */
const configSchema = z.looseObject({
  tools: z
    .looseObject({
      enabled: z.boolean().optional(),
      max_iterations: z.number().int().positive().optional(),
      default_timeout_ms: z.number().int().positive().max(86_400_000).optional(),
      slow_ms: z.number().positive().optional(),
      max_stored_bytes: z.number().int().positive().optional(),
      max_model_chars: z.number().int().positive().optional(),
      max_argument_bytes: z.number().int().positive().optional(),
      max_argument_depth: z.number().int().positive().max(1000).optional(),
      max_response_bytes: z.number().int().min(1024).max(67_108_864).optional(),
      max_response_calls: z.number().int().positive().max(1000).optional(),
      approval: approvalPolicySchema.optional(),
      approval_expiry_ms: z.number().int().min(1000).max(31_536_000_000).optional(),
      approve_in_client: z.boolean().optional(),
      gateway_approval_wait_ms: z.number().int().min(1).max(86_400_000).optional(),
      registry: z.array(z.unknown()).optional(),
    })
    .optional(),
  handlers: z.array(z.string()).optional(),
  serverEnvironment: z
    .array(
      z
        .string()
        .regex(
          /^[A-Za-z_][A-Za-z0-9_]*\*?$/,
          "must be the name of a variable, such as JAVA_HOME, or a beginning, such as JAVA_*",
        ),
    )
    .max(200)
    .optional(),
  /** Validated entry by entry, like `mcpServers`. */
  auth: z.looseObject({ jwt: z.array(z.unknown()).max(20).optional() }).optional(),
  /** Validated entry by entry, so that an invalid one does not exclude the others. */
  mcpServers: z.record(z.string(), z.unknown()).optional(),
});

export interface HandlerModule {
  path: string;
  builtins: string[];
  internals: string[];
}

/** When a tool call requires approval. */
export interface ApprovalSettings {
  policy: ApprovalPolicy;
  /** How long a request stays open, in milliseconds. */
  expiryMs: number;
  /** How long a gateway call waits, in milliseconds; ten times as long when its client receives progress notifications. */
  gatewayWaitMs: number;
  /**
   * Whether the MCP client of a call asks its own user too. A client can answer without asking: only where any operator may
   * approve, the caller too.
   */
  inClient: boolean;
}

/** Clients of the common SDKs time out after a minute. */
const APPROVAL_DEFAULTS: ApprovalSettings = {
  policy: "destructive",
  expiryMs: 86_400_000,
  gatewayWaitMs: 55_000,
  inClient: true,
};
const DEFAULT_ITERATIONS = 10;

export interface LoadedConfig {
  path: string;
  exists: boolean;
  /** True while no configuration file exists. */
  usingExample: boolean;
  /** Makes the example a user's own. */
  copyExample: string;
  /** The registry loads this; empty when the file is missing or invalid. */
  content: Record<string, unknown>;
  limits: Partial<ExecutionLimits>;
  approvals: ApprovalSettings;
  /** Model calls with tools in one turn of a run. */
  maxIterations: number;
  /** Variables of Toolroom's environment that processes of servers get besides the usual ones: names, or beginnings with `*`. */
  serverEnvironment: string[];
  /** Issuers whose JWTs are accepted, as the file has them. */
  jwtIssuers: unknown[];
  /** MCP servers by name, as the file has them. */
  mcpServers: Record<string, unknown>;
  builtins: Handlers;
  internals: Handlers;
  modules: HandlerModule[];
  problems: LoadProblem[];
}

/**
 * Reads `configPath`, else `config/toolroom.json` of `rootDir` or of the data folder, else the example; then the
 * handler modules that the file lists. Never throws: invalid parts are in `problems`, and the rest loads.
 */
export async function loadConfigFile(options: {
  /** The folder that holds the example. */
  home: string;
  rootDir: string;
  configPath: string | null;
  /** The folder of the database; absent: not searched. */
  dataFolder?: string;
}): Promise<LoadedConfig> {
  const { rootDir, dataFolder = rootDir } = options;
  const [usual, inData] = [rootDir, dataFolder].map((folder) => path.join(folder, "config/toolroom.json")) as [
    string,
    string,
  ];
  const wanted = options.configPath ?? ((await isReadable(usual)) || !(await isReadable(inData)) ? usual : inData);
  const exists = await isReadable(wanted);
  const usingExample = !exists && options.configPath === null;
  const file = usingExample ? path.join(options.home, "config/toolroom.example.json") : wanted;
  const loaded: LoadedConfig = {
    path: file,
    exists: exists || usingExample,
    usingExample,
    copyExample: describeCopy(options),
    content: {},
    limits: {},
    approvals: APPROVAL_DEFAULTS,
    maxIterations: DEFAULT_ITERATIONS,
    serverEnvironment: [],
    jwtIssuers: [],
    mcpServers: {},
    builtins: {},
    internals: {},
    modules: [],
    problems: [],
  };
  const problem = (error: string): void => {
    loaded.problems.push({ origin: "config", source: file, name: null, error });
  };

  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    const isMissing = (error as { code?: unknown }).code === "ENOENT";
    if (isMissing) problem("there is no such file. Create it, or point TOOLROOM_CONFIG at yours, and restart");
    else problem(`the file could not be read: ${getMessage(error)}`);
    return loaded;
  }
  let json: unknown;
  try {
    json = JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch (error) {
    problem(`the file is not JSON: ${getMessage(error)}`);
    return loaded;
  }
  const parsed = configSchema.safeParse(json);
  if (!parsed.success) {
    problem(parsed.error.issues.map((issue) => `${issue.path.join(".") || "the file"}: ${issue.message}`).join("; "));
    return loaded;
  }
  loaded.content = parsed.data;
  loaded.limits = readLimits(parsed.data.tools ?? {});
  loaded.approvals = readApprovals(parsed.data.tools ?? {});
  loaded.maxIterations = parsed.data.tools?.max_iterations ?? DEFAULT_ITERATIONS;
  loaded.serverEnvironment = parsed.data.serverEnvironment ?? [];
  loaded.jwtIssuers = parsed.data.auth?.jwt ?? [];
  loaded.mcpServers = parsed.data.mcpServers ?? {};
  for (const listed of parsed.data.handlers ?? []) await loadModule(path.resolve(path.dirname(file), listed), loaded);
  return loaded;
}

interface CopyPlace {
  home: string;
  rootDir: string;
}

/** The example names a module beside it, so a copy needs both. */
export function describeCopy({ home, rootDir }: CopyPlace, isWindows = IS_WINDOWS): string {
  if (home === rootDir) return "cp config/toolroom.example.json config/toolroom.json";
  const quote = (...parts: string[]): string => (isWindows ? quoteForPowerShell : quoteForShell)(path.join(...parts));
  const own = quote(rootDir, "config/toolroom.json");
  const source = quote(home, "config");
  const copied = quote(rootDir, "config/toolroom.example.json");
  if (!isWindows) return `cp -r ${source} ${quote(rootDir)} && cp ${copied} ${own}`;
  // Windows PowerShell has no `&&`, and takes brackets in a path for a pattern.
  return `Copy-Item -Recurse -Force -LiteralPath ${source} ${quote(rootDir)}; Copy-Item -LiteralPath ${copied} ${own}`;
}

type ToolSettings = NonNullable<z.infer<typeof configSchema>["tools"]>;

function readApprovals(tools: ToolSettings): ApprovalSettings {
  return {
    policy: tools.approval ?? APPROVAL_DEFAULTS.policy,
    expiryMs: tools.approval_expiry_ms ?? APPROVAL_DEFAULTS.expiryMs,
    gatewayWaitMs: tools.gateway_approval_wait_ms ?? APPROVAL_DEFAULTS.gatewayWaitMs,
    inClient: tools.approve_in_client ?? APPROVAL_DEFAULTS.inClient,
  };
}

function readLimits(tools: ToolSettings): Partial<ExecutionLimits> {
  const limits: [keyof ExecutionLimits, number | undefined][] = [
    ["timeoutMs", tools.default_timeout_ms],
    ["slowMs", tools.slow_ms],
    ["maxStoredBytes", tools.max_stored_bytes],
    ["maxModelChars", tools.max_model_chars],
    ["maxArgumentBytes", tools.max_argument_bytes],
    ["maxArgumentDepth", tools.max_argument_depth],
    ["maxResponseBytes", tools.max_response_bytes],
    ["maxResponseCalls", tools.max_response_calls],
  ];
  return Object.fromEntries(limits.filter(([, value]) => value !== undefined));
}

/** A module exports `builtins` and `internals`: objects from handler names to functions. */
async function loadModule(file: string, loaded: LoadedConfig): Promise<void> {
  try {
    // Native import: the file is not part of the build.
    const exported = (await import(
      /* turbopackIgnore: true */ /* webpackIgnore: true */ pathToFileURL(file).href
    )) as Record<string, unknown>;
    const builtins = readHandlers(exported, "builtins");
    const internals = readHandlers(exported, "internals");
    if (Object.keys(builtins).length + Object.keys(internals).length === 0) {
      throw new Error("it exports no handlers: export const builtins = { name(args, context) { … } }, or internals");
    }
    loaded.builtins = { ...loaded.builtins, ...builtins };
    loaded.internals = { ...loaded.internals, ...internals };
    loaded.modules.push({ path: file, builtins: Object.keys(builtins), internals: Object.keys(internals) });
  } catch (error) {
    loaded.problems.push({ origin: "handlers", source: file, name: null, error: getMessage(error) });
  }
}

function readHandlers(exported: Record<string, unknown>, key: "builtins" | "internals"): Handlers {
  const group = exported[key];
  if (group === undefined) return {};
  if (typeof group !== "object" || group === null) throw new Error(`${key} must be an object of functions`);
  const entries = Object.entries(group);
  for (const [name, handler] of entries) {
    if (typeof handler !== "function") throw new Error(`${key}.${name} must be a function`);
  }
  return Object.fromEntries(entries) as Record<string, Handler>;
}

async function isReadable(file: string): Promise<boolean> {
  try {
    await access(file);
    return true;
  } catch {
    return false;
  }
}
