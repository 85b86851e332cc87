import { isPlainObject } from "../../../../lib/contract/json";
import {
  SERVER_NAME_RULE,
  type SecretSetting,
  type ServerSettingsInput,
  serverSettingsSchema,
} from "../../../../lib/contract/server";
import { type FieldType, SERVER_KINDS, SERVER_TRANSPORTS, type ServerKind } from "../../../../lib/contract/server-kind";
import { expandVariables } from "../../../../lib/server-settings/expand-variables";
import { LIMIT_FIELDS, readLimits } from "./entry-limits";
import { readTools, TOOL_FIELDS } from "./entry-tools";
import { type Entry, normalizeEntry } from "./normalize-entry";
import { isAllowedName } from "./server-names";

/** Variables of editors that look like environment variables. */
const EDITOR_FOLDERS = ["workspaceFolder", "workspaceFolderBasename", "userHome", "pathSeparator"];

/** The settings that one entry of a client's configuration describes. */
export interface ReadEntry {
  /** Null where they cannot even be shown in the form. With a problem beside them they must be corrected first. */
  settings: ServerSettingsInput | null;
  /** The problems, each with its field and what to do. */
  problems: string[];
  notes: string[];
  /** Fields without a counterpart here. */
  unknown: string[];
}

type Transport = ServerSettingsInput["transport"];

/** `remote` means that the address decides. */
const TRANSPORTS: ReadonlyMap<string, Transport | "remote"> = new Map([
  ...SERVER_TRANSPORTS.flatMap((kind) => [kind, ...SERVER_KINDS[kind].otherNames].map((name) => [name, kind] as const)),
  ...(["remote", "url", "mcp"] as const).map((name) => [name, "remote"] as const),
]);
const KNOWN_TYPES = SERVER_TRANSPORTS.map((kind) => `"${kind}"`)
  .join(", ")
  .replace(/, ([^,]*)$/, " or $1");
const URL_FIELDS = ["url", "serverUrl", "httpUrl"];
/** The fields of Toolroom's own settings that an entry may have beside those of other clients. */
const OWN_FIELDS = [
  "title",
  "protocol",
  "timeoutMs",
  "maxTotalTimeoutMs",
  "connectTimeoutMs",
  "roots",
  "approval",
  "toolFilter",
  "sensitive",
  "changedTools",
  "askPeople",
  "listTtlMs",
];
/** Read from the configuration only: an imported text must not decide that a server's requests are paid for. */
const CONFIG_FIELDS = [...OWN_FIELDS, "sampling", "credentials"];
const AUTH_FIELDS = ["auth", "oauth"];
/** Fields that are read here, or have no effect anywhere. */
const KNOWN_FIELDS = [
  "type",
  "transport",
  "name",
  "disabled",
  "enabled",
  "active",
  "source",
  "server_label",
  ...LIMIT_FIELDS,
  ...TOOL_FIELDS,
];

/** Never throws. */
export function readEntry(name: string, entry: unknown): ReadEntry {
  return new EntryReader(name, isPlainObject(entry) ? normalizeEntry(entry) : null, OWN_FIELDS).read();
}

/**
 * One entry of the section `mcpServers` in the configuration file. Name and values are taken as they are: a name that is
 * not allowed is a problem, a field without a counterpart is not. Toolroom's own fields (`title`, `protocol`, `timeoutMs`,
 * `maxTotalTimeoutMs`, `connectTimeoutMs`, `roots`, `auth`, `approval`, `toolFilter`, `sensitive`, `changedTools`,
 * `sampling`, `credentials`) are read as well.
 */
export function readConfigEntry(name: string, entry: unknown): Pick<ReadEntry, "settings" | "problems"> {
  const read = new EntryReader(name, isPlainObject(entry) ? normalizeEntry(entry) : null, CONFIG_FIELDS).read();
  const { settings, problems } = read;
  const all = isAllowedName(name) ? problems : [`name: '${name}' must be ${SERVER_NAME_RULE}: rename it`, ...problems];
  return { settings: all.length > 0 ? null : settings, problems: all };
}

class EntryReader {
  readonly problems: string[] = [];
  readonly notes: string[] = [];

  constructor(
    readonly name: string,
    readonly entry: Entry | null,
    readonly ownFields: readonly string[],
  ) {}

  read(): ReadEntry {
    const { problems, notes, entry } = this;
    if (entry === null) {
      problems.push('The server must be an object with "command" or "url"');
      return { settings: null, problems, notes, unknown: [] };
    }
    const transport = this.#transport();
    if (!transport) return { settings: null, problems, notes, unknown: [] };
    const { fields }: ServerKind = SERVER_KINDS[transport];
    const parts = [readLimits(entry), readTools(entry)];
    for (const part of parts) {
      problems.push(...part.problems);
      notes.push(...part.notes);
    }
    const candidate: Entry = {
      name: this.name,
      transport,
      ...Object.assign({}, ...parts.map(({ fields }) => fields)),
      ...this.#ownFields(),
      ...this.#kindFields(fields),
    };
    const known = [
      ...KNOWN_FIELDS,
      ...this.ownFields,
      ...Object.keys(fields).filter((field) => !AUTH_FIELDS.includes(field)),
      ...(fields.url === undefined ? [] : URL_FIELDS),
      ...(candidate.auth === undefined ? [] : AUTH_FIELDS),
    ];
    const unknown = Object.keys(entry).filter((field) => !known.includes(field));
    const settings = problems.length === 0 ? this.#checkTypes(candidate) : null;
    // These problems can be corrected in the form, so the settings are returned too.
    problems.push(...foreignReferences(candidate));
    return { settings, problems, notes, unknown };
  }

  #own(field: string): unknown {
    return this.entry !== null && Object.hasOwn(this.entry, field) ? this.entry[field] : undefined;
  }

  #transport(): Transport | null {
    const said = this.#own("type") ?? this.#own("transport");
    const known = typeof said === "string" ? TRANSPORTS.get(said) : undefined;
    if (said !== undefined && known === undefined) {
      this.problems.push(`type: ${shown(said)} is not known: use ${KNOWN_TYPES}`);
      return null;
    }
    if (known !== undefined && known !== "remote") return known;
    if (known === undefined && this.#own("command") !== undefined) return "stdio";
    const url = this.#url();
    if (url === undefined) {
      this.problems.push(
        'command or url: one of them is required; add "command" for a program or "url" for an address',
      );
      return null;
    }
    const isSse = typeof url === "string" && /\/sse\/?(?:[?#]|$)/.test(url);
    if (isSse) {
      this.notes.push(
        'type: taken as "sse", since the address ends in /sse; choose "http" if the server speaks Streamable HTTP',
      );
    }
    return isSse ? "sse" : "http";
  }

  #url(): unknown {
    return URL_FIELDS.map((field) => this.#own(field)).find((url) => url !== undefined);
  }

  #ownFields(): Entry {
    return Object.fromEntries(
      this.ownFields.map((field) => [field, this.#own(field)]).filter(([, value]) => value !== undefined),
    );
  }

  #kindFields(fields: ServerKind["fields"]): Entry {
    const read = Object.entries(fields).map(([name, type]) => [name, this.#field(name, type)] as const);
    return Object.fromEntries(read.filter(([, value]) => value !== undefined));
  }

  #field(name: string, type: FieldType): unknown {
    const readers: Record<FieldType, () => unknown> = {
      command: () => this.#needed(name, this.#own(name), "the program to start"),
      arguments: () => this.#arguments(name),
      address: () => this.#needed(name, this.#url(), "the server's address, such as https://example.com/mcp"),
      values: () => this.#pairs(name),
      auth: () => this.#auth(),
      document: () => this.#document(name),
      path: () => (this.#own(name) == null ? undefined : (this.#text(name, this.#own(name)) ?? "")),
      option: () => this.#own(name),
    };
    return readers[type]();
  }

  #arguments(field: string): string[] {
    const given = this.#own(field) ?? [];
    if (Array.isArray(given)) {
      return given.map((arg: unknown, index) => this.#text(`${field}[${index}]`, arg) ?? "");
    }
    this.problems.push(`${field}: must be a list of strings such as ["-y", "package"]`);
    return [];
  }

  /** The document, which may also be only its address or path. */
  #document(field: string): unknown {
    const given = this.#own(field);
    if (typeof given !== "string") return given;
    return /^https?:/i.test(given) ? { from: "url", url: given } : { from: "file", path: given };
  }

  /** Our own spelling, with `type`, or how editors name a client that is registered by hand. */
  #auth(): unknown {
    const given = this.#own("auth") ?? this.#own("oauth");
    if (!isPlainObject(given)) return undefined;
    if (given.type !== undefined) return given;
    const clientId = given.CLIENT_ID ?? given.clientId ?? given.client_id;
    if (clientId === undefined) return undefined;
    const clientSecret = given.CLIENT_SECRET ?? given.clientSecret ?? given.client_secret;
    const { scope = given.scopes } = given;
    return {
      type: "oauth",
      clientId,
      ...(clientSecret === undefined ? {} : { clientSecret }),
      ...(scope === undefined ? {} : { scope: Array.isArray(scope) ? scope.join(" ") : scope }),
    };
  }

  #needed(field: string, value: unknown, what: string): string {
    if (typeof value === "string" && value.trim() !== "") return value;
    this.problems.push(`${field}: ${value === undefined ? "is missing: add" : "must be a text:"} ${what}`);
    return "";
  }

  #pairs(field: string): SecretSetting[] {
    const given = this.#own(field);
    if (given === undefined || given === null) return [];
    if (!isPlainObject(given)) {
      this.problems.push(`${field}: must be an object that maps names to strings`);
      return [];
    }
    return Object.entries(given).flatMap(([name, value]) => {
      if (name === "") {
        this.problems.push(`${field}: a name is empty: give it one or remove it`);
        return [];
      }
      const text = this.#text(`${field}.${name}`, value);
      return text === null ? [] : [{ name, value: text }];
    });
  }

  /** A value may be secret, so no problem or note repeats it. */
  #text(field: string, value: unknown): string | null {
    if (typeof value === "string") return value;
    if (typeof value === "number" || typeof value === "boolean") {
      this.notes.push(`${field}: is a ${typeof value}; it was converted to a string`);
      return String(value);
    }
    this.problems.push(`${field}: must be a string; put it in double quotes`);
    return null;
  }

  #checkTypes(candidate: Entry): ServerSettingsInput | null {
    // The name is checked where the user chose it.
    const parsed = serverSettingsSchema.safeParse({ ...candidate, name: "server" });
    if (parsed.success) return candidate as ServerSettingsInput;
    for (const { path, message } of parsed.error.issues)
      this.problems.push(`${path.join(".") || "settings"}: ${message}`);
    return null;
  }
}

const shown = (value: unknown): string => (JSON.stringify(value) ?? "nothing").slice(0, 100);

/** A problem for each `${…}` that only another client can fill in, such as `${input:token}` or `${workspaceFolder}`. */
function foreignReferences(candidate: Entry): string[] {
  return listTexts(candidate).flatMap(([field, text]) => {
    // Without variables every reference is missing; a reference that no environment can satisfy has another form than a
    // name.
    const forms = expandVariables(text, {}).missing.filter((inside) => !/^[A-Za-z_][A-Za-z0-9_()]*$/.test(inside));
    const folders = EDITOR_FOLDERS.filter((name) => text.includes(`\${${name}}`));
    return [...forms, ...folders].map((inside) => describeReference(field, inside));
  });
}

function listTexts(candidate: Entry): [field: string, text: string][] {
  return Object.entries(candidate).flatMap(([field, value]) => {
    if (field === "name") return [];
    const items: unknown[] = Array.isArray(value) ? value : [value];
    return items.flatMap((item, index): [string, string][] => {
      if (typeof item === "string") return [[Array.isArray(value) ? `${field}[${index}]` : field, item]];
      return isPlainObject(item) && typeof item.value === "string"
        ? [[`${field}.${String(item.name)}`, item.value]]
        : [];
    });
  });
}

function describeReference(field: string, inside: string): string {
  const id = /^(?:input|promptString):(.+)$/.exec(inside)?.[1];
  if (id === undefined) return `${field}: \${${inside}} is known to another program only: type the value instead`;
  const variable = id.replace(/[^A-Za-z0-9]+/g, "_").toUpperCase();
  return `${field}: \${${inside}} cannot be asked for here: set it as an environment variable and write \${${variable}}, or type the value`;
}
