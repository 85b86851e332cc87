import type { CatalogueFile } from "../../../lib/contract/catalogue-file";
import type { ServerDetail, ServerSettings } from "../../../lib/contract/server";
import { replaceMasks } from "../../../lib/masked-value";
import { mapSettingTexts } from "../../../lib/server-settings/hide-secrets";

type FileServer = CatalogueFile["servers"][number];
type Setting = { name: string; value: string | null };

/** A server as the file has it. Values that are stored encrypted are null; secrets in addresses and arguments, which are masks here, become references. */
export function toPortableServer(
  { name, enabled, settings }: ServerDetail,
  notes: string[],
  documentText: string | null,
): FileServer {
  const references = new References(name);
  const put = (text: string): string => references.put(text);
  const {
    name: _name,
    approval = null,
    sampling,
    ...portable
  } = mapSettingTexts(settings, {
    args: (args) => args.map(put),
    text: put,
  });
  if (sampling !== undefined) notes.push(`Server '${name}': the sampling setting is not exported`);
  if (portable.transport === "openapi" && portable.document.from === "text") {
    portable.document = { from: "text", text: documentText };
  }
  if (references.names.length > 0) {
    const where = portable.transport === "stdio" ? "its command line" : "its address";
    notes.push(`Server '${name}': secrets in ${where} were replaced by ${references.names.join(", ")}`);
  }
  return { name, enabled, approval, settings: portable };
}

class References {
  readonly names: string[] = [];
  constructor(readonly server: string) {}

  put(text: string): string {
    return replaceMasks(text, () => {
      const reference = toReference(this.server, `SECRET_${this.names.length + 1}`);
      this.names.push(reference);
      return reference;
    });
  }
}

/** An entry of `mcpServers` as other programs read it. Secret values are references to environment variables. */
export function toMcpEntry({ name, enabled, settings }: FileServer): Record<string, unknown> {
  const { title, protocol, timeoutMs, maxTotalTimeoutMs, connectTimeoutMs, roots, toolFilter } = settings;
  const own = {
    ...{ title, timeoutMs, maxTotalTimeoutMs, connectTimeoutMs, toolFilter },
    ...(protocol === "auto" ? {} : { protocol }),
    ...(roots.length === 0 ? {} : { roots }),
    ...(enabled ? {} : { disabled: true }),
  };
  const transport =
    settings.transport === "stdio"
      ? {
          command: settings.command,
          args: settings.args,
          ...pairs("env", settings.env, (variable) => toReference("", variable)),
          ...(settings.cwd === undefined ? {} : { cwd: settings.cwd }),
        }
      : {
          type: settings.transport,
          url: settings.url,
          ...(settings.transport === "openapi" ? apiFields(name, settings) : {}),
          ...pairs("headers", settings.headers, (header) => toReference(name, header)),
          ...(settings.auth.type === "none" ? {} : { auth: withReferences(name, settings.auth) }),
        };
  return Object.fromEntries(Object.entries({ ...transport, ...own }).filter(([, value]) => value !== undefined));
}

function apiFields(
  server: string,
  {
    document,
    query,
    operations,
    outputSchemas,
  }: Pick<Extract<ServerSettings, { transport: "openapi" }>, "document" | "query" | "operations" | "outputSchemas">,
): object {
  return { document, ...pairs("query", query, (name) => toReference(server, name)), operations, outputSchemas };
}

function pairs(
  field: "env" | "headers" | "query",
  list: readonly Setting[],
  reference: (name: string) => string,
): object {
  if (list.length === 0) return {};
  return { [field]: Object.fromEntries(list.map(({ name, value }) => [name, value ?? reference(name)])) };
}

type RemoteSettings = Extract<ServerSettings, { url: string }>;

function withReferences(server: string, auth: RemoteSettings["auth"]): object {
  if (auth.type === "private_key_jwt") {
    return { ...auth, privateKey: auth.privateKey ?? toReference(server, "PRIVATE_KEY") };
  }
  if (auth.type === "none" || auth.clientSecret === undefined) return auth;
  return { ...auth, clientSecret: auth.clientSecret ?? toReference(server, "CLIENT_SECRET") };
}

/** `files`, `Api-Key` → `${FILES_API_KEY}` */
function toReference(server: string, name: string): string {
  const words = `${server}_${name}`.replace(/[^A-Za-z0-9]+/g, "_").replace(/^_+|_+$/g, "");
  const variable = server === "" && /^[A-Za-z_]\w*$/.test(name) ? name : words.toUpperCase();
  return `\${${/^\d|^$/.test(variable) ? `_${variable}` : variable}}`;
}
