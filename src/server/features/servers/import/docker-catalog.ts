import { isPlainObject } from "../../../../lib/contract/json";
import { type Found, type NamedEntry, namedEntry } from "./named-entry";
import type { Entry } from "./normalize-entry";

/** Fields for the catalog's pages, and for its gateway. */
const SHOWN = [
  "about",
  "dateAdded",
  "description",
  "dynamic",
  "icon",
  "longLived",
  "meta",
  "metadata",
  "prompts",
  "readme",
  "ref",
  "resources",
  "source",
  "tags",
  "title",
  "tools",
  "toolsUrl",
  "upstream",
  "license",
];
const KINDS = ["server", "remote", "poci"];
const TEMPLATE = /\{\{[^}]{0,200}\}\}/;

/** Docker's MCP catalog (`registry:`), and a `server.yaml` of its registry (github.com/docker/mcp-registry). */
export function readDockerCatalog(value: unknown): Found | null {
  if (!isPlainObject(value)) return null;
  if (isDockerServer(value) && typeof value.name === "string") {
    return { servers: [toServer(value.name, value)], notes: [] };
  }
  const { registry } = value;
  if (!isPlainObject(registry) || Object.keys(registry).length === 0) return null;
  const entries = Object.entries(registry);
  if (!entries.every(([, entry]) => isPlainObject(entry) && isDockerServer(entry))) return null;
  return { servers: entries.map(([name, entry]) => toServer(name, entry as Entry)), notes: [] };
}

const isDockerServer = ({ type, image, remote }: Entry): boolean =>
  (type === undefined || KINDS.includes(String(type))) && (typeof image === "string" || isPlainObject(remote));

function toServer(name: string, given: Entry): NamedEntry {
  const { name: _name, type, image, remote, secrets, env, config, run, oauth, ...more } = given;
  // A `server.yaml` has these keys in `config` and `run`.
  const inner = isPlainObject(config) ? config : {};
  const { command = more.command, volumes = more.volumes, user = more.user, ...rest } = isPlainObject(run) ? run : {};
  const notes: string[] = [];
  if (type === "poci") notes.push("type: a container that ends with each call; it is started as one that stays");
  if (oauth !== undefined) notes.push("oauth: sign in on the server's page once it is added");
  const values = new Map([...readValues(secrets ?? inner.secrets, notes), ...readValues(env ?? inner.env, notes)]);
  noteConfig(config, notes);
  const unknown = Object.entries({ ...more, ...rest }).filter(
    ([key]) => ![...SHOWN, "command", "volumes", "user"].includes(key),
  );
  const shared = { ...Object.fromEntries(unknown), ...toTitle(given) };
  if (isPlainObject(remote)) {
    const { url, transport_type: transport = "streamable-http", headers, ...others } = remote;
    return namedEntry(
      name,
      { ...shared, ...others, type: transport, url, ...(isPlainObject(headers) && { headers }) },
      notes,
    );
  }
  const container = {
    image: String(image),
    command: toList(command),
    volumes: toList(volumes),
    user: typeof user === "string" || typeof user === "number" ? String(user) : null,
  };
  const templates = [...container.command, ...container.volumes, container.user ?? ""].some((text) =>
    TEMPLATE.test(text),
  );
  if (templates) notes.push("{{…}}: Docker fills these in; type the values in the form");
  return namedEntry(name, { ...shared, ...toContainer(container, values) }, notes);
}

interface Container {
  image: string;
  command: readonly string[];
  volumes: readonly string[];
  user: string | null;
}

/** Builds the command with which Docker's gateway starts it. */
function toContainer({ image, command, volumes, user }: Container, values: ReadonlyMap<string, string>): Entry {
  const names = Array.from(values.keys());
  const args = [
    "run",
    "-i",
    "--rm",
    "--init",
    ...names.flatMap((name) => ["-e", name]),
    ...volumes.flatMap((volume) => ["-v", volume]),
    ...(user === null ? [] : ["-u", user]),
    image,
    ...command,
  ];
  return { command: "docker", args, env: Object.fromEntries(values) };
}

/** Variables by name: secrets, and those whose value Docker fills in, are references. */
function readValues(list: unknown, notes: string[]): [string, string][] {
  return (Array.isArray(list) ? list : [])
    .filter(isPlainObject)
    .flatMap(({ name, env: variable, value }): [string, string][] => {
      const key = variable ?? name;
      if (typeof key !== "string" || key === "") return [];
      const isKnown = (typeof value === "string" || typeof value === "number") && !TEMPLATE.test(String(value));
      if (isKnown) return [[key, String(value)]];
      notes.push(`env.${key.slice(0, 100)}: needs a value; set that variable for Toolroom, or type it in the form`);
      return [[key, `\${${key}}`]];
    });
}

function noteConfig(config: unknown, notes: string[]): void {
  const parameters = isPlainObject(config)
    ? config.parameters
    : Array.isArray(config) && config.length > 0
      ? config
      : undefined;
  if (parameters !== undefined) notes.push("config: what Docker asks for is not imported; type the values in the form");
}

function toTitle({ title, about }: Entry): Entry {
  const shown = title ?? (isPlainObject(about) ? about.title : undefined);
  return typeof shown === "string" && shown !== "" ? { title: shown.slice(0, 200) } : {};
}

const toList = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);
