import type { RegistryEntry, RegistryInput, RegistryPackage } from "../../../lib/contract/registry";
import type { ServerSettings } from "../../../lib/contract/server";
import { hasMask } from "../../../lib/masked-value";

type Published = Pick<RegistryEntry["server"], "packages" | "remotes">;

/** The programs that fetch a package and start it: the options before its name that take no value. */
const RUNTIMES: Readonly<
  Record<string, { registryType: RegistryPackage["registryType"]; flags: ReadonlySet<string> }>
> = {
  npx: { registryType: "npm", flags: new Set(["-y", "--yes", "-q", "--quiet"]) },
  uvx: { registryType: "pypi", flags: new Set(["-q", "--quiet"]) },
  docker: { registryType: "oci", flags: new Set(["run", "-i", "--rm", "-it", "--interactive", "--init"]) },
};

/** How clients start or reach a server by themselves. No secret is part of it: its place says that one is needed. */
export function describePublished(settings: ServerSettings): Published | { reason: string } {
  switch (settings.transport) {
    case "openapi":
      return { reason: "It is an HTTP API, which MCP clients cannot reach themselves" };
    case "stdio":
      return describeProgram(settings);
    case "sse":
      return describeRemote(settings, "sse");
    default:
      return describeRemote(settings, "streamable-http");
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
  const inputs = headers.map(({ name }) => ({ name, isRequired: true, isSecret: true }));
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
  const at = args.findIndex((arg) => !runtime.flags.has(arg));
  const named = args[at] ?? "";
  if (at < 0 || named.startsWith("-") || isSecret(named)) {
    return { reason: `The package is not the first argument of ${program} that is no simple option` };
  }
  const { identifier, version } = splitVersion(named, runtime.registryType);
  if (!/^[@\w][\w./@:-]*$/.test(identifier)) return { reason: `'${identifier.slice(0, 80)}' is no name of a package` };
  const inputs = args.slice(at + 1).map(toArgument);
  const variables = env.map(({ name }) => ({ name, isRequired: true, isSecret: true }));
  return {
    packages: [
      {
        ...{
          registryType: runtime.registryType,
          identifier,
          runtimeHint: program,
          transport: { type: "stdio" as const },
        },
        ...(version !== null && { version }),
        ...(inputs.length > 0 && { packageArguments: inputs }),
        ...(variables.length > 0 && { environmentVariables: variables }),
      },
    ],
  };
}

const isSecret = (text: string): boolean => hasMask(text) || /\$\{/.test(text);

function toArgument(arg: string, index: number): RegistryInput {
  if (!isSecret(arg)) return { type: "positional", value: arg };
  return { type: "positional", valueHint: `argument_${index + 1}`, isRequired: true, isSecret: true };
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
