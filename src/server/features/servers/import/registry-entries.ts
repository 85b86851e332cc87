import { isPlainObject } from "../../../../lib/contract/json";
import { type NamedEntry, namedEntry } from "./named-entry";
import type { Entry } from "./normalize-entry";

/** A `server.json` of the MCP registry: how a server is started from a package, and where it runs already. */
export function isRegistryServer(value: Entry): boolean {
  const lists = [value.packages, value.remotes].filter(Array.isArray);
  return typeof value.name === "string" && lists.some((list) => list.length > 0);
}

/** One server for each package and each remote address; the user chooses. */
export function registryEntries(server: Entry): NamedEntry[] {
  const name = String(server.name).split("/").at(-1) ?? "server";
  const title = typeof server.title === "string" ? server.title.slice(0, 200) : undefined;
  const packages = Array.isArray(server.packages) ? server.packages.filter(isPlainObject) : [];
  const remotes = Array.isArray(server.remotes) ? server.remotes.filter(isPlainObject) : [];
  return [
    ...packages.map((item) => fromPackage(name, title, item)),
    ...remotes.map((item) => fromRemote(name, title, item)),
  ];
}

function fromRemote(name: string, title: string | undefined, remote: Entry): NamedEntry {
  const notes: string[] = [];
  const entry = {
    title,
    type: remote.type ?? remote.transport_type ?? remote.transportType,
    url: typeof remote.url === "string" ? fillText(notes, "url", remote.url, remote.variables) : remote.url,
    headers: fillPairs(notes, "headers", remote.headers),
  };
  return namedEntry(name, withoutUndefined(entry), notes);
}

interface Runner {
  command: string;
  /** The words before the package. */
  before: string[];
  /** The package with its version. */
  target: (identifier: string, version: string) => string;
  /** The words between the package and its own arguments. */
  after: string[];
}

const at = (identifier: string, version: string): string => (version === "" ? identifier : `${identifier}@${version}`);
const RUNNERS: ReadonlyMap<string, Runner> = new Map([
  ["npm", { command: "npx", before: ["-y"], target: at, after: [] }],
  ["pypi", { command: "uvx", before: [], target: at, after: [] }],
  ["nuget", { command: "dnx", before: [], target: at, after: ["--yes", "--"] }],
  ["oci", { command: "docker", before: ["run", "-i", "--rm"], target: toImage, after: [] }],
]);

function toImage(identifier: string, version: string): string {
  const hasTag = /[:@]/.test(identifier.split("/").at(-1) ?? "");
  return hasTag || version === "" ? identifier : `${identifier}:${version}`;
}

function fromPackage(name: string, title: string | undefined, item: Entry): NamedEntry {
  const registry = String(item.registryType ?? item.registry_type ?? item.registry_name ?? "");
  const { identifier } = item;
  const runner = RUNNERS.get(registry === "docker" ? "oci" : registry);
  if (runner === undefined || typeof identifier !== "string" || identifier === "") {
    return { name, entry: null, notes: [], problems: [describePackageProblem(registry, runner)] };
  }
  const notes: string[] = [];
  const { transport } = item;
  if (isPlainObject(transport) && typeof transport.url === "string" && transport.type !== "stdio") {
    const url = fillText(notes, "url", transport.url, transport.variables);
    notes.push(`The package '${identifier.slice(0, 200)}' must be started by hand: it listens at the address`);
    const headers = fillPairs(notes, "headers", transport.headers);
    return namedEntry(name, withoutUndefined({ title, type: transport.type, url, headers }), notes);
  }
  return namedEntry(name, withoutUndefined({ title, ...start(notes, runner, identifier, item) }), notes);
}

function start(notes: string[], runner: Runner, identifier: string, item: Entry): Entry {
  const hint = item.runtimeHint ?? item.runtime_hint;
  const command = typeof hint === "string" && hint !== "" ? hint : runner.command;
  const env = fillPairs(notes, "env", item.environmentVariables ?? item.environment_variables);
  const own = fillArguments(notes, "runtimeArguments", item.runtimeArguments ?? item.runtime_arguments);
  const version = typeof item.version === "string" && item.version !== "latest" ? item.version : "";
  // The fixed words apply only to the usual runtime.
  const before = command === runner.command ? runner.before.filter((word) => !own.includes(word)) : [];
  // A container receives only the variables that are passed to it.
  const passed = runner.command === "docker" ? Object.keys(env).flatMap((key) => ["-e", key]) : [];
  const packageArgs = fillArguments(notes, "packageArguments", item.packageArguments ?? item.package_arguments);
  const separator = packageArgs.length === 0 ? runner.after.filter((word) => word !== "--") : runner.after;
  const args = [...before, ...own, ...passed, runner.target(identifier, version), ...separator, ...packageArgs];
  return { command, args, env };
}

function describePackageProblem(registry: string, runner: Runner | undefined): string {
  if (runner !== undefined) return "identifier: is missing: add the name of the package";
  const type = JSON.stringify(registry.slice(0, 50));
  return `registryType: packages of type ${type} cannot be started here: use "npm", "pypi", "oci" or "nuget", or add the server's command in the form`;
}

function withoutUndefined(entry: Entry): Entry {
  return Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== undefined));
}

/** Environment variables or headers. Optional ones without a value are left out; notes say what a user has to fill in. */
function fillPairs(notes: string[], field: "env" | "headers", list: unknown): Record<string, string> {
  const inputs = Array.isArray(list) ? list.filter(isPlainObject) : [];
  return Object.fromEntries(
    inputs.flatMap((input): [string, string][] => {
      if (typeof input.name !== "string" || input.name === "") return [];
      const value = fillInput(notes, `${field}.${input.name}`, input, input.name);
      return value === null ? [] : [[input.name, value]];
    }),
  );
}

/** Positional and named arguments, in their order. */
function fillArguments(notes: string[], field: string, list: unknown): string[] {
  const inputs = Array.isArray(list) ? list.filter(isPlainObject) : [];
  return inputs.flatMap((input, index): string[] => {
    const name = typeof input.name === "string" ? input.name : "";
    const hint = input.valueHint ?? input.value_hint;
    const label = typeof hint === "string" && hint !== "" ? hint : name === "" ? `argument_${index + 1}` : name;
    if (input.type !== "named") {
      const value = fillInput(notes, `${field}.${label}`, input, label);
      return value === null ? [] : [value];
    }
    if (isFlag(input)) return [name];
    const value = fillInput(notes, `${field}.${label}`, input, label);
    return value === null ? [] : [name, value];
  });
}

/** Whether an argument is a flag without a value, such as `--verbose`. */
function isFlag(input: Entry): boolean {
  const keys = ["value", "default", "valueHint", "value_hint", "variables", "format", "isRequired", "is_required"];
  return keys.every((key) => input[key] === undefined);
}

function fillInput(notes: string[], field: string, input: Entry, name: string): string | null {
  const given = input.value ?? input.default;
  if (typeof given === "string" || typeof given === "number" || typeof given === "boolean") {
    return fillText(notes, field, String(given), input.variables);
  }
  if (input.isRequired !== true && input.is_required !== true) {
    notes.push(`${field}: is optional and was left out${formatDescription(input)}`);
    return null;
  }
  return addPlaceholder(notes, field, name, input);
}

/** Replaces `{name}` by the value from `variables`. */
function fillText(notes: string[], field: string, text: string, variables: unknown): string {
  if (!isPlainObject(variables)) return text;
  return text.replace(/(?<!\$)\{([\w.-]+)\}/g, (whole, name: string) => {
    const input = Object.hasOwn(variables, name) ? variables[name] : undefined;
    if (!isPlainObject(input)) return whole;
    const given = input.value ?? input.default;
    return typeof given === "string" ? given : addPlaceholder(notes, field, name, input);
  });
}

/** A reference to an environment variable, for the user to set. */
function addPlaceholder(notes: string[], field: string, name: string, input: Entry): string {
  const variable = name.replace(/^-+/, "").replace(/\W+/g, "_").toUpperCase() || "VALUE";
  const reference = `\${${/^\d/.test(variable) ? `_${variable}` : variable}}`;
  notes.push(
    `${field}: needs a value${formatDescription(input)}; set ${reference} for Toolroom, or type the value in the form`,
  );
  return reference;
}

function formatDescription({ description }: Entry): string {
  return typeof description === "string" && description !== "" ? ` (${description.slice(0, 200)})` : "";
}
