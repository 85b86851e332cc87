import type { RegistryEntry, RegistryInput, RegistryPackage } from "../../../lib/contract/registry";
import type { ServerSettings } from "../../../lib/contract/server";
import { hasMask } from "../../../lib/masked-value";

type Published = Pick<RegistryEntry["server"], "packages" | "remotes">;

interface Runtime {
  registryType: RegistryPackage["registryType"];
  flags: ReadonlySet<string>;
}

/** The programs that fetch a package and start it: the options before its name that take no value. */
const RUNTIMES: Readonly<Record<string, Runtime>> = {
  npx: { registryType: "npm", flags: new Set(["-y", "--yes", "-q", "--quiet"]) },
  uvx: { registryType: "pypi", flags: new Set(["-q", "--quiet"]) },
  docker: { registryType: "oci", flags: new Set(["run", "-i", "--rm", "-it", "--interactive", "--init"]) },
};

/** How clients start or reach a server by themselves. No secret is part of it: its place says that one is needed. */
export function describePublished(settings: ServerSettings): Published | { reason: string } {
  switch (settings.transport) {
    case "stdio":
      return describeProgram(settings);
    case "sse":
      return describeRemote(settings, "sse");
    case "http":
      return describeRemote(settings, "streamable-http");
    default:
      return { reason: "It is an HTTP API, which MCP clients cannot reach themselves" };
  }
}

function describeRemote(
  settings: Extract<ServerSettings, { transport: "http" | "sse" }>,
  type: "sse" | "streamable-http",
): Published | { reason: string } {
  const { url, headers } = settings;
  // A query may hold a key, and a variable has its value here only.
  if (!URL.canParse(url) || new URL(url).search !== "" || new URL(url).username !== "" || /\$\{/.test(url)) {
    return { reason: "Its address has a query, a password or a variable, which may be a secret" };
  }
  if (hasMask(url)) return { reason: "Its address contains a secret" };
  const inputs = headers.map(({ name }) => {
    const id = `${toId(new URL(url).host)}_${toId(name)}`;
    const secret = toSecret(`header ${name}`);
    return { name, ...secret, value: `{${id}}`, variables: { [id]: secret } };
  });
  return { remotes: [{ type, url, ...(inputs.length > 0 && { headers: inputs }) }] };
}

function describeProgram({ command, args, env }: Extract<ServerSettings, { transport: "stdio" }>) {
  const program =
    command
      .split(/[\\/]/)
      .at(-1)
      ?.replace(/\.(cmd|exe)$/i, "") ?? "";
  const runtime = Object.hasOwn(RUNTIMES, program) ? RUNTIMES[program] : undefined;
  if (runtime === undefined)
    return { reason: `It starts ${program || "a program"}: only npx, uvx and docker name a package` };
  const { at, passed } = skipOptions(args, runtime);
  const named = args[at] ?? "";
  if (named === "" || named.startsWith("-") || isSecret(named)) {
    return { reason: `The package is not the first argument of ${program} that is no simple option` };
  }
  const { identifier, version } = splitVersion(named, runtime.registryType);
  if (!/^[@\w][\w./@:-]*$/.test(identifier)) return { reason: `'${identifier.slice(0, 80)}' is no name of a package` };
  const inputs = args.slice(at + 1).map((arg, index) => toArgument(arg, index, toId(identifier)));
  // The container's variables are those that are passed to it, not those of the program docker.
  const names = runtime.registryType === "oci" ? passed : env.map(({ name }) => name);
  const variables = names.map((name) => ({ name, ...toSecret(`environment variable ${name}`) }));
  return {
    packages: [
      {
        registryType: runtime.registryType,
        identifier,
        runtimeHint: program,
        transport: { type: "stdio" as const },
        ...(version !== null && { version }),
        ...(passed.length > 0 && {
          runtimeArguments: passed.map((value) => ({ type: "named" as const, name: "-e", value })),
        }),
        ...(inputs.length > 0 && { packageArguments: inputs }),
        ...(variables.length > 0 && { environmentVariables: variables }),
      },
    ],
  };
}

const isSecret = (text: string): boolean => hasMask(text) || /\$\{/.test(text);

function toArgument(arg: string, index: number, owner: string): RegistryInput {
  if (!isSecret(arg)) return { type: "positional", value: arg };
  return { type: "positional", valueHint: `${owner}_argument_${index + 1}`, ...toSecret(`argument ${index + 1}`) };
}

/** Clients share what was entered by this name among their servers, so it names the server too. */
const toId = (text: string): string => text.replace(/\W+/g, "_").replace(/^_/, "");

/** VS Code asks only for values with a description, and installs others empty. */
const toSecret = (what: string) => ({ description: `Value of the ${what}`, isRequired: true, isSecret: true });

/** The index of the package, and the variables that `docker run -e NAME` passes; their values stay here. */
function skipOptions(args: readonly string[], { registryType, flags }: Runtime): { at: number; passed: string[] } {
  const passed = new Set<string>();
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    if (flags.has(arg)) continue;
    const option = registryType === "oci" ? /^(?:-e|--env)(?:=(.*))?$/s.exec(arg) : null;
    if (option === null) return { at, passed: [...passed] };
    const name = (option[1] ?? args[++at] ?? "").split("=")[0] ?? "";
    if (!/^[A-Za-z_]\w*$/.test(name)) break;
    passed.add(name);
  }
  return { at: args.length, passed: [] };
}

/** `@scope/name@1.2.3`, `name==1.2.3`, `image:1.2.3`; a range or a moving tag is no version. */
function splitVersion(text: string, type: RegistryPackage["registryType"]) {
  const separator = type === "npm" ? "@" : type === "pypi" ? (text.includes("==") ? "==" : "@") : ":";
  const at = text.lastIndexOf(separator);
  // An image's registry may have a port.
  if (at <= 0 || text.slice(at).includes("/")) return { identifier: text, version: null };
  const version = text.slice(at + separator.length);
  const isExact = /^\d[\w.+-]*$/.test(version) && !/[x*]$/.test(version);
  // An image is named with its tag.
  if (type === "oci") return { identifier: text, version: null };
  return { identifier: text.slice(0, at), version: isExact ? version : null };
}
