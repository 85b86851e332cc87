import type { CatalogFile } from "../../../lib/contract/catalog-file";
import type { SecretSetting, ServerAuth, ServerDetail } from "../../../lib/contract/server";
import { SERVER_KINDS } from "../../../lib/contract/server-kind";
import { replaceMasks } from "../../../lib/masked-value";
import { mapSettingTexts } from "../../../lib/server-settings/hide-secrets";
import { pickFields } from "../../../lib/server-settings/setting-fields";

type FileServer = CatalogFile["servers"][number];

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
  if ("document" in portable && portable.document.from === "text") {
    portable.document = { from: "text", text: documentText };
  }
  if (references.names.length > 0) {
    const where = { command: "its command line", address: "its address" }[SERVER_KINDS[portable.transport].target];
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
    title,
    timeoutMs,
    maxTotalTimeoutMs,
    connectTimeoutMs,
    toolFilter,
    ...(protocol === "auto" ? {} : { protocol }),
    ...(roots.length === 0 ? {} : { roots }),
    ...(enabled ? {} : { disabled: true }),
  };
  const { target } = SERVER_KINDS[settings.transport];
  const fields = pickFields(
    { ...settings, name },
    {
      values: (rows, list) => toReferences(rows, list === "env" ? "" : name),
      auth: (auth) => (auth.type === "none" ? undefined : withReferences(name, auth)),
    },
  );
  const transport = target === "command" ? fields : { type: settings.transport, ...fields };
  return Object.fromEntries(Object.entries({ ...transport, ...own }).filter(([, value]) => value !== undefined));
}

/** Names with their values, as other programs write them; undefined for none. */
function toReferences(rows: readonly SecretSetting[], server: string): Record<string, string> | undefined {
  if (rows.length === 0) return undefined;
  return Object.fromEntries(rows.map(({ name, value }) => [name, value ?? toReference(server, name)]));
}

function withReferences(server: string, auth: ServerAuth): object {
  if (auth.type === "private_key_jwt") {
    return { ...auth, privateKey: auth.privateKey ?? toReference(server, "PRIVATE_KEY") };
  }
  if (!("clientSecret" in auth) || auth.clientSecret === undefined) return auth;
  return { ...auth, clientSecret: auth.clientSecret ?? toReference(server, "CLIENT_SECRET") };
}

/** The reference of a secret: `files`, `Api-Key` → `${FILES_API_KEY}`. */
function toReference(server: string, name: string): string {
  const words = `${server}_${name}`.replace(/[^A-Za-z0-9]+/g, "_").replace(/^_+|_+$/g, "");
  const variable = server === "" && /^[A-Za-z_]\w*$/.test(name) ? name : words.toUpperCase();
  return `\${${/^\d|^$/.test(variable) ? `_${variable}` : variable}}`;
}
