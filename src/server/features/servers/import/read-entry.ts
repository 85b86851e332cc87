import { isPlainObject } from "../../../../lib/contract/json";
import {
  SERVER_NAME_RULE,
  type SecretSetting,
  type ServerSettingsInput,
  serverSettingsSchema,
} from "../../../../lib/contract/server";
import { LIMIT_FIELDS, readLimits } from "./entry-limits";
import { readTools, TOOL_FIELDS } from "./entry-tools";
import { foreignReferences } from "./foreign-references";
import { type Entry, normalizeEntry } from "./normalize-entry";
import { isAllowedName } from "./server-names";

/** The settings that one entry of a client's configuration stands for. */
export interface ReadEntry {
  /** Null where they cannot even be shown in the form. With a problem beside them they must be corrected first. */
  settings: ServerSettingsInput | null;
  /** Each names its field and what to do. */
  problems: string[];
  /** What was changed on the way. */
  notes: string[];
  /** Fields without a counterpart here. */
  unknown: string[];
}

type Transport = ServerSettingsInput["transport"];

const TRANSPORTS: ReadonlyMap<string, Transport | "remote"> = new Map([
  ["stdio", "stdio"],
  ["local", "stdio"],
  ["http", "http"],
  ["streamable-http", "http"],
  ["streamableHttp", "http"],
  ["streamable_http", "http"],
  ["remote", "remote"],
  ["url", "remote"],
  ["mcp", "remote"],
  ["sse", "sse"],
  ["openapi", "openapi"],
]);
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
];
/** Read from the configuration only: an imported text must not decide that a server's requests are paid for. */
const CONFIG_FIELDS = [...OWN_FIELDS, "sampling", "credentials"];
const AUTH_FIELDS = ["auth", "oauth"];
const TRANSPORT_FIELDS: Readonly<Record<Transport, readonly string[]>> = {
  stdio: ["command", "args", "env", "cwd"],
  http: [...URL_FIELDS, "headers"],
  sse: [...URL_FIELDS, "headers"],
  openapi: [...URL_FIELDS, "headers", "document", "query", "operations", "outputSchemas"],
};
/** Read here, or of no effect anywhere. */
const KNOWN_FIELDS = [
  ...["type", "transport", "name", "disabled", "enabled", "source", "server_label"],
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
    if (transport === null) return { settings: null, problems, notes, unknown: [] };
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
      ...(transport === "stdio" ? this.#stdioFields() : this.#remoteFields()),
      ...(transport === "openapi" ? this.#apiFields() : {}),
    };
    const known = [
      ...KNOWN_FIELDS,
      ...this.ownFields,
      ...TRANSPORT_FIELDS[transport],
      ...(candidate.auth === undefined ? [] : AUTH_FIELDS),
    ];
    const unknown = Object.keys(entry).filter((field) => !known.includes(field));
    const settings = problems.length === 0 ? this.#checkTypes(candidate) : null;
    // These can be corrected in the form, so the settings are given all the same.
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
      this.problems.push(`type: ${shown(said)} is not known: use "stdio", "http", "sse" or "openapi"`);
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

  #stdioFields(): Entry {
    const command = this.#needed("command", this.#own("command"), "the program to start");
    const given = this.#own("args");
    if (given !== undefined && given !== null && !Array.isArray(given)) {
      this.problems.push('args: must be a list of strings such as ["-y", "package"]');
    }
    const args = (Array.isArray(given) ? given : []).map(
      (arg: unknown, index) => this.#text(`args[${index}]`, arg) ?? "",
    );
    const cwd = this.#own("cwd");
    return {
      command,
      args,
      env: this.#pairs("env"),
      ...(cwd === undefined || cwd === null ? {} : { cwd: this.#text("cwd", cwd) ?? "" }),
    };
  }

  #remoteFields(): Entry {
    const url = this.#needed("url", this.#url(), "the server's address, such as https://example.com/mcp");
    const auth = this.#auth();
    return { url, headers: this.#pairs("headers"), ...(auth === undefined ? {} : { auth }) };
  }

  /** `document` may also be its address or path alone. */
  #apiFields(): Entry {
    const given = this.#own("document");
    const isAddress = typeof given === "string" && /^https?:/i.test(given);
    const named = isAddress ? { from: "url", url: given } : { from: "file", path: given };
    const [operations, outputSchemas] = ["operations", "outputSchemas"].map((field) => this.#own(field));
    return {
      document: typeof given === "string" ? named : given,
      query: this.#pairs("query"),
      ...(operations === undefined ? {} : { operations }),
      ...(outputSchemas === undefined ? {} : { outputSchemas }),
    };
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

  #pairs(field: "env" | "headers" | "query"): SecretSetting[] {
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

  /** Values may be secret: neither problem nor note repeats one. */
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
    // The name is checked where it was chosen.
    const parsed = serverSettingsSchema.safeParse({ ...candidate, name: "server" });
    if (parsed.success) return candidate as ServerSettingsInput;
    for (const { path, message } of parsed.error.issues)
      this.problems.push(`${path.join(".") || "settings"}: ${message}`);
    return null;
  }
}

function shown(value: unknown): string {
  return (JSON.stringify(value) ?? "nothing").slice(0, 100);
}
