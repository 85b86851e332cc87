import { isPlainObject, type JsonValue } from "../../../lib/contract/json";
import type { SuiteInput } from "../../../lib/contract/suite";
import { hasMask } from "../../../lib/masked-value";
import type { SealedSuite } from "./suite-store";

export interface SuiteSecretsPorts {
  /** The arguments of a tool as its calls are stored. @param text JSON */
  maskArguments: (tool: string, text: string) => string;
  seal: (text: string) => string;
  /** @throws Error where it cannot be opened */
  open: (sealed: string) => string;
}

export type SuiteSecrets = ReturnType<typeof createSuiteSecrets>;

/** The values behind masks, by tool and mask: a mask has no value under another tool. */
type Values = Map<string, Map<string, JsonValue>>;

/** Keeps what is secret in the arguments of tests: shown as a mask, stored encrypted, and put back when a test runs. */
export function createSuiteSecrets({ maskArguments, seal, open }: SuiteSecretsPorts) {
  /** Empty where they cannot be opened: a test with a mask is not run, and says which value to enter again. */
  function readValues({ sealed }: { sealed?: string | undefined }): Values {
    if (sealed === undefined) return new Map();
    try {
      const stored = JSON.parse(open(sealed)) as Record<string, Record<string, JsonValue>>;
      return new Map(Object.entries(stored).map(([tool, values]) => [tool, new Map(Object.entries(values))]));
    } catch {
      return new Map();
    }
  }

  return {
    /**
     * The suite in its stored form. A mask that an edit leaves in a test keeps its value.
     * @param before the suite that is replaced
     */
    hide(input: SuiteInput, before: SealedSuite | null): SealedSuite {
      const known: Values = before === null ? new Map() : readValues(before);
      const kept: Values = new Map();
      const tests = input.tests.map((test) => {
        const clear = replaceMasks(test.arguments, known.get(test.tool));
        const text = JSON.stringify(clear);
        const masked = maskArguments(test.tool, text);
        if (masked === text) return { ...test, arguments: clear };
        const shown = JSON.parse(masked) as typeof clear;
        const values = kept.get(test.tool) ?? new Map<string, JsonValue>();
        kept.set(test.tool, values);
        collectMasks(shown, clear, values);
        return { ...test, arguments: shown };
      });
      const hidden: SealedSuite = { ...input, tests };
      delete hidden.sealed;
      if (kept.size === 0) return hidden;
      const plain = Object.fromEntries([...kept].map(([tool, values]) => [tool, Object.fromEntries(values)]));
      return { ...hidden, sealed: seal(JSON.stringify(plain)) };
    },

    /** The suite with the values that its tests need. */
    reveal(suite: SealedSuite): SuiteInput {
      const known = readValues(suite);
      const { sealed: _sealed, ...input } = suite;
      const tests = input.tests.map((test) => ({
        ...test,
        arguments: replaceMasks(test.arguments, known.get(test.tool)),
      }));
      return { ...input, tests };
    },
  };
}

type Arguments = SuiteInput["tests"][number]["arguments"];

function replaceMasks(args: Arguments, values: ReadonlyMap<string, JsonValue> | undefined): Arguments {
  return values === undefined ? args : (replaceIn(args, values) as Arguments);
}

function replaceIn(value: JsonValue, values: ReadonlyMap<string, JsonValue>): JsonValue {
  if (typeof value === "string") return hasMask(value) ? (values.get(value) ?? value) : value;
  if (Array.isArray(value)) return value.map((item) => replaceIn(item, values));
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, replaceIn(item as JsonValue, values)]));
}

/** Walks both at once, since a mask stands where a value was. */
function collectMasks(shown: JsonValue, clear: JsonValue, values: Map<string, JsonValue>): void {
  if (typeof shown === "string") {
    if (hasMask(shown) && shown !== clear) values.set(shown, clear);
  } else if (Array.isArray(shown) && Array.isArray(clear)) {
    for (const [at, item] of shown.entries()) collectMasks(item, clear[at] ?? null, values);
  } else if (isPlainObject(shown) && isPlainObject(clear)) {
    for (const [key, item] of Object.entries(shown)) {
      collectMasks(item as JsonValue, (clear[key] ?? null) as JsonValue, values);
    }
  }
}
