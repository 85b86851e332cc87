// The native part of better-sqlite3 on Node's own SQLite, for systems without its binary: `sqlite.mjs` passes it to better-sqlite3 in place of that.
// The JavaScript of better-sqlite3 still makes transactions, reads pragmas and checks options; this replaces its native addon alone.
import { existsSync } from "node:fs";

/** The names of SQLite's result codes, by number. */
const CODES = [
  "OK ERROR INTERNAL PERM ABORT BUSY LOCKED NOMEM READONLY INTERRUPT IOERR CORRUPT NOTFOUND FULL CANTOPEN PROTOCOL EMPTY",
  "SCHEMA TOOBIG CONSTRAINT MISMATCH MISUSE NOLFS AUTH FORMAT RANGE NOTADB NOTICE WARNING",
].flatMap((line) => line.split(" "));
/** The suffixes of extended error codes; the second byte of a code is the position in its list, from 1. */
const EXTENDED = new Map(
  Object.entries({
    ERROR: "MISSING_COLLSEQ RETRY SNAPSHOT",
    ABORT: "- ROLLBACK",
    BUSY: "RECOVERY SNAPSHOT TIMEOUT",
    LOCKED: "SHAREDCACHE VTAB",
    READONLY: "RECOVERY CANTLOCK ROLLBACK DBMOVED CANTINIT DIRECTORY",
    IOERR:
      "READ SHORT_READ WRITE FSYNC DIR_FSYNC TRUNCATE FSTAT UNLOCK RDLOCK DELETE BLOCKED NOMEM ACCESS CHECKRESERVEDLOCK LOCK CLOSE " +
      "DIR_CLOSE SHMOPEN SHMSIZE SHMLOCK SHMMAP SEEK DELETE_NOENT MMAP GETTEMPPATH CONVPATH VNODE AUTH BEGIN_ATOMIC COMMIT_ATOMIC " +
      "ROLLBACK_ATOMIC DATA CORRUPTFS IN_PAGE",
    CORRUPT: "VTAB SEQUENCE INDEX",
    CANTOPEN: "NOTEMPDIR ISDIR FULLPATH CONVPATH DIRTYWAL SYMLINK",
    CONSTRAINT: "CHECK COMMITHOOK FOREIGNKEY FUNCTION NOTNULL PRIMARYKEY TRIGGER UNIQUE VTAB ROWID PINNED DATATYPE",
    AUTH: "USER",
    NOTICE: "RECOVER_WAL RECOVER_ROLLBACK RBU",
    WARNING: "AUTOINDEX",
  }).map(([name, rest]) => [name, rest.split(" ")]),
);

/** @param {number} code of SQLite, extended or not @returns {string} as better-sqlite3 names it */
export function nameCode(code) {
  const primary = CODES[code & 0xff];
  const rest = primary === undefined ? undefined : EXTENDED.get(primary)?.[(code >> 8) - 1];
  if (primary === undefined || (code > 0xff && (rest === undefined || rest === "-")))
    return `UNKNOWN_SQLITE_ERROR_${code}`;
  return `SQLITE_${primary}${code > 0xff ? `_${rest}` : ""}`;
}

/** Strings, quoted names, comments, parameters, words and the ends of statements. */
const TOKENS =
  /'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|[?@$:][\w$\u0080-\uffff]*|[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*|;/g;
const ONLY_SPACE = /^(?:[\s;]|--[^\n]*(?:\n|$)|\/\*[\s\S]*?(?:\*\/|$))*$/;
const CHANGES = new Set(["insert", "update", "delete", "replace", "with"]);
const MAX_KNOWN = 1_000;
/** @type {Map<string, { anonymous: number, names: string[], word: string, returns: boolean, isChange: boolean }>} */
const known = new Map();

/**
 * What SQLite knows of a statement and Node does not tell: its parameters, and whether it may return rows.
 * @param {string} sql
 */
function describeSql(sql) {
  const found = known.get(sql);
  if (found !== undefined) return found;
  let anonymous = 0;
  let word = "";
  let returns = false;
  /** @type {Set<string>} */
  const names = new Set();
  for (const match of sql.matchAll(TOKENS)) {
    const [token] = match;
    const first = token[0] ?? "";
    if (first === "?" && token.length === 1) anonymous += 1;
    else if (first === "?" || first === "@" || first === ":" || first === "$") names.add(token.slice(1));
    else if (first === ";" && !/^create\b[^;]*\btrigger\b/i.test(sql.slice(sql.toLowerCase().indexOf(word)))) {
      if (ONLY_SPACE.test(sql.slice(match.index))) break;
      throw new RangeError("The supplied SQL string contains more than one statement");
    } else if (/[a-z]/i.test(first)) {
      if (word === "") word = token.toLowerCase();
      else if (token.length === 9 && token.toLowerCase() === "returning") returns = true;
    }
  }
  if (word === "") throw new RangeError("The supplied SQL string contains no statements");
  const description = { anonymous, names: [...names], word, returns, isChange: CHANGES.has(word) };
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(sql, description);
  return description;
}

const isPlainObject = (/** @type {any} */ value) => {
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
};

/** @param {any} value @returns {any} a blob as a Buffer */
const toBuffer = (value) =>
  value instanceof Uint8Array ? Buffer.from(value.buffer, value.byteOffset, value.byteLength) : value;

/** @param {any} value */
const toNumber = (value) => (typeof value === "bigint" ? Number(value) : value);

/** Node takes it as it is. @param {any} value */
function isPlain(value) {
  const type = typeof value;
  return type === "string" || type === "number" || value === null || type === "bigint";
}

/** @param {any} value */
function toBound(value) {
  if (isPlain(value)) return value;
  if (value === undefined) return null;
  if (value instanceof Uint8Array) return value;
  throw new TypeError("SQLite3 can only bind numbers, strings, bigints, buffers, and null");
}

/** @param {string[]} columns @returns {(values: any[]) => any} */
function createRow(columns) {
  if (columns.includes("__proto__")) {
    return (values) => Object.fromEntries(columns.map((name, index) => [name, values[index]]));
  }
  const fields = columns.map((name, index) => `${JSON.stringify(name)}:v[${index}]`);
  return /** @type {any} */ (Function("v", `return {${fields.join(",")}}`));
}

/** @param {(message: string, code: string) => Error} toError of SQLite's own errors */
function createRun(toError) {
  return {
    /** @param {any} error */
    translate(error) {
      if (error?.errcode !== undefined) return toError(error.message, nameCode(error.errcode));
      if (error?.code === "ERR_INVALID_STATE") return new TypeError("The database connection is not open");
      return error;
    },
  };
}

/**
 * An addon as better-sqlite3 expects it.
 * @param {any} sqlite Node's module
 */
export function createNodeAddon(sqlite) {
  /** @type {new (message: string, code: string) => Error} */
  let SqliteError;
  const { translate } = createRun((message, code) => new SqliteError(message, code));

  class Statement {
    #native;
    #info;
    #database;
    #isPragma;
    #mode = "flat";
    #safe;
    /** Whether Node is asked for integers as BigInt. */
    #asBigInts = false;
    /** @type {any[] | null} */
    #bound = null;
    /** @type {any[] | undefined} */
    #columns;
    /** @type {((values: any[]) => any) | undefined} */
    #toRow;

    /** @param {any} native @param {ReturnType<typeof describeSql>} info @param {{ source: string, database: object, isPragma: boolean, safe: boolean }} options */
    constructor(native, info, { source, database, isPragma, safe }) {
      this.#native = native;
      this.#info = info;
      this.#database = database;
      this.#isPragma = isPragma;
      this.#safe = safe;
      this.source = source;
      native.setReturnArrays(true);
    }

    get database() {
      return this.#database;
    }

    get reader() {
      const { word, returns } = this.#info;
      if (this.#isPragma || word === "select" || word === "values") return true;
      return (returns || word === "with" || word === "pragma" || word === "explain") && this.#readColumns().length > 0;
    }

    get readonly() {
      const { word, returns } = this.#info;
      return (
        word === "select" || word === "values" || word === "explain" || (word === "with" && !returns && this.reader)
      );
    }

    get busy() {
      return false;
    }

    #readColumns() {
      this.#columns ??= this.#native.columns();
      return /** @type {any[]} */ (this.#columns);
    }

    /** @param {any[]} given @returns {any[]} as Node takes them: an object of named ones first */
    #toArguments(given) {
      if (this.#bound !== null) {
        if (given.length > 0) throw new TypeError("This statement already has bound parameters");
        return this.#bound;
      }
      const { anonymous, names } = this.#info;
      if (names.length === 0 && given.length === anonymous && given.every(isPlain)) return given;
      const values = [];
      /** @type {Record<string, any> | null} */
      let named = null;
      for (const value of given) {
        if (Array.isArray(value)) {
          for (const each of value) values.push(toBound(each));
        } else if (
          typeof value === "object" &&
          value !== null &&
          !(value instanceof Uint8Array) &&
          isPlainObject(value)
        ) {
          if (named !== null) throw new TypeError("You cannot specify named parameters in two different objects");
          named = {};
          for (const name of names) {
            if (!Object.hasOwn(value, name)) throw new RangeError(`Missing named parameter "${name}"`);
            named[name] = toBound(value[name]);
          }
        } else if (typeof value === "object" && value !== null && !(value instanceof Uint8Array) && names.length > 0) {
          throw new TypeError("Named parameters can only be passed within plain objects");
        } else {
          values.push(toBound(value));
        }
      }
      if (named === null && names.length > 0) throw new TypeError("Missing named parameters");
      if (values.length < anonymous) throw new RangeError("Too few parameter values were provided");
      if (values.length > anonymous) throw new RangeError("Too many parameter values were provided");
      if (named !== null && names.length > 0) values.unshift(named);
      return values;
    }

    /** @param {boolean} wanted */
    #readBigInts(wanted) {
      if (this.#asBigInts === wanted) return;
      this.#native.setReadBigInts(wanted);
      this.#asBigInts = wanted;
    }

    #demandReader() {
      if (!this.reader) throw new TypeError("This statement does not return data. Use run() instead");
    }

    /** Rows of a statement that writes cannot be read again, so a number that is too large for Node must not end it. */
    get #mayRepeat() {
      return !this.#info.returns;
    }

    /** @param {any[]} values @param {boolean} convert whether BigInt becomes a number */
    #finishRow(values, convert) {
      for (let index = 0; index < values.length; index += 1) {
        const value = values[index];
        if (typeof value === "object" && value !== null) values[index] = toBuffer(value);
        else if (convert) values[index] = toNumber(value);
      }
      if (this.#mode === "raw") return values;
      if (this.#mode === "pluck") return values[0];
      if (this.#mode === "expand") return this.#expandRow(values);
      this.#toRow ??= createRow(this.#readColumns().map(({ name }) => name));
      return this.#toRow(values);
    }

    /** @param {any[]} values */
    #expandRow(values) {
      /** @type {Record<string, Record<string, any>>} */
      const row = {};
      for (const [index, { table, name }] of this.#readColumns().entries()) {
        row[table ?? "$"] ??= {};
        /** @type {any} */ (row[table ?? "$"])[name] = values[index];
      }
      return row;
    }

    /** @template T @param {(convert: boolean) => T} read @returns {T} */
    #read(read) {
      this.#demandReader();
      const convert = !this.#safe && !this.#mayRepeat;
      this.#readBigInts(this.#safe || convert);
      try {
        return read(convert);
      } catch (/** @type {any} */ error) {
        if (error?.code !== "ERR_OUT_OF_RANGE" || this.#safe || convert) throw translate(error);
      }
      this.#readBigInts(true);
      try {
        return read(true);
      } catch (error) {
        throw translate(error);
      }
    }

    /** @param {any[]} given */
    run(...given) {
      const values = this.#toArguments(given);
      // The last number may be of a table of FTS5 and above what a number holds: reading it would throw after the change.
      this.#readBigInts(true);
      try {
        const { changes, lastInsertRowid } = this.#native.run(...values);
        const changed = this.#info.isChange ? Number(changes) : 0;
        return { changes: changed, lastInsertRowid: this.#safe ? lastInsertRowid : Number(lastInsertRowid) };
      } catch (error) {
        throw translate(error);
      }
    }

    /** @param {any[]} given */
    get(...given) {
      const values = this.#toArguments(given);
      return this.#read((convert) => {
        const row = this.#native.get(...values);
        return row === undefined ? undefined : this.#finishRow(row, convert);
      });
    }

    /** @param {any[]} given */
    all(...given) {
      const values = this.#toArguments(given);
      return this.#read((convert) => {
        const rows = this.#native.all(...values);
        for (let index = 0; index < rows.length; index += 1) rows[index] = this.#finishRow(rows[index], convert);
        return rows;
      });
    }

    /** @param {any[]} given */
    iterate(...given) {
      const values = this.#toArguments(given);
      this.#demandReader();
      // Rows that were given cannot be taken back, so integers are read as BigInt from the first.
      const convert = !this.#safe;
      this.#readBigInts(true);
      return this.#iterateRows(values, convert);
    }

    /** @param {any[]} values @param {boolean} convert */
    *#iterateRows(values, convert) {
      try {
        for (const row of this.#native.iterate(...values)) yield this.#finishRow(row, convert);
      } catch (error) {
        throw translate(error);
      }
    }

    /** @param {any[]} given */
    bind(...given) {
      this.#bound = this.#toArguments(given);
      return this;
    }

    /** @param {string} mode @param {boolean} on */
    #setMode(mode, on) {
      this.#demandReader();
      if (on) this.#mode = mode;
      else if (this.#mode === mode) this.#mode = "flat";
      return this;
    }

    pluck(on = true) {
      return this.#setMode("pluck", on);
    }

    raw(on = true) {
      return this.#setMode("raw", on);
    }

    expand(on = true) {
      return this.#setMode("expand", on);
    }

    safeIntegers(on = true) {
      this.#safe = on;
      return this;
    }

    columns() {
      this.#demandReader();
      return this.#readColumns().map(({ name, column, table, database, type }) => ({
        name,
        column,
        table,
        database,
        type,
      }));
    }
  }

  class Database {
    #native;
    #safe = false;

    /** @param {string} filename @param {string} filenameGiven @param {boolean} anonymous @param {boolean} readonly @param {boolean} fileMustExist @param {number} timeout @param {any} verbose @param {Buffer | null} buffer */
    constructor(filename, filenameGiven, anonymous, readonly, fileMustExist, timeout, verbose, buffer) {
      if (verbose || buffer)
        throw new TypeError("Node's SQLite has neither the option verbose nor databases of a buffer");
      if (fileMustExist && !anonymous && !existsSync(filename)) {
        throw new SqliteError("unable to open database file", "SQLITE_CANTOPEN");
      }
      this.name = filenameGiven;
      this.memory = anonymous;
      this.readonly = readonly;
      try {
        const options = { readOnly: readonly, timeout, allowExtension: true };
        this.#native = new sqlite.DatabaseSync(anonymous ? ":memory:" : filename, options);
        this.#native.enableLoadExtension(false);
      } catch (error) {
        throw translate(error);
      }
    }

    get open() {
      return this.#native.isOpen;
    }

    get inTransaction() {
      return this.#native.isOpen && this.#native.isTransaction;
    }

    #demandOpen() {
      if (!this.#native.isOpen) throw new TypeError("The database connection is not open");
    }

    /** @param {string} source @param {object} database @param {boolean} isPragma */
    prepare(source, database, isPragma) {
      this.#demandOpen();
      const info = describeSql(source);
      try {
        return new Statement(this.#native.prepare(source), info, { source, database, isPragma, safe: this.#safe });
      } catch (error) {
        throw translate(error);
      }
    }

    /** @param {string} source */
    exec(source) {
      this.#demandOpen();
      try {
        this.#native.exec(source);
      } catch (error) {
        throw translate(error);
      }
    }

    close() {
      if (this.#native.isOpen) this.#native.close();
    }

    defaultSafeIntegers(on = true) {
      this.#safe = on;
    }

    unsafeMode() {}

    /** @param {any} fn @param {number} count -1 where any number is taken @param {number} safe 2 for that of the database */
    #toFunction(fn, count, safe) {
      const asBigInts = safe === 2 ? this.#safe : safe === 1;
      const wrapped = (/** @type {any[]} */ ...given) => {
        for (let index = 0; index < given.length; index += 1) given[index] = toBuffer(given[index]);
        return fn(...given);
      };
      // Node takes the number of arguments from it.
      Object.defineProperty(wrapped, "length", { value: Math.max(count, 0) });
      return { wrapped, asBigInts, varargs: count < 0 };
    }

    /** @param {any} fn @param {string} name @param {number} count @param {number} safe @param {boolean} deterministic @param {boolean} directOnly */
    function(fn, name, count, safe, deterministic, directOnly) {
      this.#demandOpen();
      const { wrapped, asBigInts, varargs } = this.#toFunction(fn, count, safe);
      const options = { useBigIntArguments: asBigInts, varargs, deterministic, directOnly };
      this.#native.function(name, options, wrapped);
    }

    /** @param {any} start @param {any} step @param {any} inverse @param {any} result @param {string} name @param {number} count @param {number} safe @param {boolean} deterministic @param {boolean} directOnly */
    aggregate(start, step, inverse, result, name, count, safe, deterministic, directOnly) {
      this.#demandOpen();
      const stepped = this.#toFunction(step, count < 0 ? count : count + 1, safe);
      const options = {
        start,
        step: stepped.wrapped,
        useBigIntArguments: stepped.asBigInts,
        varargs: stepped.varargs,
        deterministic,
        directOnly,
        ...(result && { result }),
        ...(inverse && { inverse: this.#toFunction(inverse, count < 0 ? count : count + 1, safe).wrapped }),
      };
      this.#native.aggregate(name, options);
    }

    table() {
      throw new TypeError("Node's SQLite has no virtual tables written in JavaScript");
    }

    /** @param {string} file @param {string} [entryPoint] */
    loadExtension(file, entryPoint) {
      this.#demandOpen();
      this.#native.enableLoadExtension(true);
      try {
        if (entryPoint === undefined) this.#native.loadExtension(file);
        else this.#native.loadExtension(file, entryPoint);
      } catch (/** @type {any} */ error) {
        throw error?.code === "ERR_LOAD_SQLITE_EXTENSION"
          ? new SqliteError(error.message, "SQLITE_ERROR")
          : translate(error);
      } finally {
        this.#native.enableLoadExtension(false);
      }
    }

    /** @param {string} attachedName */
    serialize(attachedName) {
      this.#demandOpen();
      if (this.#native.serialize === undefined) throw new TypeError("This version of Node cannot serialize a database");
      return toBuffer(this.#native.serialize(attachedName));
    }

    /**
     * Node copies in a thread of its own, all pages at once: the first step is a promise of the last, which better-sqlite3's promise becomes.
     * @param {object} _database @param {string} attachedName @param {string} filename
     */
    backup(_database, attachedName, filename) {
      this.#demandOpen();
      const copy = async () => {
        try {
          const pages = await sqlite.backup(this.#native, filename, { source: attachedName, rate: 0x7fffffff });
          return { totalPages: pages, remainingPages: 0 };
        } catch (error) {
          throw translate(error);
        }
      };
      return { transfer: copy, close() {} };
    }
  }

  return {
    isInitialized: false,
    Database,
    /** @param {typeof SqliteError} type */
    setErrorConstructor(type) {
      SqliteError = type;
    },
    /** As newer versions of better-sqlite3 call it. @param {typeof SqliteError} type */
    initialize(type) {
      SqliteError = type;
    },
  };
}
