import pg from "pg";
import { decodeText, encodeText } from "./text-codec";

/** The numbers of result types in PostgreSQL. */
const OID = { bool: 16, int8: 20, text: 25, name: 19, varchar: 1043, numeric: 1700 } as const;
const TEXTS: ReadonlySet<number> = new Set([OID.text, OID.varchar]);

type Parse = (value: string) => unknown;
interface Types {
  getTypeParser(oid: number, format?: "text" | "binary"): Parse;
}

/** Parses to the values that SQLite gives: numbers are numbers, and booleans 1 and 0. */
const RAW_PARSERS = new Map<number, Parse>([
  [OID.int8, Number],
  [OID.numeric, Number],
  [OID.bool, (value) => (value === "t" ? 1 : 0)],
]);

const RAW_TYPES: Types = {
  getTypeParser: (oid, format) =>
    (format === "binary" ? undefined : RAW_PARSERS.get(oid)) ?? (pg.types.getTypeParser(oid, format) as Parse),
};

/** Every text passes through `text-codec.ts` on its way in and out, for Prisma and for SQL. */
function withTexts(types: Types): Types {
  const decoding = new Map<number, Parse>();
  return {
    getTypeParser(oid, format) {
      if (!TEXTS.has(oid)) return types.getTypeParser(oid, format);
      const known = decoding.get(oid);
      if (known !== undefined) return known;
      const parse = types.getTypeParser(oid, format);
      const decode: Parse = (value) => {
        const parsed = parse(value);
        return typeof parsed === "string" ? decodeText(parsed) : parsed;
      };
      decoding.set(oid, decode);
      return decode;
    },
  };
}

const RAW_WITH_TEXTS = withTexts(RAW_TYPES);

function encodeValue(value: unknown): unknown {
  if (typeof value === "string") return encodeText(value);
  return Array.isArray(value) ? value.map(encodeValue) : value;
}

interface QueryConfig {
  text?: string;
  name?: string;
  values?: unknown[];
  types?: Types;
}

export interface TextClientConfig extends pg.ClientConfig {
  /** Replaces `connectionTimeoutMillis`, which a pool uses for itself. */
  connectMs?: number | undefined;
  /**
   * For a pooler that lends its connections for one transaction: statements that each transaction begins with. Statements lose
   * their names, which another connection of the server would not know.
   */
  transactionSettings?: readonly string[];
}

const BEGIN = /^BEGIN(?: READ ONLY)?(?=;|$)/;

const isConfig = (query: unknown): query is QueryConfig =>
  typeof query === "object" && query !== null && "text" in query && !("submit" in query);

/** A query without its own `types` gets `RAW_WITH_TEXTS`. */
export class TextClient extends pg.Client {
  constructor(config?: TextClientConfig) {
    super(config?.connectMs === undefined ? config : { ...config, connectionTimeoutMillis: config.connectMs });
    const settings = config?.transactionSettings?.join("; ");
    const send = this.query.bind(this) as (...args: unknown[]) => unknown;
    const encoded = (query: unknown, values?: unknown, callback?: unknown): unknown => {
      if (!isConfig(query) && typeof query !== "string") return send(query, values, callback);
      const given: QueryConfig = typeof query === "string" ? { text: query } : { ...query };
      if (settings !== undefined) {
        delete given.name;
        given.text = given.text?.replace(BEGIN, (begin) => `${begin}; ${settings}`);
      }
      const list = Array.isArray(values) ? values : given.values;
      const done = typeof values === "function" ? values : callback;
      if (list !== undefined) given.values = list.map(encodeValue);
      given.types = given.types === undefined ? RAW_WITH_TEXTS : withTexts(given.types);
      return send(given, done);
    };
    this.query = encoded as typeof this.query;
  }
}
