import { isPlainObject } from "../../../../lib/contract/json";
import { type Found, namedEntry } from "./named-entry";
import type { Entry } from "./normalize-entry";
import { programName } from "./server-names";

/** The address in the file; the server is started over stdio here. */
const ADDRESS = ["transport", "host", "port", "path"];

/** A `fastmcp.json`, whose server `fastmcp run` starts (gofastmcp.com/deployment/server-configuration). */
export function readFastMcp(value: unknown): Found | null {
  if (!isPlainObject(value)) return null;
  const { $schema, source, environment = {}, deployment = {}, ...more } = value;
  const isNamed = typeof $schema === "string" && /fastmcp\.json/.test($schema);
  if (!isPlainObject(source) || typeof source.path !== "string") return null;
  if (!isNamed && !isPlainObject(value.environment) && !isPlainObject(value.deployment)) return null;
  if (!isPlainObject(environment) || !isPlainObject(deployment)) {
    return { problem: "environment and deployment must be objects" };
  }
  const { type: sourceType = "filesystem", path, entrypoint, ...moreSource } = source;
  const { cwd, env, args = [], log_level: level, ...moreDeployment } = deployment;
  const notes: string[] = [];
  const rest = Object.fromEntries(Object.entries(moreDeployment).filter(([key]) => !ADDRESS.includes(key)));
  if (moreDeployment.transport !== undefined && moreDeployment.transport !== "stdio") {
    notes.push("deployment.transport: Toolroom starts the server itself, over stdio; its address there is left out");
  }
  if (sourceType !== "filesystem")
    notes.push(`source.type: ${String(sourceType).slice(0, 100)} was read as "filesystem"`);
  if (typeof cwd !== "string" && !/^(?:[\\/]|[A-Za-z]:)/.test(path)) {
    notes.push("cwd: paths are relative to the folder of the file; set that folder as the working folder");
  }
  const file = typeof entrypoint === "string" && entrypoint !== "" ? `${path}:${entrypoint}` : path;
  const uv = toUvOptions(environment);
  const entry: Entry = {
    ...moreSource,
    ...rest,
    ...uv.unknown,
    ...more,
    command: "uv",
    args: [
      "run",
      "--with",
      "fastmcp",
      ...uv.options,
      "fastmcp",
      "run",
      file,
      "--transport",
      "stdio",
      ...(typeof level === "string" ? ["--log-level", level] : []),
      ...(Array.isArray(args) && args.length > 0 ? ["--", ...(args as unknown[])] : []),
    ],
    ...(isPlainObject(env) && { env }),
    ...(typeof cwd === "string" && { cwd }),
  };
  return { servers: [namedEntry(programName(path), entry, notes)], notes: [] };
}

/** Converts an entry that `fastmcp install` wrote. */
function toUvOptions({ type: _type, python, dependencies, requirements, project, editable, ...unknown }: Entry) {
  const list = (value: unknown): string[] =>
    (Array.isArray(value) ? value : [value]).filter((each): each is string => typeof each === "string" && each !== "");
  const repeat = (option: string, value: unknown): string[] => list(value).flatMap((each) => [option, each]);
  const options = [
    ...repeat("--python", python),
    ...repeat("--with", dependencies),
    ...repeat("--with-requirements", requirements),
    ...repeat("--project", project),
    ...repeat("--with-editable", editable),
  ];
  return { options, unknown };
}
