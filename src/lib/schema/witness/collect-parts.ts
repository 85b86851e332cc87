import type { JsonSchema } from "../../contract/json";
import { asSchema, findReference, ownKeyword, ownList, ownMap } from "../resolve-ref";

const MAX_PARTS = 80;
/** Cases that the choices of a schema are split into. */
const MAX_CASES = 12;

/** The schemas that a value has to fit together: with what `$ref` and `allOf` add; null where nothing fits. */
export function flattenSchemas(schemas: readonly unknown[], root: JsonSchema): JsonSchema[] | null {
  const atoms = new Set<JsonSchema>();
  const pending = schemas.map(asSchema).reverse();
  for (let schema = pending.pop(); schema !== undefined; schema = pending.pop()) {
    if (schema === false) return null;
    if (schema === true || atoms.has(schema) || atoms.size >= MAX_PARTS) continue;
    atoms.add(schema);
    const target = findReference(schema, root)?.target;
    if (target !== undefined && target !== null) pending.push(target);
    for (const part of ownList(schema, "allOf")) pending.push(asSchema(part));
  }
  return [...atoms];
}

/** Lists cases with one branch of each choice: `anyOf`, `oneOf`, `then` or `else`. */
export function listCases(atoms: readonly JsonSchema[], root: JsonSchema): JsonSchema[][] {
  const done: JsonSchema[][] = [];
  const pending: { atoms: readonly JsonSchema[]; taken: ReadonlySet<unknown> }[] = [{ atoms, taken: new Set() }];
  for (let next = pending.shift(); next !== undefined && done.length < MAX_CASES; next = pending.shift()) {
    const { atoms: known, taken } = next;
    const choice = known.flatMap(listChoices).find((each) => !taken.has(each.from));
    if (choice === undefined || pending.length > MAX_CASES * 4) {
      done.push([...known]);
      continue;
    }
    for (const branch of choice.branches) {
      const flat = flattenSchemas([...known, ...branch], root);
      if (flat !== null) pending.push({ atoms: flat, taken: new Set([...taken, choice.from]) });
    }
  }
  return done;
}

interface Choice {
  /** Identifies the choice. */
  from: unknown;
  branches: unknown[][];
}

function listChoices(atom: JsonSchema): Choice[] {
  const found: Choice[] = [];
  for (const keyword of ["anyOf", "oneOf"]) {
    const branches = ownKeyword(atom, keyword);
    if (Array.isArray(branches) && branches.length > 0)
      found.push({ from: branches, branches: branches.map((each: unknown) => [each]) });
  }
  if (Object.hasOwn(atom, "if")) {
    const when = atom.if;
    const then = ownKeyword(atom, "then") ?? true;
    const otherwise = ownKeyword(atom, "else") ?? true;
    found.push({ from: when, branches: [[when, then], [otherwise]] });
  }
  return found;
}

const ON_THE_SAME_VALUE = ["not", "if", "then", "else"];

/** Every schema that says something about the value itself, whether it has to fit or not. */
export function collectMentions(schemas: readonly unknown[], root: JsonSchema): JsonSchema[] {
  const found = new Set<JsonSchema>();
  const pending = [...schemas];
  for (let at = 0; at < pending.length && found.size < MAX_PARTS; at += 1) {
    const schema = asSchema(pending[at]);
    if (typeof schema === "boolean" || found.has(schema)) continue;
    found.add(schema);
    pending.push(findReference(schema, root)?.target);
    for (const keyword of ["allOf", "anyOf", "oneOf"]) pending.push(...ownList(schema, keyword));
    for (const keyword of ON_THE_SAME_VALUE) pending.push(ownKeyword(schema, keyword));
    for (const keyword of ["dependentSchemas", "dependencies"]) pending.push(...Object.values(ownMap(schema, keyword)));
  }
  return [...found];
}
