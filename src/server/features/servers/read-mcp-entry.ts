import {
  isPlainObject,
  type SecretSetting,
  type ServerSettingsInput,
  serverSettingsSchema,
} from "../../../lib/contract";
import { expandVariables } from "../../../lib/server-settings/expand-variables";

/** One server as an `mcp.json` has it, read. */
export interface ReadEntry {
  /** Null where they cannot even be shown in the form. With a problem beside them they must be mended first. */
  settings: ServerSettingsInput | null;
  /** Each names its field and the way out. */
  problems: string[];
  /** What was changed on the way. */
  notes: string[];
  /** Fields that mean nothing here. */
  unknown: string[];
}

type Entry = Record<string, unknown>;
type Transport = ServerSettingsInput["transport"];

const TRANSPORTS: ReadonlyMap<string, Transport> = new Map([
  ["stdio", "stdio"],
  ["http", "http"],
  ["streamable-http", "http"],
  ["streamableHttp", "http"],
  ["streamable_http", "http"],
  ["sse", "sse"],
]);
const URL_FIELDS = ["url", "serverUrl", "httpUrl"];
/** The fields of Toolroom's own settings that an entry may have beside those of other programs. */
const OWN_FIELDS = ["title", "protocol", "timeoutMs", "maxTotalTimeoutMs", "connectTimeoutMs", "roots"];
const AUTH_FIELDS = ["auth", "oauth"];
const TRANSPORT_FIELDS: Readonly<Record<Transport, readonly string[]>> = {
  stdio: ["command", "args", "env", "cwd"],
  http: [...URL_FIELDS, "headers"],
  sse: [...URL_FIELDS, "headers"],
};
/** Read here, or without meaning for anybody. */
const KNOWN_FIELDS = ["type", "transport", "name", "disabled", "enabled", ...OWN_FIELDS];

/** Never throws. */
export function readMcpEntry(name: string, entry: unknown): ReadEntry {
  return new EntryReader(name, isPlainObject(entry) ? entry : null).read();
}

class EntryReader {
  readonly problems: string[] = [];
  readonly notes: string[] = [];

  constructor(
    readonly name: string,
    readonly entry: Entry | null,
  ) {}

  read(): ReadEntry {
    const { problems, notes } = this;
    if (this.entry === null) {
      problems.push('The server must be an object with "command" or "url"');
      return { settings: null, problems, notes, unknown: [] };
    }
    const transport = this.#transport();
    if (transport === null) return { settings: null, problems, notes, unknown: [] };
    const candidate: Entry = {
      name: this.name,
      transport,
      ...this.#ownFields(),
      ...(transport === "stdio" ? this.#stdioFields() : this.#remoteFields()),
    };
    const known = [
      ...KNOWN_FIELDS,
      ...TRANSPORT_FIELDS[transport],
      ...(candidate.auth === undefined ? [] : AUTH_FIELDS),
    ];
    const unknown = Object.keys(this.entry).filter((field) => !known.includes(field));
    if (this.#own("disabled") === true || this.#own("enabled") === false) {
      notes.push("disabled: it is switched off in the text; switch it off here too if you do not want it to run");
    }
    const settings = problems.length === 0 ? this.#checkTypes(candidate) : null;
    // These can be mended in the form, so the settings are given all the same.
    this.#judgeForeignReferences(candidate);
    return { settings, problems, notes, unknown };
  }

  #own(field: string): unknown {
    return this.entry !== null && Object.hasOwn(this.entry, field) ? this.entry[field] : undefined;
  }

  #transport(): Transport | null {
    const said = this.#own("type") ?? this.#own("transport");
    if (said !== undefined) {
      const transport = typeof said === "string" ? TRANSPORTS.get(said) : undefined;
      if (transport === undefined) {
        this.problems.push(`type: ${shown(said)} is not known: use "stdio", "http" or "sse"`);
      }
      return transport ?? null;
    }
    if (this.#own("command") !== undefined) return "stdio";
    const url = this.#url();
    if (url === undefined) {
      this.problems.push('command or url: one of them is needed; add "command" for a program or "url" for an address');
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
      OWN_FIELDS.map((field) => [field, this.#own(field)]).filter(([, value]) => value !== undefined),
    );
  }

  #stdioFields(): Entry {
    const command = this.#needed("command", this.#own("command"), "the program to start");
    const given = this.#own("args");
    if (given !== undefined && given !== null && !Array.isArray(given)) {
      this.problems.push('args: must be a list of texts such as ["-y", "package"]');
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

  /** Our own spelling, with `type`, or how editors name a client that is registered by hand. */
  #auth(): unknown {
    const given = this.#own("auth") ?? this.#own("oauth");
    if (!isPlainObject(given)) return undefined;
    if (given.type !== undefined) return given;
    const clientId = given.CLIENT_ID ?? given.clientId;
    if (clientId === undefined) return undefined;
    const clientSecret = given.CLIENT_SECRET ?? given.clientSecret;
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

  #pairs(field: "env" | "headers"): SecretSetting[] {
    const given = this.#own(field);
    if (given === undefined || given === null) return [];
    if (!isPlainObject(given)) {
      this.problems.push(`${field}: must be an object from names to texts`);
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
      this.notes.push(`${field}: is a ${typeof value} in the text; it was turned into text`);
      return String(value);
    }
    this.problems.push(`${field}: must be a text; put it in double quotes`);
    return null;
  }

  /** `${input:id}` and the like are asked for or filled in by the program that the text was written for. */
  #judgeForeignReferences(candidate: Entry): void {
    const texts: [string, unknown][] = Object.entries(candidate).flatMap(([field, value]): [string, unknown][] => {
      if (!Array.isArray(value)) return [[field, value]];
      return value.map((item: unknown, index): [string, unknown] =>
        isPlainObject(item) ? [`${field}.${String(item.name)}`, item.value] : [`${field}[${index}]`, item],
      );
    });
    for (const [field, text] of texts) {
      if (typeof text !== "string" || field === "name") continue;
      // With no variables at hand everything is missing; what no environment can hold has another form than a name.
      const foreign = expandVariables(text, {}).missing.filter((inside) => !/^[A-Za-z_][A-Za-z0-9_()]*$/.test(inside));
      for (const inside of [...foreign, ...editorFolders(text)]) this.#tellForeign(field, inside);
    }
  }

  #tellForeign(field: string, inside: string): void {
    const id = /^(?:input|promptString):(.+)$/.exec(inside)?.[1];
    if (id === undefined) {
      this.problems.push(`${field}: \${${inside}} is known to another program only: type the value instead`);
      return;
    }
    const variable = id.replace(/[^A-Za-z0-9]+/g, "_").toUpperCase();
    this.notes.push(`${field}: \${${inside}} is asked for by the program that the text was written for`);
    this.problems.push(
      `${field}: \${${inside}} cannot be asked for here: set it as an environment variable and write \${${variable}}, or type the value`,
    );
  }

  #checkTypes(candidate: Entry): ServerSettingsInput | null {
    // The name is judged by whoever chose it.
    const parsed = serverSettingsSchema.safeParse({ ...candidate, name: "server" });
    if (parsed.success) return candidate as ServerSettingsInput;
    for (const { path, message } of parsed.error.issues)
      this.problems.push(`${path.join(".") || "settings"}: ${message}`);
    return null;
  }
}

/** Variables of editors that look like ones of the environment. */
function editorFolders(text: string): string[] {
  return ["workspaceFolder", "workspaceFolderBasename", "userHome", "pathSeparator"].filter((name) =>
    text.includes(`\${${name}}`),
  );
}

function shown(value: unknown): string {
  return (JSON.stringify(value) ?? "nothing").slice(0, 100);
}
